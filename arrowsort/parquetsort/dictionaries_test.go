package parquetsort

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/extsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/dictionary"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/valuetext"
	"github.com/arrowsort/arrowsort/arrowsort/internal/take"
)

// TestDictionariesStayWhatTheyAre: the schema of an Arrow output is that of the input, however little memory there is.
func TestDictionariesStayWhatTheyAre(t *testing.T) {
	folder := t.TempDir()
	in := filepath.Join(folder, "in.arrows")
	r := rand.New(rand.NewPCG(4, 7))
	generate(t, in, nestedSchema, 12, func(batch int) arrow.Record {
		return nestedWords(t, memory.DefaultAllocator, r,
			batch*6000, 6000)
	})
	empty := filepath.Join(folder, "empty.arrows") // several inputs are sorted in runs
	generate(t, empty, nestedSchema, 0, nil)
	whole := readTable(t, in)
	keys := []arrowsort.Key{{Path: "row", Order: arrowsort.Descending}}
	want, err := arrowsort.Sort(t.Context(), whole.Table, keys, arrowsort.Options{})
	require.NoError(t, err)
	defer want.Release()
	for _, name := range []string{"out.arrow", "out.arrows"} {
		mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
		out := filepath.Join(folder, name)
		result := sortFiles(t, []string{in, empty}, out,
			Options{Keys: keys, Memory: Memory{Budget: MinMemory, SpillDir: folder}, Run: Run{Allocator: mem}})
		require.Greater(t, result.Runs, 1)
		if name == "out.arrows" { // Arrow's file writer never gives back the dictionary that it compares with
			mem.AssertSize(t, 0)
		}
		got, err := tablefile.Read(t.Context(), out, tablefile.ReadOptions{})
		require.NoError(t, err)
		require.Equal(t, whole.Schema.String(), got.Schema.String())
		requireSameRows(t, want, got.Table)
		got.Table.Release()
	}
}

// TestDictionariesInsideEveryType are sorted in pieces, too.
func TestDictionariesInsideEveryType(t *testing.T) {
	item := arrow.Field{Name: "item", Type: wordType, Nullable: true}
	codes := []arrow.UnionTypeCode{0}
	for _, typ := range []arrow.DataType{
		arrow.ListViewOfField(item), arrow.LargeListViewOfField(item), arrow.FixedSizeListOfField(2, item),
		arrow.SparseUnionOf([]arrow.Field{item}, codes), arrow.DenseUnionOf([]arrow.Field{item}, codes),
		arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, wordType), arrow.MapOf(arrow.BinaryTypes.String, wordType),
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16, ValueType: arrow.ListOfField(item)},
	} {
		t.Run(typ.Name(), func(t *testing.T) {
			folder := t.TempDir()
			in, empty := filepath.Join(folder, "in.arrows"), filepath.Join(folder, "empty.arrows")
			schema := arrow.NewSchema([]arrow.Field{{Name: "row", Type: arrow.PrimitiveTypes.Int64},
				{Name: "words", Type: typ}}, nil)
			r := rand.New(rand.NewPCG(5, 8))
			generate(t, in, schema, 2, func(int) arrow.Record {
				return array.NewRecord(schema, []arrow.Array{
					arrowtest.Random(r, schema.Field(0).Type, 50, 0, memory.DefaultAllocator),
					arrowtest.Random(r, typ, 50, 0, memory.DefaultAllocator)}, 50)
			})
			generate(t, empty, schema, 0, nil)
			keys := []arrowsort.Key{{Path: "row"}}
			want, got := filepath.Join(folder, "want.arrows"), filepath.Join(folder, "got.arrows")
			sortFiles(t, []string{in}, want, Options{Keys: keys})
			sortFiles(t, []string{in, empty}, got, Options{Keys: keys})
			a, err := tablefile.Read(t.Context(), want, tablefile.ReadOptions{})
			require.NoError(t, err)
			b, err := tablefile.Read(t.Context(), got, tablefile.ReadOptions{})
			require.NoError(t, err)
			require.Equal(t, a.Schema.String(), b.Schema.String())
			require.Equal(t, arrowtest.Values(a.Table.Column(1).Data()), arrowtest.Values(b.Table.Column(1).Data()))
		})
	}
}

