//go:build capi

package ctest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/capi/internal/cdata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/rows"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// A randomTable is a table with its keys in the forms of Go and C.
type randomTable struct {
	arrow.Table
	keys  []arrowsort.Key
	keysC []Key
}

// newTable makes a table of up to four columns of any types, in up to three chunks, and keys of some that have an
// order.
func newTable(r *rand.Rand, mem memory.Allocator) randomTable {
	types := slices.DeleteFunc(arrowtest.Types(), func(typ arrow.DataType) bool {
		return strings.Contains(arraydata.Storage(typ).String(), "extension") // it comes back as its storage
	})
	chunks := make([]int, r.IntN(4))
	for i := range chunks {
		chunks[i] = r.IntN([]int{1, 3, 40, 300}[r.IntN(4)])
	}
	var t randomTable
	var fields []arrow.Field
	for i := range 1 + r.IntN(4) {
		typ := types[r.IntN(len(types))]
		if i == 0 { // one that has an order
			typ = []arrow.DataType{arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String, arrow.PrimitiveTypes.Float32,
				arrow.FixedWidthTypes.Boolean, arrow.BinaryTypes.StringView, &arrow.DictionaryType{
					IndexType: arrow.PrimitiveTypes.Uint16, ValueType: arrow.BinaryTypes.String}}[r.IntN(6)]
		}
		typ = arraydata.Storage(typ)
		fields = append(fields, arrow.Field{Name: fmt.Sprint("column ", i), Type: typ, Nullable: true})
		if i == 0 || r.IntN(3) == 0 && sortable(typ) {
			key, keyC := arrowsort.KeyAt(i), Key{Column: i}
			if r.IntN(2) == 0 {
				key, keyC = arrowsort.KeyOf(fields[i].Name), Key{Path: fields[i].Name}
			}
			if r.IntN(2) == 0 {
				key.Order, keyC.Descending = arrowsort.Descending, true
			}
			if r.IntN(2) == 0 {
				key.Nulls, keyC.NullsFirst = arrowsort.NullsAtStart, true
			}
			t.keys, t.keysC = append(t.keys, key), append(t.keysC, keyC)
		}
	}
	meta := arrow.NewMetadata([]string{"made by"}, []string{"a test"})
	schema := arrow.NewSchema(fields, &meta)
	var records []arrow.Record
	for _, n := range chunks {
		columns := make([]arrow.Array, len(fields))
		for i, f := range fields {
			columns[i] = arrowtest.RandomSlice(r, f.Type, n, r.IntN(10), float64(r.IntN(3))/3, mem)
			defer columns[i].Release()
		}
		records = append(records, array.NewRecord(schema, columns, int64(n)))
	}
	t.Table = array.NewTableFromRecords(schema, records)
	arraydata.Release(records)
	return t
}

func sortable(typ arrow.DataType) bool {
	_, err := rows.NewConverter(rows.Field{Type: typ})
	return err == nil
}

// exported is a stream of the table.
func exported(t *testing.T, table arrow.Table) *cdata.Stream {
	stream := new(cdata.Stream)
	require.NoError(t, cdata.Export(&records{array.NewTableReader(table, 0)}, stream))
	return stream
}

type records struct{ array.RecordReader }

func (r *records) Field() arrow.Field {
	return arrow.Field{Type: arrow.StructOf(r.Schema().Fields()...), Metadata: r.Schema().Metadata()}
}

func (r *records) Next() (arrow.ArrayData, error) {
	if !r.RecordReader.Next() {
		return nil, r.Err()
	}
	return cdata.RecordData(r.Record()), nil
}

// handle imports a table, and frees it at the end of the test.
func handle(t *testing.T, table arrow.Table) uint64 {
	data, err := ImportStream(exported(t, table))
	require.NoError(t, err)
	t.Cleanup(func() { Free(data) })
	return data
}

// chunksOf reads the data of a handle, which it frees.
func chunksOf(t *testing.T, data uint64) (field arrow.Field, chunks []arrow.Array) {
	stream := new(cdata.Stream)
	require.NoError(t, ExportStream(data, stream))
	Free(data) // the stream holds the data
	return read(t, stream)
}

// read reads a stream to its end. Cleanup releases what it read.
func read(t *testing.T, stream *cdata.Stream) (field arrow.Field, chunks []arrow.Array) {
	reader, err := cdata.Import(stream)
	require.NoError(t, err)
	defer reader.Release()
	for {
		next, err := reader.Next()
		require.NoError(t, err)
		if next == nil {
			return reader.Field(), chunks
		}
		chunks = append(chunks, array.MakeFromData(next))
		next.Release()
		t.Cleanup(chunks[len(chunks)-1].Release)
	}
}

func valuesOf(chunks []arrow.Array) (values []string) {
	for _, chunk := range chunks {
		for i := range chunk.Len() {
			values = append(values, arrowtest.Value(chunk, i))
		}
	}
	return values
}

// requireTable requires that the data of a handle are a table of Go.
func requireTable(t *testing.T, want arrow.Table, data uint64, err error) {
	require.NoError(t, err)
	field, got := chunksOf(t, data)
	requireRows(t, want, field, got)
}

func requireRows(t *testing.T, want arrow.Table, field arrow.Field, got []arrow.Array) {
	wantType := arrow.StructOf(want.Schema().Fields()...)
	require.True(t, arrow.TypeEqual(wantType, field.Type, arrow.CheckMetadata()), "%s, not %s", field.Type, wantType)
	require.True(t, want.Schema().Metadata().Equal(field.Metadata))
	reader := array.NewTableReader(want, 0)
	defer reader.Release()
	var wanted []string
	for reader.Next() {
		structs := array.RecordToStructArray(reader.Record())
		wanted = append(wanted, valuesOf([]arrow.Array{structs})...)
		structs.Release()
	}
	require.Equal(t, wanted, valuesOf(got))
}

