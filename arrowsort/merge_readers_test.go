package arrowsort_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
)

// A stream reads records, and then fails or ends. It counts references and records.
type stream struct {
	schema  *arrow.Schema
	records []arrow.Record
	fails   error
	refs    int
	read    int
	before  func() // each record
}

func (s *stream) Retain()               { s.refs++ }
func (s *stream) Release()              { s.refs-- }
func (s *stream) Schema() *arrow.Schema { return s.schema }
func (s *stream) Record() arrow.Record  { return s.records[s.read-1] }

func (s *stream) Next() bool {
	if s.before != nil {
		s.before()
	}
	if s.read == len(s.records) {
		return false
	}
	s.read++
	return true
}

func (s *stream) Err() error {
	if s.read == len(s.records) {
		return s.fails
	}
	return nil
}

// streamOf reads a record in pieces of some rows.
func streamOf(t *testing.T, rec arrow.Record, rows int64) *stream {
	s := &stream{schema: rec.Schema(), refs: 1}
	for at := int64(0); at < rec.NumRows(); at += rows {
		piece := rec.NewSlice(at, min(at+rows, rec.NumRows()))
		t.Cleanup(piece.Release)
		s.records = append(s.records, piece)
	}
	return s
}

// readAll reads the merged stream of some records, in pieces of 7 rows.
func readAll(ctx context.Context, parts []arrow.Record, keys []arrowsort.Key, opts arrowsort.Options) error {
	var readers []array.RecordReader
	for _, part := range parts {
		var pieces []arrow.Record
		for at := int64(0); at < part.NumRows(); at += 7 {
			piece := part.NewSlice(at, min(at+7, part.NumRows()))
			defer piece.Release()
			pieces = append(pieces, piece)
		}
		reader, err := array.NewRecordReader(part.Schema(), pieces)
		if err != nil {
			return err
		}
		defer reader.Release()
		readers = append(readers, reader)
	}
	opts.BatchRows = 20
	merged, err := arrowsort.MergeReaders(ctx, readers, keys, opts)
	if err != nil {
		return err
	}
	defer merged.Release()
	for merged.Next() {
	}
	return merged.Err()
}

func byKey() []arrowsort.Key { return []arrowsort.Key{{Path: "key"}} }

// TestMergeReadersIsStable has ties that end one record and begin the next, in both inputs.
func TestMergeReadersIsStable(t *testing.T) {
	mem := arrowtest.Checked(t)
	a := streamOf(t, pairs(t, mem, `["a", "c", "c", "c"]`, `[10, 11, 12, 13]`), 2)
	b := streamOf(t, pairs(t, mem, `["b", "c", "c", "d"]`, `[20, 21, 22, 23]`), 2)
	merged, err := arrowsort.MergeReaders(t.Context(), []array.RecordReader{a, b}, byKey(),
		arrowsort.Options{BatchRows: 2, Allocator: mem})
	require.NoError(t, err)
	var from []int8
	for merged.Next() {
		require.LessOrEqual(t, merged.Record().NumRows(), int64(2))
		from = append(from, merged.Record().Column(1).(*array.Int8).Int8Values()...)
	}
	require.NoError(t, merged.Err())
	require.Equal(t, []int8{10, 20, 11, 12, 13, 21, 22, 23}, from)
	require.Equal(t, 2, a.refs)
	merged.Retain()
	merged.Release()
	require.Equal(t, 2, a.refs)
	merged.Release()
	require.Equal(t, 1, a.refs)
	require.Equal(t, 1, b.refs)
}

// TestMergeReadersReadsAsItGoes: a merged record needs a batch of rows of the inputs, not all.
func TestMergeReadersReadsAsItGoes(t *testing.T) {
	mem := arrowtest.Checked(t)
	inputs := bigRuns(t, mem, 2, 50_000, 1<<40)
	a, b := streamOf(t, inputs[0], 100), streamOf(t, inputs[1], 100)
	before, most := mem.CurrentAlloc(), 0
	merged, err := arrowsort.MergeReaders(t.Context(), []array.RecordReader{a, b}, []arrowsort.Key{{Path: "k"}},
		arrowsort.Options{BatchRows: 200, Allocator: mem})
	require.NoError(t, err)
	defer merged.Release()
	rows := int64(0)
	for merged.Next() {
		rows += merged.Record().NumRows()
		require.LessOrEqual(t, int64(100*(a.read+b.read)), rows+2*1024+400)
		most = max(most, mem.CurrentAlloc()-before)
	}
	require.NoError(t, merged.Err())
	require.Equal(t, inputs[0].NumRows()+inputs[1].NumRows(), rows)
	require.Less(t, most, before/10)
}

