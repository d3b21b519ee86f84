package arrow18_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	v15 "github.com/apache/arrow/go/v15/arrow"
	array15 "github.com/apache/arrow/go/v15/arrow/array"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/arrow18"
	convert "github.com/arrowsort/arrowsort/arrowsort/internal/arrow18"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
)

// The functions around a sort, for data in any order: that it is in none is no error here.
var callsAround = []call{
	{"Rank", func(ctx context.Context, data arrow18.Data, keys []arrowsort.Key, opts arrow18.Options) error {
		return released(arrow18.Rank(ctx, data, keys, arrowsort.TiesMin, opts))
	}},
	{"RankAverage", func(ctx context.Context, data arrow18.Data, keys []arrowsort.Key, opts arrow18.Options) error {
		return released(arrow18.RankAverage(ctx, data, keys, opts))
	}},
	{"Groups", func(ctx context.Context, data arrow18.Data, keys []arrowsort.Key, opts arrow18.Options) error {
		return inAnyOrder(released(arrow18.Groups(ctx, data, keys, opts)))
	}},
	{"PartitionNth", func(ctx context.Context, data arrow18.Data, keys []arrowsort.Key, opts arrow18.Options) error {
		return released(arrow18.PartitionNth(ctx, data, keys, 0, opts))
	}},
	{"SelectKPerGroup", func(ctx context.Context, data arrow18.Data, keys []arrowsort.Key,
		opts arrow18.Options) error {
		if _, ok := data.(arrow.Array); ok && keys == nil {
			keys = []arrowsort.Key{{}}
		}
		return released(arrow18.SelectKPerGroup(ctx, data, keys, nil, 1, opts))
	}},
	{"SearchSorted", func(ctx context.Context, data arrow18.Data, keys []arrowsort.Key, opts arrow18.Options) error {
		values := firstColumns(data, len(keys))
		defer values.Release()
		return inAnyOrder(released(arrow18.SearchSorted(ctx, data, values, keys, arrowsort.Right, opts)))
	}},
	{"Merge", func(ctx context.Context, data arrow18.Data, keys []arrowsort.Key, opts arrow18.Options) error {
		return inAnyOrder(released(arrow18.Merge(ctx, []arrow18.Data{data, data}, keys, opts)))
	}},
}

func inAnyOrder(err error) error {
	if errors.Is(err, arrowsort.ErrUnsorted) {
		return nil
	}
	return err
}

// firstColumns returns the first columns of data, as its rows in the keys are.
func firstColumns(data arrow18.Data, n int) arrow18.Data {
	switch d := data.(type) {
	case arrow.RecordBatch:
		fields := d.Schema().Fields()[:n]
		return array.NewRecordBatch(arrow.NewSchema(fields, nil), d.Columns()[:n], d.NumRows())
	case arrow.Table:
		columns := make([]arrow.Column, n)
		for i := range columns {
			columns[i] = *d.Column(i)
		}
		return array.NewTable(arrow.NewSchema(d.Schema().Fields()[:n], nil), columns, d.NumRows())
	case nil, *array.Data:
		return array.NewNull(1)
	}
	data.Retain()
	return data
}

// firstColumns15 returns the same columns of the core.
func firstColumns15(data arrowsort.Data, n int) arrowsort.Data {
	switch d := data.(type) {
	case v15.Record:
		return array15.NewRecord(v15.NewSchema(d.Schema().Fields()[:n], nil), d.Columns()[:n], d.NumRows())
	case v15.Table:
		columns := make([]v15.Column, n)
		for i := range columns {
			columns[i] = *d.Column(i)
		}
		return array15.NewTable(v15.NewSchema(d.Schema().Fields()[:n], nil), columns, d.NumRows())
	}
	data.Retain()
	return data
}

