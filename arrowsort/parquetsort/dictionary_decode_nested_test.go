package parquetsort

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/extsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/dictionary"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/valuetext"
	"github.com/arrowsort/arrowsort/arrowsort/internal/take"
)

var (
	wordType = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	// nestedSchema has dictionaries in a struct, in lists of three kinds, and in a map.
	nestedSchema = arrow.NewSchema([]arrow.Field{
		{Name: "s", Type: arrow.StructOf(arrow.Field{Name: "word", Type: wordType, Nullable: true},
			arrow.Field{Name: "n", Type: arrow.PrimitiveTypes.Int32, Nullable: true}), Nullable: true},
		{Name: "l", Type: arrow.ListOf(wordType), Nullable: true},
		{Name: "f", Type: arrow.FixedSizeListOf(2, wordType)},
		{Name: "m", Type: arrow.MapOf(arrow.BinaryTypes.String, wordType), Nullable: true},
		{Name: "deep", Type: arrow.ListOf(arrow.StructOf(arrow.Field{Name: "word", Type: wordType, Nullable: true})),
			Nullable: true},
		{Name: "row", Type: arrow.PrimitiveTypes.Int64},
	}, nil)
)

func nestedWords(t testing.TB, mem memory.Allocator, r *rand.Rand, first, n int) arrow.Record {
	b := array.NewRecordBuilder(mem, nestedSchema)
	defer b.Release()
	word := func() string {
		if r.IntN(5) == 0 {
			return "null"
		}
		return fmt.Sprintf("%q", fmt.Sprint("word ", r.IntN(30)+first/n))
	}
	for i := range n {
		row := fmt.Sprintf(`{"s":{"word":%s,"n":%d},"l":[%s,%s],"f":[%s,%s],"m":[{"key":"k","value":%s}],`+
			`"deep":[{"word":%s},{"word":%s}],"row":%d}`,
			word(), r.IntN(9), word(), word(), word(), word(), word(), word(), word(), first+i)
		if r.IntN(7) == 0 {
			row = fmt.Sprintf(`{"s":null,"l":null,"f":[%s,%s],"m":null,"deep":[],"row":%d}`, word(), word(), first+i)
		}
		require.NoError(t, b.UnmarshalJSON([]byte(row)))
	}
	return b.NewRecord()
}

func TestValuesOfNestedDictionaries(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	rec := nestedWords(t, mem, rand.New(rand.NewPCG(1, 7)), 0, 500)
	defer rec.Release()
	for name, part := range map[string]arrow.Record{"whole": rec.NewSlice(0, 500), "slice": rec.NewSlice(101, 307),
		"empty": rec.NewSlice(9, 9)} {
		for i, column := range part.Columns() {
			data, err := dictionary.DataWithType(t.Context(), column.Data(), dictionary.DecodedType(column.DataType()),
				take.Options{Allocator: mem})
			require.NoError(t, err)
			plain := array.MakeFromData(data)
			data.Release()
			require.False(t, arraydata.HasDictionary(plain.DataType()))
			require.Equal(t, column.Len(), plain.Len())
			want, got := valuetext.Formatter(column), valuetext.Formatter(plain)
			for row := range column.Len() {
				require.Equal(t, column.IsNull(row), plain.IsNull(row))
				require.Equal(t, want(row), got(row), "%s: column %s, row %d", name, nestedSchema.Field(i).Name, row)
			}
			plain.Release()
		}
		part.Release()
	}
}

func TestSortOfNestedDictionaries(t *testing.T) {
	folder := t.TempDir()
	r := rand.New(rand.NewPCG(2, 7))
	in, out := filepath.Join(folder, "in.arrows"), filepath.Join(folder, "out.arrows")
	generate(t, in, nestedSchema, 12, func(batch int) arrow.Record {
		return nestedWords(t, memory.DefaultAllocator, r,
			batch*6000, 6000)
	})
	one := filepath.Join(folder, "one.arrows")
	generate(t, one, nestedSchema, 1, func(batch int) arrow.Record {
		return nestedWords(t, memory.DefaultAllocator, r,
			12*6000, 6000)
	})
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	keys := []arrowsort.Key{{Path: "s.word", Order: arrowsort.Descending}, {Path: "s.n"}}
	result, err := Sort(t.Context(), []string{in, one}, out,
		Options{Keys: keys, Memory: Memory{Budget: MinMemory, SpillDir: folder}, Run: Run{Allocator: mem}})
	require.NoError(t, err)
	require.Greater(t, result.Runs, 1)
	requireSorted(t, []string{in, one}, []string{out}, keys)
	result, err = Sort(t.Context(), []string{in}, out, Options{Keys: keys, Run: Run{Allocator: mem}})
	require.NoError(t, err)
	require.Zero(t, result.Runs)
	requireSorted(t, []string{in}, []string{out}, keys)
}

// A batch that is larger than half a run is cut, the nested columns with their dictionaries too.
func TestLargeBatchOfNestedDictionaries(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	rec := nestedWords(t, mem, rand.New(rand.NewPCG(3, 7)), 0, 40_000)
	defer rec.Release()
	s, err := NewSorter(t.Context(), nestedSchema, []arrowsort.Key{{Path: "row",
		Order: arrowsort.Descending}}, SorterOptions{Memory: Memory{Budget: MinMemory, SpillDir: t.TempDir()},
		Run: Run{Allocator: mem}})
	require.NoError(t, err)
	defer s.Close()
	table := array.NewTableFromRecords(nestedSchema, []arrow.Record{rec})
	defer table.Release()
	require.Greater(t, arraydata.TableBytes(table), extsort.Budget{Total: MinMemory}.Run()/2, "the batch is cut")
	require.NoError(t, s.Write(rec))
	sorted, err := s.Sorted()
	require.NoError(t, err)
	defer sorted.Release()
	row := int(rec.NumRows())
	for sorted.Next() {
		for i, column := range sorted.Record().Columns() {
			want, got := valuetext.Formatter(rec.Column(i)), valuetext.Formatter(column)
			for at := range column.Len() {
				if want(row-1-at) != got(at) {
					t.Fatalf("column %s, row %d: %s, not %s", nestedSchema.Field(i).Name, row-1-at, got(at),
						want(row-1-at))
				}
			}
		}
		row -= int(sorted.Record().NumRows())
	}
	require.NoError(t, sorted.Err())
	require.Zero(t, row)
}
