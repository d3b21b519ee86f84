package ipc

import (
	"fmt"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
)

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
					table := arrowtest.RandomTable(typ, nulls, rows, uint64(i))
					for _, codec := range []string{"none", "lz4"} {
						requireSurvives(t, table, Options{Codec: codec})
						requireSurvives(t, table, Options{Codec: codec, File: true})
					}
				})
			}
		}
	}
}

func requireSurvives(t *testing.T, table arrow.Table, opts Options) {
	t.Helper()
	got, err := read(written(t, table, opts), opts)
	require.NoError(t, err)
	defer got.Release()
	require.Equal(t, table.Schema().String(), got.Schema().String())
	for c := range 2 {
		require.Equal(t, arrowtest.Values(table.Column(c).Data()), arrowtest.Values(got.Column(c).Data()), "%v", opts)
	}
}

// TestSlicesOfViewsHaveTheirValuesOnly: a record batch of a few rows of a large array is no larger than these rows.
func TestSlicesOfViewsHaveTheirValuesOnly(t *testing.T) {
	for _, typ := range []arrow.DataType{arrow.BinaryTypes.StringView, arrow.BinaryTypes.BinaryView} {
		table := arrowtest.RandomTable(typ, 0.2, []int{20_000}, 1)
		column := table.Column(0)
		piece := array.NewChunkedSlice(column.Data(), 9_001, 9_041)
		schema := arrow.NewSchema([]arrow.Field{column.Field()}, nil)
		rows := array.NewTable(schema, []arrow.Column{*arrow.NewColumn(column.Field(), piece)}, 40)
		file := written(t, rows, Options{})
		require.Less(t, len(file), 20_000)
		got, err := read(file, Options{})
		require.NoError(t, err)
		require.Equal(t, arrowtest.Values(piece), arrowtest.Values(got.Column(0).Data()))
		got.Release()
	}
}
