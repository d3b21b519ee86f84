package arrowsort_test

import (
	"context"
	"errors"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
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
	merged, err := arrowsort.MergeReaders(ctx, readers, keys, 20, opts)
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
	mem := checked(t)
	a := streamOf(t, pairs(t, mem, `["a", "c", "c", "c"]`, `[10, 11, 12, 13]`), 2)
	b := streamOf(t, pairs(t, mem, `["b", "c", "c", "d"]`, `[20, 21, 22, 23]`), 2)
	merged, err := arrowsort.MergeReaders(t.Context(), []array.RecordReader{a, b}, byKey(), 2,
		arrowsort.Options{Allocator: mem})
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
	mem := checked(t)
	inputs := bigRuns(t, mem, 2, 5000, 1<<40)
	a, b := streamOf(t, inputs[0], 100), streamOf(t, inputs[1], 100)
	before, most := mem.CurrentAlloc(), 0
	merged, err := arrowsort.MergeReaders(t.Context(), []array.RecordReader{a, b}, []arrowsort.Key{{Path: "k"}}, 200,
		arrowsort.Options{Allocator: mem})
	require.NoError(t, err)
	defer merged.Release()
	rows := int64(0)
	for merged.Next() {
		rows += merged.Record().NumRows()
		require.LessOrEqual(t, int64(100*(a.read+b.read)), rows+400)
		most = max(most, mem.CurrentAlloc()-before)
	}
	require.NoError(t, merged.Err())
	require.Equal(t, inputs[0].NumRows()+inputs[1].NumRows(), rows)
	require.Less(t, most, before/10)
}

func TestMergeReadersLimit(t *testing.T) {
	mem := checked(t)
	a := streamOf(t, pairs(t, mem, `["a", "b", "c", "d"]`, `[1, 2, 3, 4]`), 1)
	merged, err := arrowsort.MergeReaders(t.Context(), []array.RecordReader{a}, byKey(), 2,
		arrowsort.Options{Allocator: mem, Limit: 3})
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
	mem := checked(t)
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
		merged, err := arrowsort.MergeReaders(ctx, []array.RecordReader{streamOf(t, good, 1), c.reader}, byKey(), 2,
			arrowsort.Options{Allocator: mem})
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
	mem := checked(t)
	good := streamOf(t, pairs(t, mem, `["a"]`, `[1]`), 2)
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
	} {
		_, err := arrowsort.MergeReaders(t.Context(), c.readers, c.keys, c.batch, arrowsort.Options{Limit: c.limit})
		require.ErrorIs(t, err, c.err)
		require.Equal(t, 1, good.refs)
	}
}

// TestMergedRecordsOutliveTheReaders reads a record after all readers are gone.
func TestMergedRecordsOutliveTheReaders(t *testing.T) {
	mem := checked(t)
	schema := arrow.NewSchema([]arrow.Field{{Name: "key", Type: arrow.PrimitiveTypes.Int8}}, nil)
	b := array.NewRecordBuilder(mem, schema)
	defer b.Release()
	b.Field(0).(*array.Int8Builder).AppendValues([]int8{1, 2}, nil)
	rec := b.NewRecord()
	reader, err := array.NewRecordReader(schema, []arrow.Record{rec})
	require.NoError(t, err)
	rec.Release()
	merged, err := arrowsort.MergeReaders(t.Context(), []array.RecordReader{reader}, byKey(), 0,
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