// requireSameAround compares the functions around a sort with those of the core.
func requireSameAround(t *testing.T, r *rand.Rand, tbl *table, sorted arrow18.Data, sortedOld arrowsort.Data,
	opts arrow18.Options, old arrowsort.Options,
) {
	ctx, n := t.Context(), len(tbl.keys)
	same := func(want *array15.Uint64, wantErr error) func(got *array.Uint64, err error) {
		return func(got *array.Uint64, err error) {
			require.NoError(t, errors.Join(wantErr, err), tbl.text)
			require.Equal(t, append([]uint64{}, want.Uint64Values()...), append([]uint64{}, got.Uint64Values()...),
				tbl.text)
			want.Release()
			got.Release()
		}
	}
	ties := arrowsort.TieBreaker(r.IntN(4))
	same(arrowsort.Rank(ctx, tbl.old, tbl.keys, ties, old))(arrow18.Rank(ctx, tbl.data, tbl.keys, ties, opts))
	nth := r.IntN(min(tbl.rows, max(opts.Limit, 1)) + 1)
	if nth > 0 {
		nth--
	}
	same(arrowsort.PartitionNth(ctx, tbl.old, tbl.keys, nth, old))(
		arrow18.PartitionNth(ctx, tbl.data, tbl.keys, nth, opts))
	k := 1 + r.IntN(3)
	same(arrowsort.SelectKPerGroup(ctx, tbl.old, tbl.keys[:1], tbl.keys[1:], k, old))(
		arrow18.SelectKPerGroup(ctx, tbl.data, tbl.keys[:1], tbl.keys[1:], k, opts))
	requireSameCurve(t, r, tbl, opts, old)
	same(arrowsort.Groups(ctx, sortedOld, tbl.keys, old))(arrow18.Groups(ctx, sorted, tbl.keys, opts))

	values, valuesOld := firstColumns(tbl.data, n), firstColumns15(tbl.old, n)
	side := arrowsort.Side(r.IntN(2))
	same(arrowsort.SearchSorted(ctx, sortedOld, valuesOld, tbl.keys, side, old))(
		arrow18.SearchSorted(ctx, sorted, values, tbl.keys, side, opts))
	values.Release()
	valuesOld.Release()

	want, err := arrowsort.RankAverage(ctx, tbl.old, tbl.keys, old)
	require.NoError(t, err, tbl.text)
	defer want.Release()
	got, err := arrow18.RankAverage(ctx, tbl.data, tbl.keys, opts)
	require.NoError(t, err, tbl.text)
	defer got.Release()
	require.Equal(t, append([]float64{}, want.Float64Values()...), append([]float64{}, got.Float64Values()...),
		tbl.text)
	requireSameMerge(t, r, tbl, sorted, sortedOld, opts, old)
}

// requireSameCurve compares the places on a curve, or the error of keys that a curve cannot have.
func requireSameCurve(t *testing.T, r *rand.Rand, tbl *table, opts arrow18.Options, old arrowsort.Options) {
	c := []arrowsort.Curve{arrowsort.Hilbert, arrowsort.ZOrder}[r.IntN(2)]
	want, wantErr := arrowsort.CurveIndex(t.Context(), tbl.old, tbl.keys, c, old)
	got, err := arrow18.CurveIndex(t.Context(), tbl.data, tbl.keys, c, opts)
	if wantErr != nil {
		for _, kind := range []error{arrowsort.ErrOption, arrowsort.ErrKeyType} {
			require.Equal(t, errors.Is(wantErr, kind), errors.Is(err, kind), tbl.text)
		}
		if !errors.Is(err, arrowsort.ErrKeyType) { // which names a type, as its version writes it
			require.ErrorContains(t, err, wantErr.Error(), tbl.text)
		}
		return
	}
	require.NoError(t, err, tbl.text)
	require.Equal(t, append([]uint64{}, want.Uint64Values()...), append([]uint64{}, got.Uint64Values()...), tbl.text)
	want.Release()
	got.Release()
}

// requireSameMerge merges random parts of sorted data.
func requireSameMerge(t *testing.T, r *rand.Rand, tbl *table, sorted arrow18.Data, sortedOld arrowsort.Data,
	opts arrow18.Options, old arrowsort.Options,
) {
	ctx, all := t.Context(), opts
	all.Limit = 0
	parts, partsOld := make([]arrow18.Data, 1+r.IntN(3)), []arrowsort.Data{}
	rows := chunksOf(sorted)
	length := 0
	for _, c := range rows[0] {
		length += c.Len()
	}
	chosen := make([][]uint64, len(parts))
	for row := range length {
		part := r.IntN(len(parts))
		chosen[part] = append(chosen[part], uint64(row))
	}
	for i, numbers := range chosen {
		b := array.NewUint64Builder(all.Allocator)
		b.AppendValues(numbers, nil)
		list := b.NewArray()
		b.Release()
		var err error
		parts[i], err = arrow18.Take(ctx, sorted, list, all)
		require.NoError(t, err, tbl.text)
		defer parts[i].Release()
		list15 := convert.FromArray(list, v15.PrimitiveTypes.Uint64)
		partOld, err := arrowsort.Take(ctx, sortedOld, list15, arrowsort.Options{Allocator: all.Allocator})
		require.NoError(t, err, tbl.text)
		defer partOld.Release()
		partsOld = append(partsOld, partOld)
		list15.Release()
		list.Release()
	}
	merged, err := arrow18.Merge(ctx, parts, tbl.keys, opts)
	mergedOld, errOld := arrowsort.Merge(ctx, partsOld, tbl.keys, old)
	if errOld != nil { // too many entries of dictionaries
		require.EqualError(t, err, errOld.Error(), tbl.text)
		return
	}
	require.NoError(t, err, tbl.text)
	defer merged.Release()
	defer mergedOld.Release()
	requireSameColumns(t, tbl, mergedOld, merged)
	if first, ok := parts[0].(arrow.RecordBatch); ok {
		require.Same(t, first.Schema(), merged.(arrow.RecordBatch).Schema())
		requireSameStream(t, r, tbl, parts, merged.(arrow.RecordBatch), opts)
	}
}

