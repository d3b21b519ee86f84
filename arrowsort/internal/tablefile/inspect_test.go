package tablefile

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/writer"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// TestInspectEveryType in every container: the buffers or pages of a column are its own, and so the nulls of the column
// after it are right.
func TestInspectEveryType(t *testing.T) {
	require.NoError(t, arrow.RegisterExtensionType(arrowtest.NewExtension(arrow.PrimitiveTypes.Int32)))
	t.Cleanup(func() { require.NoError(t, arrow.UnregisterExtensionType("arrowtest")) })
	seed := uint64(0)
	for _, format := range binaryFormats {
		for _, box := range arrowtest.Containers() {
			for _, typ := range arrowtest.Flat() {
				if seed++; !testrun.Share(4, seed) {
					continue
				}
				item := arrow.Field{Name: "item", Type: typ, Nullable: true}
				t.Run(fmt.Sprintf("%s/%s/%s", format, box.Name, typ), func(t *testing.T) {
					inspectColumn(t, format, arrow.Field{Name: "column", Type: box.Of(item), Nullable: true}, seed)
				})
			}
		}
	}
}

func inspectColumn(t *testing.T, format Format, field arrow.Field, seed uint64) {
	const rows = 50
	r := rand.New(rand.NewPCG(seed, 13))
	next := arrow.Field{Name: "next", Type: arrow.PrimitiveTypes.Int64, Nullable: true}
	if _, unwritten := writer.Unsupported(field); format == Parquet && unwritten != nil {
		return
	}
	var records []arrow.Record
	schema, nulls, ownNulls := arrow.NewSchema([]arrow.Field{field, next}, nil), 0, 0
	for range 2 {
		a := arrowtest.Random(r, field.Type, rows, 0.2, memory.DefaultAllocator)
		toWholeDays(a.Data())
		b := arrowtest.Random(r, next.Type, rows, 0.3, memory.DefaultAllocator)
		nulls, ownNulls = nulls+b.NullN(), ownNulls+a.NullN()
		records = append(records, array.NewRecord(schema, []arrow.Array{a, b}, rows))
	}
	path := filepath.Join(t.TempDir(), "t")
	opts := WriteOptions{Format: format, RowGroupRows: rowGroups(format, rows)}
	writeFile(t, path, array.NewTableFromRecords(schema, records), opts)
	got, err := Inspect(t.Context(), path, ReadOptions{Format: format})
	require.NoError(t, err)
	stat, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, stat.Size(), got.Bytes)
	require.EqualValues(t, 2*rows, got.Rows)
	require.Len(t, got.Columns, 2)
	require.EqualValues(t, nulls, *got.Columns[1].Nulls)
	var groups int64
	for _, g := range got.Groups {
		groups += g.Bytes
	}
	require.NotNil(t, got.Columns[0].Bytes)
	if columns := *got.Columns[0].Bytes + *got.Columns[1].Bytes; format == Parquet {
		require.Equal(t, groups, columns)
	} else {
		require.LessOrEqual(t, columns, groups)
		require.EqualValues(t, ownNulls, *got.Columns[0].Nulls)
	}
}