// requireSameRows requires that tables have the same values in the same rows.
func requireSameRows(t *testing.T, want, got arrow.Table) {
	t.Helper()
	require.Equal(t, want.NumRows(), got.NumRows())
	for i := range int(want.NumCols()) {
		a, b := cellsOf(want.Column(i)), cellsOf(got.Column(i))
		for row := range a {
			if a[row] != b[row] {
				t.Fatalf("column %s, row %d: %s, not %s", want.Column(i).Name(), row, b[row], a[row])
			}
		}
	}
}

// cellsOf are the values of a column as text.
func cellsOf(column *arrow.Column) (cells []string) {
	for _, c := range column.Data().Chunks() {
		format := valuetext.Formatter(c)
		for i := range c.Len() {
			if c.IsNull(i) {
				cells = append(cells, "null")
			} else {
				cells = append(cells, format(i))
			}
		}
	}
	return cells
}

// TestDictionariesWithTooManyValues for their indices are an error, not other values.
func TestDictionariesWithTooManyValues(t *testing.T) {
	folder := t.TempDir()
	in := filepath.Join(folder, "in.arrows")
	schema := arrow.NewSchema([]arrow.Field{{Name: "word", Type: wordType, Nullable: true}}, nil)
	generate(t, in, schema, 3, func(batch int) arrow.Record {
		b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		defer b.Release()
		for i := range 60 {
			require.NoError(t, b.Field(0).(*array.BinaryDictionaryBuilder).AppendString(string(rune('A'+batch*60+i))))
		}
		return b.NewRecord()
	})
	_, err := Sort(t.Context(), []string{in, in}, filepath.Join(folder, "out.arrow"),
		Options{Keys: []arrowsort.Key{{Path: "word"}}, Memory: Memory{Budget: MinMemory, SpillDir: folder}})
	require.ErrorIs(t, err, ErrSchema)
	require.ErrorContains(t, err, `column "word": `)
	require.ErrorContains(t, err, "180 different values, more than the 128")
}

// TestLongTextsInDictionariesAreSortedAsATable: what their rows would take as text, 256 MB here, does not matter where
// input and output have dictionaries.
func TestLongTextsInDictionariesAreSortedAsATable(t *testing.T) {
	const rows = 2000
	typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
	schema := arrow.NewSchema([]arrow.Field{{Name: "row", Type: arrow.PrimitiveTypes.Int64},
		{Name: "text", Type: typ, Nullable: true}}, nil)
	folder := t.TempDir()
	in := filepath.Join(folder, "in.parquet")
	generate(t, in, schema, 1, func(int) arrow.Record {
		b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		defer b.Release()
		for row := range rows {
			b.Field(0).(*array.Int64Builder).Append(int64(rows - row))
			text := strings.Repeat(string(rune('a'+row%3)), 1<<17)
			require.NoError(t, b.Field(1).(*array.BinaryDictionaryBuilder).AppendString(text))
		}
		return b.NewRecord()
	})
	for _, key := range []string{"row", "text"} {
		for _, name := range []string{"out.arrow", "out.arrows"} {
			out := filepath.Join(folder, name)
			result := sortFiles(t, []string{in}, out,
				Options{Keys: []arrowsort.Key{{Path: key}}, Memory: Memory{Budget: 2 * MinMemory, SpillDir: folder}})
			require.Zero(t, result.Runs)
			got, err := tablefile.Read(t.Context(), out, tablefile.ReadOptions{})
			require.NoError(t, err)
			require.Equal(t, schema.String(), got.Schema.String())
			require.EqualValues(t, rows, got.Table.NumRows())
			for i := range 3 {
				text := got.Table.Column(1).Data().Chunk(0).(*array.Dictionary)
				first := text.Dictionary().(*array.String).Value(text.GetValueIndex(i))[:1]
				row := got.Table.Column(0).Data().Chunk(0).(*array.Int64).Value(i)
				require.Equal(t, string(rune('a'+(rows-row)%3)), first)
			}
			got.Table.Release()
		}
	}
}

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
	mem := arrowtest.Checked(t)
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
	mem := arrowtest.Checked(t)
	keys := []arrowsort.Key{{Path: "s.word", Order: arrowsort.Descending}, {Path: "s.n"}}
	result := sortFiles(t, []string{in, one}, out,
		Options{Keys: keys, Memory: Memory{Budget: MinMemory, SpillDir: folder}, Run: Run{Allocator: mem}})
	require.Greater(t, result.Runs, 1)
	requireSorted(t, []string{in, one}, []string{out}, keys)
	result = sortFiles(t, []string{in}, out, Options{Keys: keys, Run: Run{Allocator: mem}})
	require.Zero(t, result.Runs)
	requireSorted(t, []string{in}, []string{out}, keys)
}