// requireSameStream merges the parts as streams of small records.
func requireSameStream(t *testing.T, r *rand.Rand, tbl *table, parts []arrow18.Data, want arrow.RecordBatch,
	opts arrow18.Options,
) {
	readers := make([]array.RecordReader, len(parts))
	for i, part := range parts {
		readers[i] = readerOf(t, part.(arrow.RecordBatch), 1+r.Int64N(9))
		defer readers[i].Release()
	}
	opts.BatchRows = 1 + r.IntN(20)
	merged, err := arrow18.MergeReaders(t.Context(), readers, tbl.keys, opts)
	require.NoError(t, err, tbl.text)
	defer merged.Release()
	require.Same(t, readers[0].Schema(), merged.Schema())
	at := int64(0)
	for merged.Next() {
		rec := merged.RecordBatch()
		require.LessOrEqual(t, rec.NumRows(), int64(opts.BatchRows))
		piece := want.NewSlice(at, at+rec.NumRows())
		require.True(t, array.RecordEqual(piece, rec), "%s\n%v\n%v", tbl.text, piece, rec)
		piece.Release()
		at += rec.NumRows()
	}
	require.NoError(t, merged.Err(), tbl.text)
	require.Equal(t, want.NumRows(), at)
}

// readerOf reads a record in pieces of some rows.
func readerOf(t testing.TB, rec arrow.RecordBatch, rows int64) array.RecordReader {
	var pieces []arrow.RecordBatch
	if rows >= rec.NumRows() {
		pieces = []arrow.RecordBatch{rec}
	}
	for at := int64(0); at < rec.NumRows() && rows < rec.NumRows(); at += rows {
		piece := rec.NewSlice(at, min(at+rows, rec.NumRows()))
		defer piece.Release()
		pieces = append(pieces, piece)
	}
	reader, err := array.NewRecordReader(rec.Schema(), pieces)
	require.NoError(t, err)
	return reader
}

// Inputs of other fields are refused, with the names of the types of v18, and so are inputs that are not in order.
func TestInputsThatDoNotMerge(t *testing.T) {
	mem := arrowtest.Checked(t)
	price := &arrow.Decimal32Type{Precision: 5, Scale: 1}
	rec := record(t, []string{"a"}, fromJSON(t, mem, price, `["1.0", "2.5"]`))
	other := record(t, []string{"a"}, fromJSON(t, mem, &arrow.Decimal32Type{Precision: 6, Scale: 1}, `["1.0"]`))
	field := rec.Schema().Field(0)
	field.Nullable = false
	strict := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{field}, nil), rec.Columns(), 2)
	defer strict.Release()
	down := []arrowsort.Key{{Path: "a", Order: arrowsort.Descending}}
	future := foreignArray{rec.Column(0), &novel{}}
	later := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "x", Type: future.typ}}, nil),
		[]arrow.Array{future}, 2)
	defer later.Release()
	for _, test := range []struct {
		inputs []arrow.RecordBatch
		keys   []arrowsort.Key
		is     error
		text   string
	}{
		{nil, down, arrowsort.ErrOption, "merge"},
		{[]arrow.RecordBatch{rec, rec}, down, arrowsort.ErrUnsorted, "row 1"},
		{[]arrow.RecordBatch{rec, other}, by("a"), arrowsort.ErrSchema, "input 1"},
		{[]arrow.RecordBatch{rec, other}, by("a"), arrow.ErrType, "decimal32(6, 1)"},
		{[]arrow.RecordBatch{rec, strict}, by("a"), arrowsort.ErrSchema, "nullable"},
		{[]arrow.RecordBatch{rec, later}, by("a"), arrow.ErrNotImplemented, "input 1"},
		{[]arrow.RecordBatch{rec}, by("b"), arrowsort.ErrColumn, `"b"`},
	} {
		_, err := arrow18.Merge(t.Context(), test.inputs, test.keys, arrow18.Options{Allocator: mem})
		require.ErrorIs(t, err, test.is)
		require.ErrorContains(t, err, test.text)
		var readers []array.RecordReader
		for _, rec := range test.inputs {
			readers = append(readers, readerOf(t, rec, 2))
			defer readers[len(readers)-1].Release()
		}
		merged, err := arrow18.MergeReaders(t.Context(), readers, test.keys, arrow18.Options{Allocator: mem})
		if err == nil {
			require.False(t, merged.Next())
			err = merged.Err()
			merged.Release()
		}
		require.ErrorIs(t, err, test.is)
		require.ErrorContains(t, err, test.text)
	}
	_, err := arrow18.MergeReaders(t.Context(), []array.RecordReader{nil}, down, arrow18.Options{})
	require.ErrorIs(t, err, arrowsort.ErrOption)
	_, err = arrow18.SearchSorted(t.Context(), rec, other, by("a"), arrowsort.Left, arrow18.Options{})
	require.ErrorIs(t, err, arrowsort.ErrSchema)
	require.ErrorContains(t, err, "decimal32(6, 1)")
	_, err = arrow18.SearchSorted(t.Context(), rec, later, by("a"), arrowsort.Left, arrow18.Options{})
	require.ErrorContains(t, err, "the values")
	_, err = arrow18.SearchSorted(t.Context(), rec, nil, by("a"), arrowsort.Left, arrow18.Options{})
	require.ErrorIs(t, err, arrowsort.ErrOption)
}

