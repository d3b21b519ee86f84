package reader_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/reader"
)

const groupRows = 400 // of the row groups of files here, of which the last has half as many

// sampleTable has columns that are decoded here and columns that pqarrow reads, with nulls: numbers, few and many
// different strings, booleans, lists and structs.
func sampleTable(t *testing.T) arrow.Table {
	const rows = 2*groupRows + groupRows/2
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "number", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "few", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "many", Type: arrow.BinaryTypes.String},
		{Name: "flag", Type: arrow.FixedWidthTypes.Boolean, Nullable: true},
		{Name: "list", Type: arrow.ListOf(arrow.PrimitiveTypes.Int32), Nullable: true},
		{Name: "at", Type: arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Float32}), Nullable: true},
	}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for i := range rows {
		row := fmt.Sprintf(`{"number": %d, "few": "w%d", "many": "text %d", "flag": %t, "list": [%d, null, 3],
			"at": {"x": %d.5}}`, i*7, i%3, i, i%2 == 0, i, i)
		if i%11 == 5 {
			row = fmt.Sprintf(`{"many": "text %d"}`, i)
		}
		require.NoError(t, b.UnmarshalJSON([]byte(row)))
	}
	record := b.NewRecord()
	return array.NewTableFromRecords(schema, []arrow.Record{record})
}

// write is a Parquet file of a table.
func write(t *testing.T, table arrow.Table) []byte {
	var out bytes.Buffer
	w, err := parquet.NewWriter(&out, table.Schema(), parquet.WriteOptions{EncodeOptions: parquet.EncodeOptions{
		Allocator: memory.DefaultAllocator, RowGroupRows: groupRows, PageRows: 64}})
	require.NoError(t, err)
	require.NoError(t, w.Write(t.Context(), table))
	require.NoError(t, w.Finish())
	return out.Bytes()
}

func open(t *testing.T, file []byte, opts parquet.ReadOptions) *parquet.File {
	opts.Allocator = cmp.Or(opts.Allocator, memory.DefaultAllocator)
	f, err := parquet.Open(bytes.NewReader(file), int64(len(file)), opts)
	require.NoError(t, err)
	return f
}

// values are the values of all columns.
func values(table arrow.Table) (columns [][]string) {
	for i := range int(table.NumCols()) {
		columns = append(columns, arrowtest.Values(table.Column(i).Data()))
	}
	return columns
}

// readBatches reads all batches, and returns the values of their columns, one after the other, and their rows.
func readBatches(t *testing.T, b *reader.Batches) (columns [][]string, rows []int64) {
	for {
		batch, err := b.Next(t.Context())
		if err == io.EOF {
			return columns, rows
		}
		require.NoError(t, err)
		rows = append(rows, batch.NumRows())
		if columns == nil {
			columns = make([][]string, batch.NumCols())
		}
		for i, v := range values(batch) {
			columns[i] = append(columns[i], v...)
		}
		batch.Release()
	}
}

// TestRead: a file has the rows that were written, whole or of some columns, in the order in which they are named.
func TestRead(t *testing.T) {
	table := sampleTable(t)
	file, want := write(t, table), values(table)
	whole, err := open(t, file, parquet.ReadOptions{}).Read(t.Context(), nil)
	require.NoError(t, err)
	require.True(t, table.Schema().Equal(whole.Schema()), "%s", whole.Schema())
	require.Equal(t, want, values(whole))
	some, err := open(t, file, parquet.ReadOptions{}).Read(t.Context(), []int{4, 0})
	require.NoError(t, err)
	require.Equal(t, [][]string{want[4], want[0]}, values(some))
}

// TestReadDictionaries: text with few different values in the rows becomes dictionary columns, with the same dictionary
// in all chunks, text with many does not. The values are the same.
func TestReadDictionaries(t *testing.T) {
	table := sampleTable(t)
	read, err := open(t, write(t, table), parquet.ReadOptions{Dictionaries: true}).Read(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, values(table), values(read))
	require.Equal(t, arrow.DICTIONARY, read.Schema().Field(1).Type.ID())
	require.Equal(t, arrow.STRING, read.Schema().Field(2).Type.ID())
	chunks := read.Column(1).Data().Chunks()
	for _, c := range chunks {
		require.True(t, array.Equal(chunks[0].(*array.Dictionary).Dictionary(), c.(*array.Dictionary).Dictionary()))
	}
}

