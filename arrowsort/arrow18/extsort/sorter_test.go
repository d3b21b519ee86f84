package extsort_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	_ "github.com/apache/arrow-go/v18/parquet/pqarrow" // links into one program with this package
	v15 "github.com/apache/arrow/go/v15/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/arrow18"
	"github.com/arrowsort/arrowsort/arrowsort/arrow18/extsort"
	"github.com/arrowsort/arrowsort/arrowsort/arrow18/internal/modern"
	convert "github.com/arrowsort/arrowsort/arrowsort/internal/arrow18"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// A column is a type of v18 and the one of v15 with its layout, of which random arrays are made.
type column struct {
	typ    arrow.DataType
	layout v15.DataType
}

// payload are all types that come back: those of the core, and those that v15 does not have. A dictionary inside an
// extension type does not.
func payload() (all []column) {
	for _, typ := range arrowtest.Types() {
		all = append(all, column{modern.Plain(typ), typ})
		if made := modern.Type(typ); !arrow.TypeEqual(made, modern.Plain(typ)) {
			if _, ok := convert.Decoded(made); ok {
				all = append(all, column{made, typ})
			}
		}
	}
	return all
}

// keyed are key columns that tie often, and one that makes 4,000 rows more than the smallest budget.
var keyed = []column{
	{&arrow.Decimal32Type{Precision: 9, Scale: 2}, v15.PrimitiveTypes.Int32},
	{modern.NewTag(&arrow.Decimal64Type{Precision: 18}), v15.PrimitiveTypes.Int64},
	{&arrow.FixedSizeBinaryType{ByteWidth: 8192}, &v15.FixedSizeBinaryType{ByteWidth: 8192}},
}

var keys = []arrowsort.Key{{Path: "c0", Order: arrowsort.Descending, Nulls: arrowsort.NullsAtStart}, {Path: "c1"}}

// batches makes batches of columns, which are slices with garbage under nulls.
func batches(r *rand.Rand, columns []column, rows ...int) []arrow.RecordBatch {
	meta := arrow.NewMetadata([]string{"owner"}, []string{"tests"})
	fields := make([]arrow.Field, len(columns))
	for i, c := range columns {
		fields[i] = arrow.Field{Name: fmt.Sprint("c", i), Type: c.typ, Nullable: true, Metadata: meta}
	}
	schema := arrow.NewSchema(fields, &meta)
	all := make([]arrow.RecordBatch, len(rows))
	for k, n := range rows {
		arrays := make([]arrow.Array, len(columns))
		for i, c := range columns {
			nulls := []float64{0, 0.2}[r.IntN(2)]
			a := arrowtest.RandomSlice(r, c.layout, n, r.IntN(12), nulls, memory.DefaultAllocator)
			arrays[i] = convert.ToArray(a, c.typ)
		}
		all[k] = array.NewRecordBatch(schema, arrays, int64(n))
	}
	return all
}

// requireSorted compares the rows of a reader with those of a sort in memory, value by value.
func requireSorted(t *testing.T, in []arrow.RecordBatch, sorted array.RecordReader, limit int) {
	t.Helper()
	table := array.NewTableFromRecords(in[0].Schema(), in)
	defer table.Release()
	want, err := arrow18.Sort(t.Context(), table, keys, arrow18.Options{Limit: limit})
	require.NoError(t, err)
	defer want.Release()
	at := int64(0)
	for sorted.Next() {
		rec := sorted.RecordBatch()
		require.True(t, rec.Schema().Equal(sorted.Schema()))
		for i, c := range rec.Columns() {
			requireRows(t, want.Column(i).Data(), at, c, want.Schema().Field(i).Type)
		}
		at += rec.NumRows()
	}
	require.NoError(t, sorted.Err())
	require.Equal(t, want.NumRows(), at)
}

// requireRows compares an array with the rows of a column from a row on.
func requireRows(t *testing.T, column *arrow.Chunked, from int64, got arrow.Array, typ arrow.DataType) {
	t.Helper()
	rows := array.NewChunkedSlice(column, from, from+int64(got.Len()))
	defer rows.Release()
	decoded, ok := convert.Decoded(typ)
	require.True(t, ok)
	require.True(t, arrow.TypeEqual(decoded, got.DataType(), arrow.CheckMetadata()), "%s, not %s", got.DataType(), typ)
	i := 0
	for _, chunk := range rows.Chunks() {
		for k := range chunk.Len() {
			require.Equal(t, chunk.ValueStr(k), got.ValueStr(i), "%s, row %d", typ, from+int64(i))
			i++
		}
	}
}

