//go:build capi

package ctest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/capi/internal/cdata"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// numbers makes a table of a column "a" of random numbers and "b" of row numbers.
func numbers(n int, seed uint64) arrow.Table {
	r := rand.New(rand.NewPCG(seed, 4))
	i64 := arrow.PrimitiveTypes.Int64
	fields := []arrow.Field{{Name: "a", Type: i64}, {Name: "b", Type: i64}}
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema(fields, nil))
	defer b.Release()
	for i := range n {
		b.Field(0).(*array.Int64Builder).Append(r.Int64())
		b.Field(1).(*array.Int64Builder).Append(int64(i))
	}
	rec := b.NewRecord()
	defer rec.Release()
	return array.NewTableFromRecords(rec.Schema(), []arrow.Record{rec})
}

func requireCode(t *testing.T, name string, err error) {
	t.Helper()
	e := (*Error)(nil)
	require.ErrorAs(t, err, &e)
	require.Equal(t, name, e.Name, e.Message)
}

func TestMistakesAreErrorsWithTheNameOfGo(t *testing.T) {
	table := numbers(10, testrun.Seed())
	defer table.Release()
	data := handle(t, table)
	a := []Key{{Path: "a"}}
	sort := func(keys []Key, o Options) error { _, err := Sort(data, keys, o); return err }
	requireCode(t, "ErrNoKeys", sort(nil, Options{}))
	requireCode(t, "ErrColumn", sort([]Key{{Path: "c"}}, Options{}))
	requireCode(t, "ErrColumn", sort([]Key{{Column: 9}}, Options{}))
	requireCode(t, "ErrColumn", sort([]Key{{Column: -1}}, Options{}))
	requireCode(t, "ErrOption", sort(a, Options{Limit: -1}))
	requireCode(t, "ErrOption", sort(a, Options{Threads: -1}))
	requireCode(t, "ErrOption", sort(a, Options{BatchRows: 5}))
	requireCode(t, "ErrOption", sort(a, Options{Memory: -5}))
	requireCode(t, "ErrOption", sort(a, Options{Engine: "abacus"}))
	requireCode(t, "ErrOption", sort(a, Options{SpillDir: "somewhere"}))
	requireCode(t, "ErrOption", sort(a, Options{Unique: true}))
	requireCode(t, "ErrDevice", sort(a, Options{Engine: "gpu"}))
	requireCode(t, "ErrHandle", sort(a, Options{Call: data}))
	requireCode(t, "ErrHandle", sort(a, Options{Call: 1 << 60}))
	requireCode(t, "ErrMemory", sort(a, Options{Memory: 8}))
	_, err := SortIndices(data, a, 33, Options{})
	requireCode(t, "ErrOption", err)
	_, err = Rank(data, a, 5, Options{})
	requireCode(t, "ErrOption", err)
	_, err = Groups(data, a, Options{})
	requireCode(t, "ErrUnsorted", err)
	_, err = Take(data, data, Options{})
	requireCode(t, "ErrOption", err)
	_, err = SearchSorted(data, data, []Key{{Path: "b"}}, false, Options{})
	requireCode(t, "ErrSchema", err)
	_, err = Merge(nil, a, Options{})
	requireCode(t, "ErrOption", err)
	_, err = DecodeRows(data, data, a, Options{})
	requireCode(t, "ErrOption", err)
	requireCode(t, "ErrOption", SpoiltOptions(data, 0, 0))
	requireCode(t, "ErrOption", SpoiltOptions(data, OptionsSize-1, 0))
	requireCode(t, "ErrOption", SpoiltOptions(data, OptionsSize+8, 1))
	require.NoError(t, SpoiltOptions(data, OptionsSize+8, 0), "of a newer header, none set")
	requireCode(t, "ErrOption", StreamError(new(cdata.Stream)))
}

func TestHandlesThatWereFreedAreErrors(t *testing.T) {
	table := numbers(10, testrun.Seed())
	defer table.Release()
	data, err := ImportStream(exported(t, table))
	require.NoError(t, err)
	FreeCall(data) // is not a call: nothing is freed
	_, err = Rows(data)
	require.NoError(t, err)
	Free(data)
	Free(data)
	Free(0)
	for _, handle := range []uint64{data, 0, 1 << 50} {
		_, err = Rows(handle)
		requireCode(t, "ErrHandle", err)
		requireCode(t, "ErrHandle", ExportStream(handle, new(cdata.Stream)))
		requireCode(t, "ErrHandle", Validate(handle))
		requireCode(t, "ErrHandle", Cancel(handle))
	}
	call := NewCall()
	defer FreeCall(call)
	_, err = Rows(call)
	requireCode(t, "ErrHandle", err)
}

