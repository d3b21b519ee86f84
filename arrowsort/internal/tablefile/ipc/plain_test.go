package tablefile

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
)

// valuesOf is the values of a column as text, across its chunks.
func valuesOf(column *arrow.Chunked) (values []string) {
	for _, c := range column.Chunks() {
		for i := range c.Len() {
			values = append(values, arrowtest.Value(c, i))
		}
	}
	return values
}

// randomTable has a column of a type, in batches of so many rows that are slices of longer arrays, and behind it a
// column of strings that shows whether the column before used up what is its own.
func randomTable(typ arrow.DataType, nulls float64, rows []int, seed uint64) arrow.Table {
	rng := rand.New(rand.NewPCG(seed, 1))
	meta := arrow.MetadataFrom(map[string]string{"unit": "m"})
	ofSchema := arrow.MetadataFrom(map[string]string{"owner": "tests"})
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "v", Type: typ, Nullable: nulls > 0, Metadata: meta},
		{Name: "s", Type: arrow.BinaryTypes.StringView, Nullable: true},
	}, &ofSchema)
	var records []arrow.Record
	for i, n := range rows {
		columns := []arrow.Array{
			arrowtest.RandomSlice(rng, typ, n, i%3, nulls, memory.DefaultAllocator),
			arrowtest.RandomSlice(rng, arrow.BinaryTypes.StringView, n, i%2, 0.3, memory.DefaultAllocator),
		}
		records = append(records, array.NewRecord(schema, columns, int64(n)))
	}
	return array.NewTableFromRecords(schema, records)
}

// TestEveryTypeSurvivesArrowFilesAndStreams compares what is read with what was written, value by value.
func TestEveryTypeSurvivesArrowFilesAndStreams(t *testing.T) {
	require.NoError(t, arrow.RegisterExtensionType(arrowtest.NewExtension(arrow.PrimitiveTypes.Int32)))
	t.Cleanup(func() { require.NoError(t, arrow.UnregisterExtensionType("arrowtest")) })
	for i, typ := range arrowtest.Types() {
		if extendsDictionary(typ) {
			continue
		}
		for _, nulls := range []float64{0, 0.3, 1} {
			for _, rows := range [][]int{{}, {0}, {1}, {20, 0, 7, 33}} {
				t.Run(fmt.Sprintf("%s/nulls=%v/rows=%v", typ, nulls, rows), func(t *testing.T) {
					table := randomTable(typ, nulls, rows, uint64(i))
					for _, format := range []Format{IPCFile, IPCStream} {
						requireSurvives(t, table, format, "none")
						requireSurvives(t, table, format, "lz4")
					}
				})
			}
		}
	}
}

func requireSurvives(t *testing.T, table arrow.Table, format Format, codec string) {
	t.Helper()
	b := writeBytes(t, table, format, WriteOptions{Compression: Compression{Codec: codec}})
	in, err := readBytes(t, b, ReadOptions{Format: format})
	require.NoError(t, err)
	defer in.Table.Release()
	require.Equal(t, table.Schema().String(), in.Schema.String())
	for c := range 2 {
		require.Equal(t, valuesOf(table.Column(c).Data()), valuesOf(in.Table.Column(c).Data()), "%s %s", format, codec)
	}
}