// TestBatches: whatever the size of a batch is, the batches have all rows in their order, none has rows of two row
// groups, and all memory is given back.
func TestBatches(t *testing.T) {
	table := sampleTable(t)
	file, want := write(t, table), values(table)
	for _, size := range []int64{1, 2000, 20_000, 1 << 30} {
		mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
		b := reader.NewBatches(open(t, file, parquet.ReadOptions{Allocator: mem, InBatches: true}).File, size)
		got, rows := readBatches(t, b)
		require.Equal(t, want, got, "batches of %d bytes", size)
		inGroup := int64(0)
		for _, n := range rows {
			inGroup += n
			require.LessOrEqual(t, inGroup, int64(groupRows))
			inGroup %= groupRows
		}
		require.InDelta(t, 1, b.Share(), 0)
		_, err := b.Next(t.Context())
		require.Equal(t, io.EOF, err, "after the end")
		b.Close()
		mem.AssertSize(t, 0)
	}
}

// TestBatchesOfSome: a part of the row groups, and some of the columns.
func TestBatchesOfSome(t *testing.T) {
	table := sampleTable(t)
	file, want := write(t, table), values(table)
	b := reader.NewBatches(open(t, file, parquet.ReadOptions{InBatches: true}).File, 1<<20)
	defer b.Close()
	b.SelectParts(1, 1)
	b.SelectColumns([]int{5, 2})
	got, rows := readBatches(t, b)
	require.Equal(t, [][]string{want[5][groupRows : 2*groupRows], want[2][groupRows : 2*groupRows]}, got)
	require.Equal(t, []int64{groupRows}, rows)
}

// TestBatchesClosedEarly give their memory back.
func TestBatchesClosedEarly(t *testing.T) {
	file := write(t, sampleTable(t))
	mem := arrowtest.Checked(t)
	b := reader.NewBatches(open(t, file, parquet.ReadOptions{Allocator: mem, InBatches: true}).File, 2000)
	batch, err := b.Next(t.Context())
	require.NoError(t, err)
	batch.Release()
	b.Close()
}

// TestCancelledRead ends with the reason, whole and in batches.
func TestCancelledRead(t *testing.T) {
	file := write(t, sampleTable(t))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := open(t, file, parquet.ReadOptions{}).Read(ctx, nil)
	require.ErrorIs(t, err, context.Canceled)
	b := reader.NewBatches(open(t, file, parquet.ReadOptions{InBatches: true}).File, 2000)
	defer b.Close()
	_, err = b.Next(ctx)
	require.ErrorIs(t, err, context.Canceled)
}

// TestEstimates: the bytes in memory of rows are found without reading them, text less exactly than numbers.
func TestEstimates(t *testing.T) {
	table := sampleTable(t)
	f := open(t, write(t, table), parquet.ReadOptions{})
	meta, rows := f.Template.Rows(), float64(table.NumRows())
	require.Equal(t, table.NumRows(), meta)
	require.Greater(t, float64(f.InMemory()), 8*rows, "the numbers alone")
	require.Less(t, float64(f.InMemory()), 200*rows)
	require.LessOrEqual(t, f.MemoryWithDictionaries(), f.InMemory())
}

// TestPageIndex: each data page of a leaf column with its first row, in a row group.
func TestPageIndex(t *testing.T) {
	f := open(t, write(t, sampleTable(t)), parquet.ReadOptions{})
	for group := range 3 {
		x, err := f.PageIndex(group, 0)
		require.NoError(t, err)
		for i, p := range x.Entries {
			require.Equal(t, i*64, p.Row)
			require.NotEmpty(t, p.Min)
		}
	}
	require.NoError(t, f.Verify(0, 0))
}