// TestACancelledCallEnds within the time that docs promise, and with it all later calls.
func TestACancelledCallEnds(t *testing.T) {
	table := numbers(testrun.Count(3_000_000, 300_000), testrun.Seed())
	defer table.Release()
	data := handle(t, table)
	before := Allocated()
	call := NewCall()
	ended := make(chan error)
	go func() {
		for {
			sorted, err := Sort(data, []Key{{Path: "a"}}, Options{Call: call})
			if Free(sorted); err != nil {
				ended <- err
				return
			}
		}
	}()
	require.Eventually(t, func() bool {
		_, done, total, err := Progress(call)
		return err == nil && done > 0 && total >= done
	}, time.Minute, time.Millisecond)
	start := time.Now()
	require.NoError(t, Cancel(call))
	requireCode(t, "Canceled", <-ended)
	require.Less(t, time.Since(start), 5*time.Second)
	_, err := SortIndices(data, []Key{{Path: "a"}}, 64, Options{Call: call})
	requireCode(t, "Canceled", err)
	require.Equal(t, before, Allocated())
	FreeCall(call)
	requireCode(t, "ErrHandle", Cancel(call))
}

func TestCallsAtTheSameTimeShareData(t *testing.T) {
	table := numbers(20_000, testrun.Seed())
	defer table.Release()
	before := Allocated()
	data, err := ImportStream(exported(t, table))
	require.NoError(t, err)
	var all sync.WaitGroup
	failures := make(chan error, 16)
	for range 8 {
		all.Go(func() {
			sorted, err := Sort(data, []Key{{Path: "a"}}, Options{Threads: 2})
			row := int64(0)
			if err == nil {
				row, err = IsSorted(sorted, []Key{{Path: "a"}}, Options{})
			}
			if err == nil && row != -1 {
				err = fmt.Errorf("row %d", row)
			}
			Free(sorted)
			failures <- err
		})
	}
	all.Wait()
	close(failures)
	for err := range failures {
		require.NoError(t, err)
	}
	Free(data)
	require.Equal(t, before, Allocated())
}

// A failing source has one record and then an error.
type failing struct {
	records
	left int
}

var errFire = errors.New("the disk is on fire")

func (f *failing) Next() (arrow.ArrayData, error) {
	if f.left == 0 {
		return nil, errFire
	}
	f.left--
	return f.records.Next()
}

func failingStream(t *testing.T, table arrow.Table) *cdata.Stream {
	stream := new(cdata.Stream)
	source := &failing{records: records{array.NewTableReader(table, 100)}, left: 3}
	require.NoError(t, cdata.Export(source, stream))
	return stream
}

func TestStreamsThatFailInTheMiddle(t *testing.T) {
	table := numbers(1000, testrun.Seed())
	defer table.Release()
	b := []Key{{Path: "b"}} // in order
	_, err := ImportStream(failingStream(t, table))
	requireCode(t, "ErrStream", err)
	require.ErrorContains(t, err, "the disk is on fire")
	var out cdata.Stream
	requireCode(t, "ErrStream", SortStream(failingStream(t, table), b, Options{}, &out))

	streams := []*cdata.Stream{exported(t, table), failingStream(t, table)}
	require.NoError(t, MergeStreams(streams, b, Options{BatchRows: 10}, &out))
	copyOfStream := out
	reader, err := cdata.Import(&out)
	require.NoError(t, err)
	rows := 0
	for {
		next, err := reader.Next()
		if err != nil {
			require.ErrorContains(t, err, "the disk is on fire")
			requireCode(t, "ErrStream", StreamError(&copyOfStream))
			break
		}
		require.NotNil(t, next, "the stream ended before its error")
		rows += next.Len()
		next.Release()
	}
	reader.Release()
	require.Less(t, rows, 700)
	streams = []*cdata.Stream{exported(t, table)}
	requireCode(t, "ErrColumn", MergeStreams(streams, []Key{{Path: "x"}}, Options{}, &out))
	requireCode(t, "ErrOption", MergeStreams([]*cdata.Stream{new(cdata.Stream)}, b, Options{}, &out))
}

// TestSortStreamSpills: the budget holds a fraction of the rows, and the folder is empty at the end.
func TestSortStreamSpills(t *testing.T) {
	n := testrun.Count(4_000_000, 1_500_000)
	table := numbers(n, testrun.Seed())
	defer table.Release()
	before, folder := Allocated(), t.TempDir()
	var out cdata.Stream
	o := Options{Memory: 16 << 20, SpillDir: folder, Limit: int64(n - 1)}
	require.NoError(t, SortStream(exported(t, table), []Key{{Path: "a"}}, o, &out))
	spilled, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.NotEmpty(t, spilled)
	reader, err := cdata.Import(&out)
	require.NoError(t, err)
	rows, last := 0, int64(0)
	for {
		next, err := reader.Next()
		require.NoError(t, err)
		if next == nil {
			break
		}
		values := array.MakeFromData(next)
		for _, v := range values.(*array.Struct).Field(0).(*array.Int64).Int64Values() {
			require.GreaterOrEqual(t, v, last)
			last = v
		}
		rows += next.Len()
		values.Release()
		next.Release()
	}
	require.Equal(t, n-1, rows)
	reader.Release()
	spilled, err = os.ReadDir(folder)
	require.NoError(t, err)
	require.Empty(t, spilled)
	require.Equal(t, before, Allocated())
}

