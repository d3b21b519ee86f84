package arrow18_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	v15 "github.com/apache/arrow/go/v15/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/arrow18"
	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
)

// A call is a function of this package on data by keys; its results are released.
type call struct {
	name string
	run  func(ctx context.Context, data arrow18.Data, keys []arrowsort.Key, opts arrow18.Options) error
}

var calls = []call{
	{"Sort", func(ctx context.Context, data arrow18.Data, keys []arrowsort.Key, opts arrow18.Options) error {
		return released(arrow18.Sort(ctx, data, keys, opts))
	}},
	{"SortIndices", func(ctx context.Context, data arrow18.Data, keys []arrowsort.Key, opts arrow18.Options) error {
		return released(arrow18.SortIndices(ctx, data, keys, opts))
	}},
	{"SortIndices32", func(ctx context.Context, data arrow18.Data, keys []arrowsort.Key, opts arrow18.Options) error {
		return released(arrow18.SortIndices32(ctx, data, keys, opts))
	}},
	{"IsSorted", func(ctx context.Context, data arrow18.Data, keys []arrowsort.Key, opts arrow18.Options) error {
		_, _, err := arrow18.IsSorted(ctx, data, keys, opts)
		return err
	}},
	{"Explain", func(ctx context.Context, data arrow18.Data, keys []arrowsort.Key, opts arrow18.Options) error {
		_, err := arrow18.Explain(ctx, data, keys, opts)
		return err
	}},
}

func init() { calls = append(calls, callsAround...) }

func released[D arrow18.Data](data D, err error) error {
	if err == nil {
		data.Release()
	}
	return err
}

// A novel type is one of a later version of Arrow.
type novel struct{ arrow.Int32Type }

func (*novel) ID() arrow.Type { return arrow.Type(60) }

func (*novel) String() string { return "novel" }

// Errors match those of the core, and Arrow's of both versions.
func TestErrors(t *testing.T) {
	mem := arrowtest.Checked(t)
	list := fromJSON(t, mem, arrow.ListOf(arrow.FixedWidthTypes.DayTimeInterval), `[[], null]`)
	number := fromJSON(t, mem, arrow.PrimitiveTypes.Int32, `[2, 1]`)
	rec := record(t, []string{"list", "n"}, list, number)
	for _, test := range []struct {
		name        string
		data        arrow18.Data
		keys        []arrowsort.Key
		opts        arrow18.Options
		is          error
		arrow, both error // of v18 and of v15
		text        string
	}{
		{"no keys", rec, nil, arrow18.Options{}, arrowsort.ErrNoKeys, arrow.ErrInvalid, v15.ErrInvalid, "sort keys"},
		{"column", rec, by("m"), arrow18.Options{}, arrowsort.ErrColumn, arrow.ErrKey, v15.ErrKey, `"m"`},
		{"type", rec, by("list"), arrow18.Options{}, arrowsort.ErrKeyType, arrow.ErrNotImplemented,
			v15.ErrNotImplemented, "list.item has type day_time_interval"},
		{"limit", rec, by("n"), arrow18.Options{Limit: -1}, arrowsort.ErrOption, arrow.ErrInvalid, v15.ErrInvalid,
			"Options.Limit is -1"},
		{"nothing", nil, by("n"), arrow18.Options{}, arrowsort.ErrOption, arrow.ErrInvalid, v15.ErrInvalid, "<nil>"},
		{"other data", number.Data(), by("n"), arrow18.Options{}, arrowsort.ErrOption, arrow.ErrInvalid,
			v15.ErrInvalid, "*array.Data"},
	} {
		for _, c := range calls {
			err := c.run(t.Context(), test.data, test.keys, test.opts)
			require.ErrorIs(t, err, test.is, "%s, %s", test.name, c.name)
			require.ErrorIs(t, err, test.arrow, "%s, %s", test.name, c.name)
			require.ErrorIs(t, err, test.both, "%s, %s", test.name, c.name)
			require.ErrorContains(t, err, test.text, "%s, %s", test.name, c.name)
			require.NotErrorIs(t, err, arrow.ErrIndex)
		}
	}
}

// A foreignArray has a type that v15 has no layout for.
type foreignArray struct {
	arrow.Array
	typ arrow.DataType
}

func (a foreignArray) DataType() arrow.DataType { return a.typ }