// A batch that is larger than half a run is cut, the nested columns with their dictionaries too.
func TestLargeBatchOfNestedDictionaries(t *testing.T) {
	mem := arrowtest.Checked(t)
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

// TestDictionariesOfEveryTypeKeepTheirValues: bit by bit, when rows with a dictionary for each batch are sorted in
// runs. Dates whose text is the same, NaNs and zeros of both signs are different values.
func TestDictionariesOfEveryTypeKeepTheirValues(t *testing.T) {
	fields := []arrow.Field{{Name: "row", Type: arrow.PrimitiveTypes.Int64}}
	values := append(arrowtest.Flat(), arrow.ListOf(arrow.PrimitiveTypes.Float64),
		arrow.StructOf(arrow.Field{Name: "day", Type: arrow.FixedWidthTypes.Date64, Nullable: true}))
	for _, typ := range values {
		if _, extension := typ.(arrow.ExtensionType); extension { // of which v15 reads no dictionary
			continue
		}
		index := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: typ}
		fields = append(fields, arrow.Field{Name: typ.String(), Type: index, Nullable: true})
	}
	schema := arrow.NewSchema(fields, nil)
	folder, r := t.TempDir(), rand.New(rand.NewPCG(8, 9))
	in, out := filepath.Join(folder, "in.arrows"), filepath.Join(folder, "out.arrow")
	const rows = 3000
	generate(t, in, schema, 12, func(batch int) arrow.Record {
		numbers := array.NewInt64Builder(memory.DefaultAllocator)
		for i := range rows {
			numbers.Append(int64(batch*rows + i))
		}
		columns := append([]arrow.Array{numbers.NewArray()}, randomColumns(r, fields[1:], rows, batch)...)
		return array.NewRecord(schema, columns, rows)
	})
	empty := filepath.Join(folder, "empty.arrows") // several inputs are sorted in runs
	generate(t, empty, schema, 0, nil)
	keys := []arrowsort.Key{{Path: "row", Order: arrowsort.Descending}}
	result := sortFiles(t, []string{in, empty}, out, Options{Keys: keys,
		Memory: Memory{Budget: MinMemory, SpillDir: folder}})
	require.Greater(t, result.Runs, 1)
	before, err := tablefile.Read(t.Context(), in, tablefile.ReadOptions{})
	require.NoError(t, err)
	after, err := tablefile.Read(t.Context(), out, tablefile.ReadOptions{})
	require.NoError(t, err)
	require.Equal(t, before.Schema.String(), after.Schema.String())
	for i, f := range fields {
		want, got := arrowtest.Values(before.Table.Column(i).Data()), arrowtest.Values(after.Table.Column(i).Data())
		for row := range want {
			require.Equal(t, want[len(want)-1-row], got[row], "%s, row %d", f.Name, row)
		}
	}
}
