package parquetsort

import (
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

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
		columns := []arrow.Array{numbers.NewArray()}
		for _, f := range fields[1:] {
			columns = append(columns, arrowtest.RandomSlice(r, f.Type, rows, batch, 0.2, memory.DefaultAllocator))
		}
		return array.NewRecord(schema, columns, rows)
	})
	empty := filepath.Join(folder, "empty.arrows") // several inputs are sorted in runs
	generate(t, empty, schema, 0, nil)
	keys := []arrowsort.Key{{Path: "row", Order: arrowsort.Descending}}
	result, err := Sort(t.Context(), []string{in, empty}, out, Options{Keys: keys,
		Memory: Memory{Budget: MinMemory, SpillDir: folder}})
	require.NoError(t, err)
	require.Greater(t, result.Runs, 1)
	before, err := tablefile.Read(t.Context(), in, tablefile.ReadOptions{})
	require.NoError(t, err)
	after, err := tablefile.Read(t.Context(), out, tablefile.ReadOptions{})
	require.NoError(t, err)
	require.Equal(t, before.Schema.String(), after.Schema.String())
	for i, f := range fields {
		want, got := rowsOf(before.Table.Column(i)), rowsOf(after.Table.Column(i))
		for row := range want {
			require.Equal(t, want[len(want)-1-row], got[row], "%s, row %d", f.Name, row)
		}
	}
}

func rowsOf(column *arrow.Column) (rows []string) {
	for _, c := range column.Data().Chunks() {
		for i := range c.Len() {
			rows = append(rows, arrowtest.Value(c, i))
		}
	}
	return rows
}
