package parquet

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
)

// TestMemoryOfWrittenRowGroups bounds what 300 columns keep in memory of each row group until the footer is written.
// A column chunk takes about 165 bytes in the file: its metadata and its page index.
func TestMemoryOfWrittenRowGroups(t *testing.T) {
	const columns, groups, mostChunk = 300, 60, 280
	var fields []arrow.Field
	for i := range columns {
		fields = append(fields, arrow.Field{Name: fmt.Sprint("c", i), Type: arrow.PrimitiveTypes.Int64, Nullable: true})
	}
	schema := arrow.NewSchema(fields, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	for row := range groups {
		for _, f := range b.Fields() {
			f.(*array.Int64Builder).Append(int64(row) << 40)
		}
	}
	rows := b.NewRecord()
	defer rows.Release()
	table := array.NewTableFromRecords(schema, []arrow.Record{rows})
	defer table.Release()
	w, err := NewWriter(io.Discard, schema, WriteOptions{EncodeOptions: EncodeOptions{
		Allocator: memory.DefaultAllocator, RowGroupRows: 1}})
	require.NoError(t, err)
	first := array.NewTableFromRecords(schema, []arrow.Record{rows.NewSlice(0, 1)})
	defer first.Release()
	require.NoError(t, w.Write(t.Context(), first)) // which makes what all row groups use
	before := heapInUse()
	require.NoError(t, w.Write(t.Context(), table))
	require.Less(t, (heapInUse()-before)/(columns*groups), int64(mostChunk), "bytes of a column chunk")
	require.NoError(t, w.Finish())
}

// heapInUse returns the bytes of the heap that are in use.
func heapInUse() int64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.GC() // what pools keep
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

// TestFileWithoutAllColumns: a row group that ends early is no file.
func TestFileWithoutAllColumns(t *testing.T) {
	file := manyGroups(t, 3, 2)
	var out bytes.Buffer
	in, err := Open(bytes.NewReader(file), int64(len(file)), ReadOptions{Allocator: memory.DefaultAllocator})
	require.NoError(t, err)
	w, err := NewWriter(&out, in.Schema(), WriteOptions{EncodeOptions: EncodeOptions{
		Allocator: memory.DefaultAllocator}})
	require.NoError(t, err)
	meta := in.Template.meta
	group := *meta.RowGroups[0]
	w.out.footer.RowGroups = append(w.out.footer.RowGroups, &group)
	require.NoError(t, w.out.addChunk(meta, 0, 0, encodedPageIndex{}, page.Bounds{}))
	require.EqualError(t, w.Finish(), "1 row groups of 3 columns have 1 column chunks")
}

// TestByteList reads strings of many lengths, in the order in which they were appended.
func TestByteList(t *testing.T) {
	var list byteList
	var want [][]byte
	for i := range 3000 {
		b := bytes.Repeat([]byte{byte(i)}, i*i%5000)
		if i%500 == 3 {
			b = bytes.Repeat([]byte{byte(i)}, 3*mostBlock)
		}
		want = append(want, b)
		list.append(b)
	}
	r := byteReader{list: &list}
	for i := range want {
		require.True(t, r.more())
		require.True(t, bytes.Equal(want[i], r.next()), i)
	}
	require.False(t, r.more())
	require.False(t, (&byteReader{list: new(byteList)}).more())
}
