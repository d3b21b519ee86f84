package parquetsort

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/internal/take"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/dataset"
)

// insideSchema has columns with values inside them that can, or cannot, be null.
func insideSchema(nullable bool) *arrow.Schema {
	inside := arrow.Field{Name: "element", Type: arrow.PrimitiveTypes.Int64, Nullable: nullable}
	mapped := arrow.MapOf(arrow.BinaryTypes.String, inside.Type)
	mapped.SetItemNullable(nullable)
	return arrow.NewSchema([]arrow.Field{
		{Name: "k", Type: arrow.PrimitiveTypes.Int64}, {Name: "list", Type: arrow.ListOfField(inside), Nullable: true},
		{Name: "fixed", Type: arrow.FixedSizeListOfField(2, inside)}, {Name: "struct", Type: arrow.StructOf(inside)},
		{Name: "map", Type: mapped},
		{Name: "deep", Type: arrow.StructOf(arrow.Field{Name: "l", Type: arrow.ListOf(arrow.ListOfField(inside))})},
	}, nil)
}

const insideRows = `[
	{"k":2,"list":[1,2],"fixed":[3,4],"struct":{"element":5},"map":[{"key":"a","value":6}],"deep":{"l":[[7]]}},
	{"k":1,"list":null,"fixed":[8,9],"struct":{"element":0},"map":[],"deep":{"l":[]}}]`

// writeInside writes the rows, of which a nullable one has a null in its list.
func writeInside(t *testing.T, path string, nullable bool) {
	rows := insideRows
	if nullable {
		rows = strings.Replace(rows, "[1,2]", "[1,null]", 1)
	}
	rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, insideSchema(true), strings.NewReader(rows))
	require.NoError(t, err)
	table := array.NewTableFromRecords(rec.Schema(), []arrow.Record{rec})
	arranged, err := dataset.Arrange(t.Context(), table, insideSchema(nullable), take.Options{})
	require.NoError(t, err)
	writeTable(t, path, arranged, tablefile.WriteOptions{})
}

// TestNullabilityInsideColumns: files may differ in it, and it is kept where they do not.
func TestNullabilityInsideColumns(t *testing.T) {
	folder := t.TempDir()
	for _, format := range []string{".parquet", ".arrow"} {
		none, some := filepath.Join(folder, "none"+format), filepath.Join(folder, "some"+format)
		out := filepath.Join(folder, "out.parquet")
		writeInside(t, none, false)
		writeInside(t, some, true)
		for _, c := range []struct {
			inputs   []string
			nullable bool
		}{
			{[]string{none}, false}, {[]string{none, none}, false},
			{[]string{none, some}, true}, {[]string{some, none}, true},
		} {
			sortFiles(t, c.inputs, out, Options{Keys: []arrowsort.Key{{Path: "k"}}})
			in, err := tablefile.Read(t.Context(), out, tablefile.ReadOptions{})
			require.NoError(t, err)
			for i, f := range insideSchema(c.nullable).Fields() {
				got := in.Schema.Field(i).Type
				require.True(t, arrow.TypeEqual(f.Type, got), "%s: %s", f.Name, got)
			}
			require.EqualValues(t, 2*len(c.inputs), in.Table.NumRows())
			in.Table.Release()
		}
	}
}