func TestMergeReadersLimit(t *testing.T) {
	mem := arrowtest.Checked(t)
	a := streamOf(t, pairs(t, mem, `["a", "b", "c", "d"]`, `[1, 2, 3, 4]`), 1)
	merged, err := arrowsort.MergeReaders(t.Context(), []array.RecordReader{a}, byKey(),
		arrowsort.Options{BatchRows: 2, Allocator: mem, Limit: 3})
	require.NoError(t, err)
	defer merged.Release()
	rows := int64(0)
	for merged.Next() {
		rows += merged.Record().NumRows()
	}
	require.NoError(t, merged.Err())
	require.EqualValues(t, 3, rows)
}

// TestMergeReadersEndsWithAnError: of a reader, of an order that is wrong within a record, between records and
// after rows that were merged already, of a record of another schema, of the context.
func TestMergeReadersEndsWithAnError(t *testing.T) {
	mem := arrowtest.Checked(t)
	broken := errors.New("broken")
	good := pairs(t, mem, `["a", "b", "x"]`, `[1, 2, 3]`)
	other := record(t, []string{"key", "of"}, good.Column(0), good.Column(1))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	failing, foreign, slow := streamOf(t, good, 2), streamOf(t, good, 2), streamOf(t, good, 1)
	failing.fails = broken
	foreign.records[1] = other
	slow.before = func() {
		if slow.read == 2 {
			cancel()
		}
	}
	for _, c := range []struct {
		reader *stream
		err    error
		says   string
	}{
		{failing, broken, "input 1: broken"},
		{streamOf(t, pairs(t, mem, `["a", "c", "b"]`, `[1, 2, 3]`), 3), arrowsort.ErrUnsorted,
			"input 1: row 2 sorts before row 1"},
		{streamOf(t, pairs(t, mem, `["a", "c", "b"]`, `[1, 2, 3]`), 2), arrowsort.ErrUnsorted,
			"input 1: row 2 sorts before row 1"},
		{streamOf(t, pairs(t, mem, `["a", "b", "c", "b"]`, `[1, 2, 3, 4]`), 1), arrowsort.ErrUnsorted,
			"input 1: row 3 sorts before row 2"},
		{foreign, arrowsort.ErrSchema, "input 1: "},
		{slow, context.Canceled, ""},
	} {
		merged, err := arrowsort.MergeReaders(ctx, []array.RecordReader{streamOf(t, good, 1), c.reader}, byKey(),
			arrowsort.Options{BatchRows: 2, Allocator: mem})
		require.NoError(t, err)
		for merged.Next() {
		}
		require.ErrorIs(t, merged.Err(), c.err)
		require.ErrorContains(t, merged.Err(), c.says)
		require.False(t, merged.Next())
		require.Nil(t, merged.Record())
		merged.Release()
		require.Equal(t, 1, c.reader.refs)
	}
}

func TestMergeReadersRefusesArguments(t *testing.T) {
	mem := arrowtest.Checked(t)
	good := streamOf(t, pairs(t, mem, `["a"]`, `[1]`), 2)
	again := streamOf(t, good.records[0], 2)
	other := streamOf(t, record(t, []string{"key"}, good.records[0].Column(0)), 2)
	for _, c := range []struct {
		readers []array.RecordReader
		keys    []arrowsort.Key
		batch   int
		limit   int
		err     error
	}{
		{nil, byKey(), 0, 0, arrowsort.ErrOption}, {[]array.RecordReader{good}, byKey(), -1, 0, arrowsort.ErrOption},
		{[]array.RecordReader{good}, byKey(), 0, -1, arrowsort.ErrOption},
		{[]array.RecordReader{good}, nil, 0, 0, arrowsort.ErrNoKeys},
		{[]array.RecordReader{good}, []arrowsort.Key{{Path: "x"}}, 0, 0, arrowsort.ErrColumn},
		{[]array.RecordReader{good, other}, byKey(), 0, 0, arrowsort.ErrSchema},
		{[]array.RecordReader{good, nil}, byKey(), 0, 0, arrowsort.ErrOption},
		{[]array.RecordReader{good, (*stream)(nil)}, byKey(), 0, 0, arrowsort.ErrOption},
		{[]array.RecordReader{good, &stream{}}, byKey(), 0, 0, arrowsort.ErrOption}, // without a schema
		{[]array.RecordReader{good, again, good}, byKey(), 0, 0, arrowsort.ErrOption},
	} {
		_, err := arrowsort.MergeReaders(t.Context(), c.readers, c.keys,
			arrowsort.Options{BatchRows: c.batch, Limit: c.limit})
		require.ErrorIs(t, err, c.err)
		require.Equal(t, 1, good.refs)
	}
}

