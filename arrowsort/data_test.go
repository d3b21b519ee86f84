package arrowsort_test

import (
	"bytes"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
)

func TestSchemaAndMetadataAreKept(t *testing.T) {
	mem := arrowtest.Checked(t)
	meta := arrow.NewMetadata([]string{"origin"}, []string{"here"})
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "a", Type: arrow.PrimitiveTypes.Int32, Metadata: meta},
		{Name: "a", Type: arrow.PrimitiveTypes.Int32, Nullable: true},
	}, &meta)
	a := fromJSON(t, mem, arrow.PrimitiveTypes.Int32, `[2, 1]`)
	rec := array.NewRecord(schema, []arrow.Array{a, a}, 2)
	defer rec.Release()
	sorted, err := arrowsort.Sort(
		t.Context(), arrow.Record(rec), []arrowsort.Key{{At: arrowsort.Column(1)}}, arrowsort.Options{Allocator: mem},
	)
	require.NoError(t, err)
	require.True(t, sorted.Schema().Equal(schema))
	require.True(t, sorted.Schema().Metadata().Equal(meta))
	require.False(t, sorted.Schema().Field(0).Nullable)
	sorted.Release()

	tbl := array.NewTableFromRecords(schema, []arrow.Record{rec, rec})
	defer tbl.Release()
	sortedTable, err := arrowsort.Sort(
		t.Context(), tbl, []arrowsort.Key{arrowsort.KeyAt(1)}, arrowsort.Options{Allocator: mem},
	)
	require.NoError(t, err)
	require.True(t, sortedTable.Schema().Metadata().Equal(meta))
	require.EqualValues(t, 4, sortedTable.NumRows())
	sortedTable.Release()
}

func TestZeroRowsColumnsAndChunks(t *testing.T) {
	mem := arrowtest.Checked(t)
	opts := arrowsort.Options{Allocator: mem}
	for _, typ := range arrowtest.Types() {
		none := arrow.NewChunked(typ, nil)
		col := arrow.NewColumn(arrow.Field{Name: "v", Type: typ}, none)
		key := arrow.NewColumn(
			arrow.Field{Name: "k", Type: arrow.PrimitiveTypes.Int8}, arrow.NewChunked(arrow.PrimitiveTypes.Int8, nil),
		)
		tbl := array.NewTable(
			arrow.NewSchema([]arrow.Field{col.Field(), key.Field()}, nil), []arrow.Column{*col, *key}, 0,
		)
		sorted, err := arrowsort.Sort(t.Context(), arrow.Table(tbl), []arrowsort.Key{{Path: "k"}}, opts)
		require.NoError(t, err, "%s", typ)
		require.EqualValues(t, 0, sorted.NumRows(), "%s", typ)
		roundTrip(t, mem, sorted)
		sorted.Release()
		taken, err := arrowsort.Take(t.Context(), none, fromJSON(t, mem, arrow.PrimitiveTypes.Int8, `[]`), opts)
		require.NoError(t, err, "%s", typ)
		require.Zero(t, taken.Len())
		taken.Release()
	}
	require.Empty(t, indices(t, mem, chunked(t, arrow.PrimitiveTypes.Int8), nil))

	bare := array.NewRecord(arrow.NewSchema(nil, nil), nil, 5)
	defer bare.Release()
	taken, err := arrowsort.Take(t.Context(), bare, fromJSON(t, mem, arrow.PrimitiveTypes.Int8, `[4, 4]`), opts)
	require.NoError(t, err)
	require.EqualValues(t, 2, taken.NumRows())
	taken.Release()
}

// roundTrip writes a table as an IPC stream, which reads all buffers.
func roundTrip(t *testing.T, mem memory.Allocator, tbl arrow.Table) {
	for i := range int(tbl.NumCols()) {
		if !hasIPC(tbl.Column(i).DataType()) {
			return
		}
	}
	reader := array.NewTableReader(tbl, 0)
	defer reader.Release()
	var out bytes.Buffer
	w := ipc.NewWriter(&out, ipc.WithSchema(tbl.Schema()), ipc.WithAllocator(mem))
	for reader.Next() {
		require.NoError(t, w.Write(reader.Record()))
	}
	require.NoError(t, w.Close())
}

// hasIPC is false for what the IPC writer of arrow/go v15 cannot write.
func hasIPC(typ arrow.DataType) bool {
	switch typ.ID() {
	case arrow.EXTENSION, arrow.DICTIONARY:
		return false
	}
	if nested, ok := typ.(arrow.NestedType); ok {
		for _, f := range nested.Fields() {
			if !hasIPC(f.Type) {
				return false
			}
		}
	}
	return true
}

