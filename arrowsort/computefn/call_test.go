package computefn_test

import (
	"context"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/compute"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/computefn"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
)

// A caller calls functions of a separate registry and checks at the end of the test that all memory is back.
type caller struct {
	*testing.T
	ctx context.Context
	mem *memory.CheckedAllocator
}

func newCaller(t *testing.T) *caller {
	t.Helper()
	mem := arrowtest.Checked(t)
	registry := compute.NewChildRegistry(compute.GetFunctionRegistry())
	require.NoError(t, computefn.Register(registry))
	exec := compute.DefaultExecCtx()
	exec.Registry = registry
	return &caller{t, compute.SetExecCtx(compute.WithAllocator(t.Context(), mem), exec), mem}
}

// call calls a function on data that stay the caller's. The result is released at the end of the test.
func (c *caller) call(name string, opts compute.FunctionOptions, data arrowsort.Data) compute.Datum {
	c.Helper()
	datum := compute.NewDatum(data)
	defer datum.Release()
	out, err := compute.CallFunction(c.ctx, name, opts, datum)
	require.NoError(c, err)
	c.Cleanup(out.Release)
	return out
}

// fail calls a function that must return an error.
func (c *caller) fail(name string, opts compute.FunctionOptions, datum compute.Datum) error {
	c.Helper()
	out, err := compute.CallFunction(c.ctx, name, opts, datum)
	require.Error(c, err)
	require.Nil(c, out)
	return err
}

// rows returns the row numbers that a function returns.
func (c *caller) rows(name string, opts compute.FunctionOptions, data arrowsort.Data) []uint64 {
	c.Helper()
	out := c.call(name, opts, data)
	require.Equal(c, compute.KindArray, out.Kind())
	arr := out.(*compute.ArrayDatum).MakeArray().(*array.Uint64)
	defer arr.Release()
	require.Zero(c, arr.NullN())
	return append([]uint64{}, arr.Uint64Values()...)
}

// sorted returns the boolean scalar that is_sorted returns.
func (c *caller) sorted(opts compute.FunctionOptions, data arrowsort.Data) bool {
	c.Helper()
	out := c.call("is_sorted", opts, data)
	require.Equal(c, compute.KindScalar, out.Kind())
	return out.(*compute.ScalarDatum).Value.String() == "true"
}

func (c *caller) array(typ arrow.DataType, json string) arrow.Array {
	c.Helper()
	arr, _, err := array.FromJSON(c.mem, typ, strings.NewReader(json), array.WithUseNumber())
	require.NoError(c, err)
	c.Cleanup(arr.Release)
	return arr
}

func (c *caller) chunked(typ arrow.DataType, json ...string) *arrow.Chunked {
	c.Helper()
	chunks := make([]arrow.Array, len(json))
	for i := range json {
		chunks[i] = c.array(typ, json[i])
	}
	chunked := arrow.NewChunked(typ, chunks)
	c.Cleanup(chunked.Release)
	return chunked
}

func (c *caller) record(schema *arrow.Schema, json string) arrow.Record {
	c.Helper()
	record, _, err := array.RecordFromJSON(c.mem, schema, strings.NewReader(json), array.WithUseNumber())
	require.NoError(c, err)
	c.Cleanup(record.Release)
	return record
}

func (c *caller) table(schema *arrow.Schema, json ...string) arrow.Table {
	c.Helper()
	records := make([]arrow.Record, len(json))
	for i := range json {
		records[i] = c.record(schema, json[i])
	}
	table := array.NewTableFromRecords(schema, records)
	c.Cleanup(table.Release)
	return table
}

// cut makes two chunks of an array.
func (c *caller) cut(arr arrow.Array, at int) *arrow.Chunked {
	head, tail := array.NewSlice(arr, 0, int64(at)), array.NewSlice(arr, int64(at), int64(arr.Len()))
	defer head.Release()
	defer tail.Release()
	chunked := arrow.NewChunked(arr.DataType(), []arrow.Array{head, tail})
	c.Cleanup(chunked.Release)
	return chunked
}

// dataOf returns what a datum holds, until the end of the test.
func (c *caller) dataOf(datum compute.Datum) arrowsort.Data {
	switch d := datum.(type) {
	case *compute.ArrayDatum:
		arr := d.MakeArray()
		c.Cleanup(arr.Release)
		return arr
	case *compute.ChunkedDatum:
		return d.Value
	case *compute.RecordDatum:
		return d.Value
	default:
		return datum.(*compute.TableDatum).Value
	}
}

// schema makes nullable fields from pairs of name and type.
func schema(pairs ...any) *arrow.Schema {
	var fields []arrow.Field
	for i := 0; i < len(pairs); i += 2 {
		fields = append(fields, arrow.Field{Name: pairs[i].(string), Type: pairs[i+1].(arrow.DataType), Nullable: true})
	}
	return arrow.NewSchema(fields, nil)
}

func by(name string, order arrowsort.Order) computefn.SortKey {
	return computefn.SortKey{Target: compute.FieldRefName(name), Order: order}
}

const (
	asc   = arrowsort.Ascending
	desc  = arrowsort.Descending
	end   = arrowsort.NullsAtEnd
	start = arrowsort.NullsAtStart
)