// requireColumn requires that the data of a handle are an array of Go, which it releases.
func requireColumn(t *testing.T, want arrow.Array, data uint64, err error) {
	defer want.Release()
	require.NoError(t, err)
	field, got := chunksOf(t, data)
	require.True(t, arrow.TypeEqual(want.DataType(), field.Type), "%s", field.Type)
	require.Equal(t, valuesOf([]arrow.Array{want}), valuesOf(got))
}

// TestRandomTablesThroughC compares the functions of C with those of Go. Nothing is left in memory.
func TestRandomTablesThroughC(t *testing.T) {
	before := Allocated()
	for i := range testrun.Count(5000, 300) {
		seed := testrun.Seed() + uint64(i)
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 0))
			mem := arrowtest.Checked(t)
			table := newTable(r, mem)
			t.Cleanup(table.Release)
			data := handle(t, table.Table)
			compareSorts(t, r, table, data)
			compareOthers(t, r, table, data)
		})
		require.Equal(t, before, Allocated(), "seed %d", seed)
	}
}

func compareSorts(t *testing.T, r *rand.Rand, table randomTable, data uint64) {
	ctx := context.Background()
	o := Options{Threads: r.IntN(3), Limit: int64(r.IntN(2) * r.IntN(50))}
	opts := arrowsort.Options{Threads: o.Threads, Limit: int(o.Limit)}
	sorted, err := arrowsort.Sort[arrow.Table](ctx, table, table.keys, opts)
	require.NoError(t, err)
	defer sorted.Release()
	got, err := Sort(data, table.keysC, o)
	requireTable(t, sorted, got, err)

	indices, err := arrowsort.SortIndices(ctx, table, table.keys, opts)
	require.NoError(t, err)
	rowNumbers, err := SortIndices(data, table.keysC, 64, o)
	require.NoError(t, err)
	taken, err := Take(data, rowNumbers, Options{})
	requireTable(t, sorted, taken, err)
	requireColumn(t, indices, rowNumbers, nil)
	indices32, err := arrowsort.SortIndices32(ctx, table, table.keys, opts)
	require.NoError(t, err)
	got, err = SortIndices(data, table.keysC, 32, o)
	requireColumn(t, indices32, got, err)

	all, err := arrowsort.Sort[arrow.Table](ctx, table, table.keys, arrowsort.Options{})
	require.NoError(t, err)
	defer all.Release()
	inOrder := handle(t, all)
	borders, err := arrowsort.Groups(ctx, all, table.keys, arrowsort.Options{})
	require.NoError(t, err)
	got, err = Groups(inOrder, table.keysC, Options{})
	requireColumn(t, borders, got, err)
	row, err := IsSorted(inOrder, table.keysC, Options{})
	require.NoError(t, err)
	require.Equal(t, int64(-1), row)

	merged, err := arrowsort.Merge(ctx, []arrow.Table{all, all}, table.keys, opts)
	require.NoError(t, err)
	defer merged.Release()
	got, err = Merge([]uint64{inOrder, inOrder}, table.keysC, o)
	requireTable(t, merged, got, err)
	var stream cdata.Stream
	o.BatchRows = int64(r.IntN(20))
	require.NoError(t, MergeStreams([]*cdata.Stream{exported(t, all), exported(t, all)}, table.keysC, o, &stream))
	field, chunks := read(t, &stream)
	requireRows(t, merged, field, chunks)
}

func compareOthers(t *testing.T, r *rand.Rand, table randomTable, data uint64) {
	ctx := context.Background()
	n, err := Rows(data)
	require.NoError(t, err)
	require.Equal(t, table.NumRows(), n)
	n, err = Columns(data)
	require.NoError(t, err)
	require.Equal(t, table.NumCols(), n)
	require.NoError(t, Validate(data))

	ties := r.IntN(4)
	ranks, err := arrowsort.Rank(ctx, table, table.keys, arrowsort.TieBreaker(ties), arrowsort.Options{})
	require.NoError(t, err)
	got, err := Rank(data, table.keysC, ties, Options{})
	requireColumn(t, ranks, got, err)
	average, err := arrowsort.RankAverage(ctx, table, table.keys, arrowsort.Options{})
	require.NoError(t, err)
	got, err = Rank(data, table.keysC, 4, Options{})
	requireColumn(t, average, got, err)

	plan, err := arrowsort.Explain(ctx, table, table.keys, arrowsort.Options{})
	require.NoError(t, err)
	want, err := plan.MarshalJSON()
	require.NoError(t, err)
	text, err := Explain(data, table.keysC, Options{})
	require.NoError(t, err)
	require.JSONEq(t, string(want), text)

	converter, err := rows.ForKeys(table.Schema(), table.keys)
	require.NoError(t, err)
	encoded, err := converter.Encode(ctx, table.Table, rows.Options{})
	require.NoError(t, err)
	defer encoded.Release()
	rowsC, err := EncodeRows(data, table.keysC, Options{})
	require.NoError(t, err)
	decoded, err := converter.Decode(ctx, encoded, rows.Options{})
	require.NoError(t, err)
	defer decoded.Release()
	wanted := array.NewTableFromRecords(decoded.Schema(), []arrow.Record{decoded})
	defer wanted.Release()
	got, err = DecodeRows(rowsC, data, table.keysC, Options{})
	requireTable(t, wanted, got, err)
	_, chunks := chunksOf(t, rowsC)
	for i := range encoded.Len() {
		require.Equal(t, encoded.Row(i), chunks[0].(*array.LargeBinary).Value(i))
	}
}
