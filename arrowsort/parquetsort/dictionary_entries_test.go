package parquetsort

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
)

// TestStreamsThatReplaceDictionaries have more values in all than their indices number. Outputs without such indices
// hold them all; an Arrow file does not.
func TestStreamsThatReplaceDictionaries(t *testing.T) {
	folder := t.TempDir()
	typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	fields := []arrow.Field{{Name: "city", Type: typ}, {Name: "k", Type: arrow.PrimitiveTypes.Int64}}
	schema := arrow.NewSchema(fields, nil)
	in := filepath.Join(folder, "in.arrows")
	f, err := os.Create(in)
	require.NoError(t, err)
	w := ipc.NewWriter(f, ipc.WithSchema(schema))
	for batch := range 3 {
		b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		for i := range 60 {
			value := fmt.Sprintf("%d %02d", batch, i)
			require.NoError(t, b.Field(0).(*array.BinaryDictionaryBuilder).AppendString(value))
			b.Field(1).(*array.Int64Builder).Append(int64(3*i + batch))
		}
		rec := b.NewRecord()
		require.NoError(t, w.Write(rec))
		rec.Release()
	}
	require.NoError(t, w.Close())
	require.NoError(t, f.Close())
	for _, opts := range []Options{{Keys: []arrowsort.Key{{Path: "k"}}}, {Keys: []arrowsort.Key{{Path: "city"}}},
		{Keys: []arrowsort.Key{{Path: "k"}, {Path: "city"}}, Curve: arrowsort.Hilbert}} {
		for _, name := range []string{"out.csv", "out.parquet"} {
			out := filepath.Join(folder, name)
			result := sortFiles(t, []string{in}, out, opts)
			require.EqualValues(t, 180, result.Rows)
			require.EqualValues(t, 180, readTable(t, out).Table.NumRows())
		}
	}
	out := filepath.Join(folder, "out.arrow")
	_, err = Sort(t.Context(), []string{in}, out, Options{Keys: []arrowsort.Key{{Path: "k"}}})
	require.ErrorContains(t, err, "180 different entries, int8 indices number 128")
}

// TestOrderOfAColumnThatIsWrittenTwice is named by its position.
func TestOrderOfAColumnThatIsWrittenTwice(t *testing.T) {
	in, out := numbered(t, "in.parquet", "[3, 1, 2]"), filepath.Join(t.TempDir(), "out.parquet")
	sortFiles(t, []string{in}, out, Options{Keys: []arrowsort.Key{{Path: "n"}}, Columns: []string{"n", "n"}})
	keys, _ := declaredBy(t, out)
	require.Equal(t, "[#1]", keys)
}

// TestAdviceOfRowsBeyondMemory is an error, and not that of no rows.
func TestAdviceOfRowsBeyondMemory(t *testing.T) {
	in := filepath.Join(t.TempDir(), "in.parquet")
	schema := arrow.NewSchema([]arrow.Field{{Name: "k", Type: arrow.PrimitiveTypes.Int64},
		{Name: "s", Type: arrow.BinaryTypes.Binary}}, nil)
	generate(t, in, schema, 4, func(batch int) arrow.Record {
		b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		defer b.Release()
		b.Field(0).(*array.Int64Builder).Append(int64(batch))
		b.Field(1).(*array.BinaryBuilder).Append(make([]byte, 7_000_000))
		return b.NewRecord()
	})
	_, err := Layout(t.Context(), []string{in}, LayoutOptions{Advise: []string{"k"}, Memory: Memory{Budget: MinMemory}})
	require.ErrorIs(t, err, errkind.ErrBudget)
}

// TestLinksToFilesThatAreNotThere: a sort makes the file that an output leads to, and keeps the link.
func TestLinksToFilesThatAreNotThere(t *testing.T) {
	folder, in := t.TempDir(), numbered(t, "in.parquet", "[3, 1, 2]")
	require.NoError(t, os.Mkdir(filepath.Join(folder, "sub"), 0o777))
	for link, target := range map[string]string{"first": "second", "second": filepath.Join("sub", "out.parquet")} {
		require.NoError(t, os.Symlink(target, filepath.Join(folder, link)))
	}
	sortFiles(t, []string{in}, filepath.Join(folder, "first"), Options{Keys: []arrowsort.Key{{Path: "n"}},
		Output: Output{Format: Parquet}})
	require.EqualValues(t, 3, readTable(t, filepath.Join(folder, "sub", "out.parquet")).Table.NumRows())
	info, err := os.Lstat(filepath.Join(folder, "first"))
	require.NoError(t, err)
	require.NotZero(t, info.Mode()&os.ModeSymlink)
}