// A stream that is left early, fails or is cancelled holds nothing, once it is released.
func TestStreamsThatAreNotReadToTheirEnd(t *testing.T) {
	mem := arrowtest.Checked(t)
	b := array.NewInt64Builder(mem)
	defer b.Release()
	for i := range 5000 {
		b.Append(int64(i))
	}
	numbers := b.NewArray()
	defer numbers.Release()
	rec := record(t, []string{"n"}, numbers)
	lost := errors.New("the connection is lost")
	for _, end := range []string{"left", "cancelled", "failed"} {
		ctx, cancel := context.WithCancel(t.Context())
		first, second := readerOf(t, rec, 700), failing{readerOf(t, rec, 700), new(int), lost}
		merged, err := arrow18.MergeReaders(ctx, []array.RecordReader{first, second}, by("n"),
			arrow18.Options{BatchRows: 100, Allocator: mem})
		require.NoError(t, err)
		first.Release()
		second.Release()
		merged.Retain()
		require.True(t, merged.Next())
		kept := merged.RecordBatch()
		kept.Retain()
		switch end {
		case "cancelled":
			cancel()
			require.False(t, merged.Next())
			require.ErrorIs(t, merged.Err(), context.Canceled)
		case "failed":
			for merged.Next() {
			}
			require.ErrorIs(t, merged.Err(), lost)
			require.ErrorContains(t, merged.Err(), "input 1")
		}
		merged.Release()
		merged.Release()
		require.EqualValues(t, 0, kept.Column(0).(*array.Int64).Value(1))
		kept.Release()
		cancel()
	}
}

// failing is a reader whose fourth record cannot be read.
type failing struct {
	array.RecordReader
	read *int
	err  error
}

func (f failing) Next() bool {
	*f.read++
	return *f.read < 4 && f.RecordReader.Next()
}

func (f failing) Err() error {
	if *f.read >= 4 {
		return f.err
	}
	return nil
}

// The records of a stream whose dictionaries do not change share one.
func TestStreamsOfDictionaries(t *testing.T) {
	mem := arrowtest.Checked(t)
	typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	schema := arrow.NewSchema([]arrow.Field{{Name: "d", Type: typ, Nullable: true}}, nil)
	var readers []array.RecordReader
	for _, text := range []string{`[{"d": "ash"}, {"d": "fir"}, {"d": null}]`, `[{"d": "elm"}, {"d": "fir"}]`} {
		rec, _, err := array.RecordFromJSON(mem, schema, strings.NewReader(text))
		require.NoError(t, err)
		readers = append(readers, readerOf(t, rec, 2))
		rec.Release()
		defer readers[len(readers)-1].Release()
	}
	merged, err := arrow18.MergeReaders(t.Context(), readers, by("d"), arrow18.Options{BatchRows: 2, Allocator: mem})
	require.NoError(t, err)
	defer merged.Release()
	var words []string
	for merged.Next() {
		for i := range int(merged.RecordBatch().NumRows()) {
			words = append(words, merged.RecordBatch().Column(0).ValueStr(i))
		}
	}
	require.NoError(t, merged.Err())
	require.Equal(t, []string{"ash", "elm", "fir", "fir", "(null)"}, words)
}