// Every type of payload comes back in the order of a sort in memory, in memory and from runs.
func TestEveryTypeComesBack(t *testing.T) {
	types := payload()
	for i := range uint64(testrun.Count(12, 4)) {
		seed := testrun.Seed() + i
		r := rand.New(rand.NewPCG(seed, 21))
		columns := keyed[:2:2]
		spills := i%2 == 0
		if spills {
			columns = keyed
		}
		for range 8 {
			columns = append(columns[:len(columns):len(columns)], types[r.IntN(len(types))])
		}
		in := batches(r, columns, 1500, 0, 1, 1499, 1000)
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		opts := extsort.Options{Memory: extsort.MinMemory, SpillDir: t.TempDir(), Allocator: mem, BatchRows: 200,
			SpillCompression: []string{"", "lz4", "zstd"}[r.IntN(3)]}
		s, err := extsort.NewSorter(t.Context(), in[0].Schema(), keys, opts)
		require.NoError(t, err, "seed %d", seed)
		reader, err := array.NewRecordReader(in[0].Schema(), in)
		require.NoError(t, err)
		require.NoError(t, s.WriteFrom(reader), "seed %d", seed)
		reader.Release()
		sorted, err := s.Sorted()
		require.NoError(t, err, "seed %d", seed)
		require.True(t, s.Schema().Equal(sorted.Schema()))
		require.Equal(t, "tests", s.Schema().Metadata().Values()[0])
		requireSorted(t, in, sorted, 0)
		require.Equal(t, spills, s.Stats().Runs > 0, "seed %d", seed)
		require.EqualValues(t, 4000, s.Stats().Rows)
		sorted.Release()
		require.NoError(t, s.Close())
		mem.AssertSize(t, 0)
		entries, err := os.ReadDir(opts.SpillDir)
		require.NoError(t, err)
		require.Empty(t, entries)
	}
}

func TestLimitKeepsTheFirstRows(t *testing.T) {
	in := batches(rand.New(rand.NewPCG(testrun.Seed(), 22)), keyed, 500, 500)
	s, err := extsort.NewSorter(t.Context(), in[0].Schema(), keys, extsort.Options{Limit: 7, SpillDir: t.TempDir()})
	require.NoError(t, err)
	defer s.Close()
	for _, rec := range in {
		require.NoError(t, s.Write(rec))
	}
	sorted, err := s.Sorted()
	require.NoError(t, err)
	defer sorted.Release()
	requireSorted(t, in, sorted, 7)
}

func TestErrorsNameWhatIsWrong(t *testing.T) {
	in := batches(rand.New(rand.NewPCG(testrun.Seed(), 23)), keyed, 10)[0]
	ctx := t.Context()
	list := arrow.NewSchema([]arrow.Field{{Name: "l", Type: arrow.ListOf(arrow.FixedWidthTypes.DayTimeInterval)}}, nil)
	words := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	tagged := arrow.NewSchema([]arrow.Field{{Name: "w", Type: modern.NewTag(words)}}, nil)
	var none context.Context
	for _, test := range []struct {
		ctx    context.Context
		schema *arrow.Schema
		key    string
		opts   extsort.Options
		is     error
		text   string
	}{
		{ctx, nil, "c0", extsort.Options{}, extsort.ErrOption, "the schema is nil"},
		{none, in.Schema(), "c0", extsort.Options{}, extsort.ErrOption, "the context is nil"},
		{ctx, in.Schema(), "no", extsort.Options{}, arrow.ErrKey, `"no"`},
		{ctx, list, "l", extsort.Options{}, arrowsort.ErrKeyType, "l.item"},
		{ctx, tagged, "w", extsort.Options{}, arrow.ErrNotImplemented, `column "w" has type tag<dictionary`},
		{ctx, in.Schema(), "c0", extsort.Options{Memory: 1}, extsort.ErrOption, "1"},
		{ctx, in.Schema(), "c0", extsort.Options{Tail: 1, Limit: 1}, extsort.ErrOption, "Tail"},
	} {
		_, err := extsort.NewSorter(test.ctx, test.schema, []arrowsort.Key{{Path: test.key}}, test.opts)
		require.ErrorIs(t, err, test.is, test.text)
		require.ErrorContains(t, err, test.text)
	}
	s, err := extsort.NewSorter(ctx, in.Schema(), keys, extsort.Options{})
	require.NoError(t, err)
	defer s.Close()
	require.ErrorIs(t, s.Write(nil), extsort.ErrOption)
	require.ErrorIs(t, s.WriteFrom(nil), extsort.ErrOption)
	empty := array.NewBuilder(memory.DefaultAllocator, list.Field(0).Type).NewArray()
	require.ErrorIs(t, s.Write(array.NewRecordBatch(list, []arrow.Array{empty}, 0)), extsort.ErrSchema)
	broken := errors.New("the line is cut")
	require.ErrorIs(t, s.WriteFrom(failing{in.Schema(), broken}), broken)
}

// failing is a reader with an error in place of records.
type failing struct {
	schema *arrow.Schema
	err    error
}

func (failing) Retain()                        {}
func (failing) Release()                       {}
func (f failing) Schema() *arrow.Schema        { return f.schema }
func (failing) Next() bool                     { return false }
func (failing) Record() arrow.RecordBatch      { return nil }
func (failing) RecordBatch() arrow.RecordBatch { return nil }
func (f failing) Err() error                   { return f.err }

func TestACancelledContextEndsTheSort(t *testing.T) {
	in := batches(rand.New(rand.NewPCG(testrun.Seed(), 24)), keyed, 100)[0]
	ctx, cancel := context.WithCancel(t.Context())
	s, err := extsort.NewSorter(ctx, in.Schema(), keys, extsort.Options{})
	require.NoError(t, err)
	defer s.Close()
	require.NoError(t, s.Write(in))
	cancel()
	require.ErrorIs(t, s.Write(in), context.Canceled)
	_, err = s.Sorted()
	require.ErrorIs(t, err, context.Canceled)
}