// TestMergedRecordsOutliveTheReaders reads a record after all readers are gone.
func TestMergedRecordsOutliveTheReaders(t *testing.T) {
	mem := arrowtest.Checked(t)
	schema := arrow.NewSchema([]arrow.Field{{Name: "key", Type: arrow.PrimitiveTypes.Int8}}, nil)
	b := array.NewRecordBuilder(mem, schema)
	defer b.Release()
	b.Field(0).(*array.Int8Builder).AppendValues([]int8{1, 2}, nil)
	rec := b.NewRecord()
	reader, err := array.NewRecordReader(schema, []arrow.Record{rec})
	require.NoError(t, err)
	rec.Release()
	merged, err := arrowsort.MergeReaders(t.Context(), []array.RecordReader{reader}, byKey(),
		arrowsort.Options{Allocator: memory.Allocator(mem)})
	require.NoError(t, err)
	reader.Release()
	require.True(t, merged.Next())
	kept := merged.Record()
	kept.Retain()
	merged.Release()
	require.Equal(t, "[1 2]", kept.Column(0).String())
	kept.Release()
}

// TestMergeReadersOfUnequalStreams: a record that is longer than a window, streams whose keys do not overlap, streams
// of one row each, and more streams than rows of a batch.
func TestMergeReadersOfUnequalStreams(t *testing.T) {
	mem := arrowtest.Checked(t)
	numbers := func(first, n, step int) arrow.Record {
		b := array.NewInt64Builder(mem)
		defer b.Release()
		for i := range n {
			b.Append(int64(first + i*step))
		}
		a := b.NewArray()
		t.Cleanup(a.Release)
		return record(t, []string{"k"}, a)
	}
	for name, c := range map[string]struct {
		inputs []arrow.Record
		rows   []int // of the records of each stream
		batch  int
	}{
		"long record last": {[]arrow.Record{numbers(9000, 9000, 1), numbers(0, 9000, 1)}, []int{9000, 100}, 100},
		"long record":      {[]arrow.Record{numbers(0, 9000, 3), numbers(1, 9000, 2)}, []int{9000, 7}, 1000},
		"disjoint": {
			[]arrow.Record{numbers(8000, 4000, 1), numbers(0, 4000, 1), numbers(4000, 4000, 1)},
			[]int{512, 512, 512}, 0,
		},
		"one row each": {[]arrow.Record{numbers(3, 1, 1), numbers(1, 1, 1), numbers(2, 1, 1)}, []int{1, 1, 1}, 1},
		"ties":         {[]arrow.Record{numbers(5, 5000, 0), numbers(5, 5000, 0)}, []int{600, 5000}, 700},
	} {
		t.Run(name, func(t *testing.T) {
			keys := []arrowsort.Key{{Path: "k"}}
			var readers []array.RecordReader
			for i, rec := range c.inputs {
				readers = append(readers, streamOf(t, rec, int64(c.rows[i])))
			}
			opts := arrowsort.Options{Allocator: mem, BatchRows: c.batch}
			merged, err := arrowsort.MergeReaders(t.Context(), readers, keys, opts)
			require.NoError(t, err)
			defer merged.Release()
			want, err := arrowsort.Merge(t.Context(), c.inputs, keys, arrowsort.Options{Allocator: mem})
			require.NoError(t, err)
			defer want.Release()
			at := int64(0)
			for merged.Next() {
				rec := merged.Record()
				require.True(t, rec.Schema().Equal(merged.Schema()))
				part := want.NewSlice(at, at+rec.NumRows())
				require.True(t, array.RecordEqual(part, rec))
				part.Release()
				at += rec.NumRows()
			}
			require.NoError(t, merged.Err())
			require.Equal(t, want.NumRows(), at)
		})
	}
}

