package tablefile

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"
)

// TestStatisticsBoundTheirRowGroup reads the statistics of every column chunk and compares them with its rows.
func TestStatisticsBoundTheirRowGroup(t *testing.T) {
	table := words(t, memory.DefaultAllocator, 3000)
	defer table.Release()
	b := writeBytes(t, table, Parquet, WriteOptions{RowGroupRows: 1000})
	r, err := file.NewParquetReader(bytes.NewReader(b))
	require.NoError(t, err)
	require.Equal(t, 3, r.NumRowGroups())
	for g := range 3 {
		for c := range int(table.NumCols()) {
			chunk, err := r.RowGroup(g).MetaData().ColumnChunk(c)
			require.NoError(t, err)
			stats, err := chunk.Statistics()
			require.NoError(t, err)
			name := table.Schema().Field(c).Name
			a := array.NewSlice(table.Column(c).Data().Chunk(0), int64(g*1000), int64(g*1000+1000))
			require.EqualValues(t, a.NullN(), stats.NullCount(), name)
			require.EqualValues(t, a.Len()-a.NullN(), stats.NumValues(), name)
			require.Equal(t, a.NullN() < a.Len(), stats.HasMinMax(), name)
			if stats.HasMinMax() {
				low, high := bounds(a)
				require.Equal(t, low, stats.EncodeMin(), name)
				require.Equal(t, high, stats.EncodeMax(), name)
			}
			a.Release()
		}
	}
}

// bounds are the least and the greatest value as Parquet stores them.
func bounds(a arrow.Array) (low, high []byte) {
	var texts []string
	var numbers []int64
	for i := range a.Len() {
		switch a := a.(type) {
		case *array.Int64:
			if a.IsValid(i) {
				numbers = append(numbers, a.Value(i))
			}
		case *array.Timestamp:
			if a.IsValid(i) {
				numbers = append(numbers, int64(a.Value(i)))
			}
		default:
			if a.IsValid(i) {
				texts = append(texts, a.ValueStr(i))
			}
		}
	}
	if texts != nil {
		return []byte(slices.Min(texts)), []byte(slices.Max(texts))
	}
	return binary.LittleEndian.AppendUint64(nil, uint64(slices.Min(numbers))),
		binary.LittleEndian.AppendUint64(nil, uint64(slices.Max(numbers)))
}