func TestTypesOfLaterVersions(t *testing.T) {
	number := fromJSON(t, arrowtest.Checked(t), arrow.PrimitiveTypes.Int32, `[2, 1]`)
	future := foreignArray{number, arrow.ListOf(&novel{})}
	field := arrow.Field{Name: "x", Type: future.typ}
	schema := arrow.NewSchema([]arrow.Field{{Name: "n", Type: number.DataType()}, field}, nil)
	rec := array.NewRecordBatch(schema, []arrow.Array{number, future}, 2)
	defer rec.Release()
	tbl := array.NewTableFromSlice(schema, [][]arrow.Array{{number}, {future}})
	defer tbl.Release()
	chunked := arrow.NewChunked(future.typ, []arrow.Array{future})
	defer chunked.Release()
	for _, test := range []struct {
		data arrow18.Data
		text string
	}{
		{rec, `column "x" has type list<item: novel, nullable>`}, {tbl, `column "x" has type list`},
		{chunked, "the data has type list"}, {future, "the data has type list"},
	} {
		for _, c := range calls {
			err := c.run(t.Context(), test.data, by("n"), arrow18.Options{})
			require.ErrorIs(t, err, arrow.ErrNotImplemented)
			require.ErrorContains(t, err, test.text)
		}
	}
	_, err := arrow18.Take(t.Context(), rec, number, arrow18.Options{})
	require.ErrorIs(t, err, arrow.ErrNotImplemented)
	_, err = arrow18.Take(t.Context(), number, arrow.Array(future), arrow18.Options{})
	require.ErrorIs(t, err, arrow.ErrNotImplemented)
	require.ErrorContains(t, err, "the row numbers")
}

func TestRowNumbersThatAreNone(t *testing.T) {
	mem := arrowtest.Checked(t)
	data := fromJSON(t, mem, arrow.PrimitiveTypes.Int32, `[2, 1]`)
	for _, test := range []struct {
		typ  arrow.DataType
		rows string
		text string
	}{
		{arrow.PrimitiveTypes.Int16, `[0, 2]`, "position 1 is 2"}, {arrow.PrimitiveTypes.Int16, `[null]`, "null"},
		{&arrow.Decimal32Type{Precision: 3}, `["1"]`, "decimal32(3, 0)"}, {arrow.BinaryTypes.String, `["1"]`, "utf8"},
	} {
		rows := fromJSON(t, mem, test.typ, test.rows)
		_, err := arrow18.Take(t.Context(), data, rows, arrow18.Options{Allocator: mem})
		require.ErrorIs(t, err, arrowsort.ErrIndex)
		require.ErrorIs(t, err, arrow.ErrIndex)
		require.ErrorContains(t, err, test.text)
	}
	_, err := arrow18.Take(t.Context(), data, nil, arrow18.Options{})
	require.ErrorIs(t, err, arrowsort.ErrOption)
}

// Offsets that contradict the length make arrays panic, which must not escape.
func TestMalformedData(t *testing.T) {
	text := fromJSON(t, memory.DefaultAllocator, arrow.BinaryTypes.String, `["b", "a"]`)
	short := memory.NewBufferBytes(make([]byte, 4))
	data := array.NewData(arrow.BinaryTypes.String, 2, []*memory.Buffer{nil, text.Data().Buffers()[1],
		text.Data().Buffers()[2]}, nil, 0, 0)
	broken := array.MakeFromData(data)
	data.Buffers()[1] = short
	for _, c := range calls {
		err := c.run(t.Context(), broken, nil, arrow18.Options{})
		require.ErrorIs(t, err, arrow.ErrInvalid, c.name)
		require.ErrorContains(t, err, "malformed", c.name)
	}
}

// A stingy allocator fails from call number left on.
type stingy struct {
	memory.Allocator
	left int
}

func (s *stingy) Allocate(size int) []byte {
	if s.left--; s.left < 0 {
		panic("no memory")
	}
	return s.Allocator.Allocate(size)
}

func TestFailingAllocatorsLeaveNothing(t *testing.T) {
	for seed := range uint64(40) {
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		tbl := newTable(seed, memory.NewGoAllocator())
		for _, c := range calls {
			for left := 0; ; left++ {
				err := c.run(t.Context(), tbl.data, tbl.keys, arrow18.Options{Allocator: &stingy{mem, left}})
				mem.AssertSize(t, 0)
				if err == nil {
					break
				}
				require.ErrorIs(t, err, engine.ErrMemory, tbl.text)
			}
		}
		tbl.release()
	}
}

func TestCancelledCalls(t *testing.T) {
	mem := arrowtest.Checked(t)
	b := array.NewInt64Builder(mem)
	defer b.Release()
	for range 4_000_000 {
		b.Append(rand.Int64())
	}
	data := b.NewArray()
	defer data.Release()
	why := errors.New("enough")
	for _, c := range calls {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(why)
		require.ErrorIs(t, c.run(ctx, data, nil, arrow18.Options{Allocator: mem}), context.Canceled, c.name)
	}
	ctx, cancel := context.WithCancel(t.Context())
	opts := arrow18.Options{Allocator: mem, Progress: func(int, int) { cancel() }}
	_, err := arrow18.Sort(ctx, data, nil, opts)
	require.ErrorIs(t, err, context.Canceled)
	ctx, cancel = context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	_, err = arrow18.SortIndices(ctx, data, nil, arrow18.Options{Allocator: mem})
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

// Every option of the core is one here, with the same name.
func TestOptionsAreThoseOfTheCore(t *testing.T) {
	core, here := reflect.TypeFor[arrowsort.Options](), reflect.TypeFor[arrow18.Options]()
	require.Equal(t, core.NumField(), here.NumField())
	for i := range core.NumField() {
		require.Equal(t, core.Field(i).Name, here.Field(i).Name)
	}
}