func TestColumnsAndSingleArrays(t *testing.T) {
	table := numbers(100, testrun.Seed())
	defer table.Release()
	values := table.Column(0).Data().Chunk(0)
	var c cdata.Array
	var schema cdata.Schema
	require.NoError(t, cdata.ExportArray(values.Data(), &c))
	require.NoError(t, cdata.ExportField(arrow.Field{Type: values.DataType()}, &schema))
	defer cdata.ReleaseSchema(&schema)
	data, err := ImportArray(&c, &schema, false)
	require.NoError(t, err)
	defer Free(data)
	columns, err := Columns(data)
	require.NoError(t, err)
	require.Equal(t, int64(-1), columns)
	sorted, err := Sort(data, nil, Options{})
	require.NoError(t, err)
	want, err := arrowsort.Sort[arrow.Array](t.Context(), values, nil, arrowsort.Options{})
	require.NoError(t, err)
	places, err := SearchSorted(sorted, sorted, nil, true, Options{})
	require.NoError(t, err)
	requireColumn(t, want, sorted, nil)
	_, chunks := chunksOf(t, places)
	require.Equal(t, uint64(100), chunks[0].(*array.Uint64).Value(99))
	_, err = ImportArray(&c, &schema, false)
	requireCode(t, "ErrOption", err)
	_, err = ImportArray(nil, nil, false)
	requireCode(t, "ErrOption", err)

	inTable := handle(t, table)
	var rows cdata.Array
	var rowType cdata.Schema
	require.NoError(t, ExportArray(inTable, &rows, &rowType))
	asColumn, err := ImportArray(&rows, &rowType, true)
	require.NoError(t, err)
	columns, err = Columns(asColumn)
	require.NoError(t, err)
	require.Equal(t, int64(-1), columns, "a column of structs")
	cdata.ReleaseSchema(&rowType)
	Free(asColumn)
	both, err := Merge([]uint64{inTable, inTable}, []Key{{Path: "b"}}, Options{})
	require.NoError(t, err)
	require.NoError(t, ExportArray(both, &rows, &rowType))
	cdata.ReleaseArray(&rows)
	cdata.ReleaseSchema(&rowType)
	Free(both)
}

// TestCollation passes the order of text as a string of C.
func TestCollation(t *testing.T) {
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{
		{Name: "a", Type: arrow.BinaryTypes.String}}, nil))
	defer b.Release()
	b.Field(0).(*array.StringBuilder).AppendValues([]string{"ärger", "arm", "Z"}, nil)
	rec := b.NewRecord()
	defer rec.Release()
	table := array.NewTableFromRecords(rec.Schema(), []arrow.Record{rec})
	defer table.Release()
	data := handle(t, table)
	for collation, want := range map[string]int64{"": 1, "nocase": 1, "de": -1} {
		row, err := IsSorted(data, []Key{{Path: "a", Collation: collation}}, Options{})
		require.NoError(t, err)
		require.Equal(t, want, row, collation)
	}
	_, err := Sort(data, []Key{{Path: "a", Collation: "xx"}}, Options{})
	requireCode(t, "ErrOption", err)
	require.ErrorContains(t, err, `unknown locale "xx"`)
}

// TestFunction passes functions of columns as strings of C.
func TestFunction(t *testing.T) {
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{
		{Name: "a", Type: arrow.PrimitiveTypes.Int8}}, nil))
	defer b.Release()
	b.Field(0).(*array.Int8Builder).AppendValues([]int8{1, -2, 3, -128}, nil)
	rec := b.NewRecord()
	defer rec.Release()
	table := array.NewTableFromRecords(rec.Schema(), []arrow.Record{rec})
	defer table.Release()
	data := handle(t, table)
	for function, want := range map[string]int64{"": 1, "abs": -1, "% 3": 2, "hash 7": 2} {
		row, err := IsSorted(data, []Key{{Path: "a", Function: function}}, Options{})
		require.NoError(t, err)
		require.Equal(t, want, row, function)
	}
	_, err := Sort(data, []Key{{Path: "a", Function: "lower"}}, Options{})
	requireCode(t, "ErrOption", err)
	require.ErrorContains(t, err, "key lower(a): the column has type int8")
	_, err = IsSorted(data, []Key{{Function: "random 42"}}, Options{})
	requireCode(t, "ErrOption", err)
	require.ErrorContains(t, err, "IsSorted by random(42), which goes by the numbers of rows")
}