// TestMergeReadersHasTheSchemaOfTheFirst in all batches, also after the first reader has ended.
func TestMergeReadersHasTheSchemaOfTheFirst(t *testing.T) {
	mem := arrowtest.Checked(t)
	stream := func(unit, keys string) *stream {
		a := fromJSON(t, mem, arrow.PrimitiveTypes.Int64, keys)
		meta := arrow.MetadataFrom(map[string]string{"unit": unit})
		field := arrow.Field{Name: "k", Type: a.DataType(), Nullable: true, Metadata: meta}
		rec := array.NewRecord(arrow.NewSchema([]arrow.Field{field}, nil), []arrow.Array{a}, int64(a.Len()))
		t.Cleanup(rec.Release)
		return streamOf(t, rec, 1)
	}
	merged, err := arrowsort.MergeReaders(t.Context(),
		[]array.RecordReader{stream("m", `[1, 2]`), stream("km", `[3, 4, 5]`)}, []arrowsort.Key{{Path: "k"}},
		arrowsort.Options{BatchRows: 1, Allocator: mem})
	require.NoError(t, err)
	defer merged.Release()
	for merged.Next() {
		require.True(t, merged.Schema().Equal(merged.Record().Schema()))
	}
	require.NoError(t, merged.Err())
}

// TestMergeReadersOfAMalformedRecord: strings out of bounds are an error that names the input.
func TestMergeReadersOfAMalformedRecord(t *testing.T) {
	mem := arrowtest.Checked(t)
	bad := arrowtest.MalformedStrings()
	defer bad.Release()
	good := fromJSON(t, mem, arrow.BinaryTypes.String, `["a", "b"]`)
	readers := []array.RecordReader{
		streamOf(t, record(t, []string{"k"}, good), 2), streamOf(t, record(t, []string{"k"}, bad), 2),
	}
	merged, err := arrowsort.MergeReaders(t.Context(), readers, []arrowsort.Key{{Path: "k"}},
		arrowsort.Options{Allocator: mem})
	require.NoError(t, err)
	defer merged.Release()
	require.False(t, merged.Next())
	require.ErrorIs(t, merged.Err(), arrow.ErrInvalid)
	require.ErrorContains(t, merged.Err(), "input 1")
}

// payloadTypes returns all types, and extension types over each that has no validity: Arrow cannot count the nulls of
// their slices.
func payloadTypes() []arrow.DataType {
	types := arrowtest.Types()
	for _, typ := range arrowtest.Types() {
		switch typ.ID() {
		case arrow.NULL, arrow.SPARSE_UNION, arrow.DENSE_UNION, arrow.RUN_END_ENCODED:
			types = append(types, arrowtest.NewExtension(typ), arrow.ListOf(arrowtest.NewExtension(typ)))
		}
	}
	return types
}

// TestMergeReadersOfEveryType merges slices whose number of nulls is unknown, with a payload of every type.
func TestMergeReadersOfEveryType(t *testing.T) {
	for seed, typ := range payloadTypes() {
		mem := arrowtest.Checked(t)
		rng := rand.New(rand.NewPCG(uint64(seed), 11))
		key := fromJSON(t, mem, arrow.PrimitiveTypes.Int8, `[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]`)
		payload := arrowtest.Random(rng, typ, 10, 0.3, mem)
		rec := record(t, []string{"key", "value"}, key, payload)
		payload.Release()
		readers := []array.RecordReader{streamOf(t, rec, 3), streamOf(t, rec, 4)}
		merged, err := arrowsort.MergeReaders(t.Context(), readers, byKey(),
			arrowsort.Options{BatchRows: 3, Allocator: mem})
		require.NoError(t, err, "%s", typ)
		var records []arrow.Record
		for merged.Next() {
			merged.Record().Retain()
			records = append(records, merged.Record())
		}
		require.NoError(t, merged.Err(), "%s", typ)
		table := array.NewTableFromRecords(merged.Schema(), records)
		var want []string
		for _, text := range texts(payload) {
			want = append(want, text, text)
		}
		require.Equal(t, want, texts(table.Column(1).Data().Chunks()...), "%s", typ)
		table.Release()
		for _, rec := range records {
			rec.Release()
		}
		merged.Release()
	}
}