// TestColumnsLongerThanTheData reads only the rows of a record, whose columns may have more.
func TestColumnsLongerThanTheData(t *testing.T) {
	mem := arrowtest.Checked(t)
	a := fromJSON(t, mem, arrow.PrimitiveTypes.Int32, `[3, 1, 2, 0]`)
	rec := array.NewRecord(arrow.NewSchema([]arrow.Field{i32Field("a")}, nil), []arrow.Array{a}, 3)
	defer rec.Release()
	require.Equal(t, []uint64{1, 2, 0}, indices(t, mem, rec, []arrowsort.Key{{Path: "a"}}))
	sorted, err := arrowsort.Sort(
		t.Context(), arrow.Record(rec), []arrowsort.Key{{Path: "a"}}, arrowsort.Options{Allocator: mem},
	)
	require.NoError(t, err)
	defer sorted.Release()
	require.Equal(t, []int32{1, 2, 3}, sorted.Column(0).(*array.Int32).Int32Values())
}

// TestOddBuffers sorts arrays as other programs may make them: null counts unknown or zero beside a bitmap, and no
// buffers where there are no values.
func TestOddBuffers(t *testing.T) {
	mem := arrowtest.Checked(t)
	values := memory.NewBufferBytes(arrow.Int32Traits.CastToBytes([]int32{9, 3, 1, 2}))
	all := memory.NewBufferBytes([]byte{0xff})
	some := memory.NewBufferBytes([]byte{0b1101})
	i32 := arrow.PrimitiveTypes.Int32
	for _, c := range []struct {
		typ     arrow.DataType
		buffers []*memory.Buffer
		nulls   int
		offset  int
		want    []uint64
	}{
		{i32, []*memory.Buffer{all, values}, 0, 1, []uint64{1, 2, 0}},
		{i32, []*memory.Buffer{all, values}, array.UnknownNullCount, 1, []uint64{1, 2, 0}},
		{i32, []*memory.Buffer{some, values}, array.UnknownNullCount, 1, []uint64{1, 2, 0}},
		{i32, []*memory.Buffer{some, values}, 1, 1, []uint64{1, 2, 0}},
		{i32, []*memory.Buffer{memory.NewBufferBytes([]byte{0}), nil}, 3, 0, []uint64{0, 1, 2}},
		{arrow.FixedWidthTypes.Boolean, []*memory.Buffer{memory.NewBufferBytes([]byte{0}), nil}, 3, 5, []uint64{0, 1,
			2}},
		{arrow.BinaryTypes.StringView, []*memory.Buffer{memory.NewBufferBytes([]byte{0}), nil}, 3, 0, []uint64{0, 1,
			2}},
		{&arrow.FixedSizeBinaryType{ByteWidth: 0}, []*memory.Buffer{memory.NewBufferBytes([]byte{0b101}), nil}, 1, 0,
			[]uint64{0, 2, 1}},
		{arrow.BinaryTypes.String, []*memory.Buffer{nil, memory.NewBufferBytes(make([]byte, 16)), nil}, 0, 0,
			[]uint64{0, 1, 2}},
	} {
		data := array.NewData(c.typ, 3, c.buffers, nil, c.nulls, c.offset)
		a := array.MakeFromData(data)
		data.Release()
		require.Equal(t, c.want, indices(t, mem, a, nil), "%s", c.typ)
		sorted, err := arrowsort.Sort(t.Context(), a, nil, arrowsort.Options{Allocator: mem})
		require.NoError(t, err, "%s", c.typ)
		require.Equal(t, 3, sorted.Len())
		require.Equal(t, a.NullN(), sorted.NullN(), "%s", c.typ)
		sorted.Release()
		a.Release()
	}
}

func TestUnsupportedData(t *testing.T) {
	mem := arrowtest.Checked(t)
	a := fromJSON(t, mem, arrow.PrimitiveTypes.Int32, `[1]`)
	_, err := arrowsort.SortIndices(t.Context(), nil, nil, arrowsort.Options{Allocator: mem})
	require.ErrorIs(t, err, arrowsort.ErrOption)
	_, err = arrowsort.SortIndices(t.Context(), a.Data(), nil, arrowsort.Options{Allocator: mem})
	require.EqualError(
		t, err,
		"arrowsort: invalid argument: data of type *array.Data is not an "+
			"arrow.Record, arrow.Table, arrow.Array or *arrow.Chunked",
	)
}
