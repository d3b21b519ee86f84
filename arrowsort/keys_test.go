package arrowsort_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
)

func i32Field(name string) arrow.Field {
	return arrow.Field{Name: name, Type: arrow.PrimitiveTypes.Int32, Nullable: true}
}

func TestKeysFindTheirColumns(t *testing.T) {
	mem := arrowtest.Checked(t)
	i32 := arrow.PrimitiveTypes.Int32
	falling := fromJSON(t, mem, i32, `[3, 2, 1]`)
	rising := fromJSON(t, mem, i32, `[1, 2, 3]`)
	inner := arrow.StructOf(i32Field("b"), i32Field("b.c"), i32Field(""))
	nested := fromJSON(t, mem, arrow.StructOf(i32Field("x"), arrow.Field{Name: "a", Type: inner, Nullable: true}),
		`[{"x":2,"a":{"b":1,"b.c":2,"":3}},{"x":1,"a":{"b":3,"b.c":1,"":2}},{"x":3,"a":{"b":2,"b.c":3,"":1}}]`)
	rec := record(t, []string{"down", "s", "s.x", ""}, falling, nested, rising, falling)
	for _, c := range []struct {
		key  arrowsort.Key
		want []uint64
	}{
		{arrowsort.Key{Path: "down"}, []uint64{2, 1, 0}},
		{arrowsort.Key{At: arrowsort.Column(0)}, []uint64{2, 1, 0}},
		{arrowsort.Key{At: arrowsort.Column(3)}, []uint64{2, 1, 0}},
		{arrowsort.Key{Path: "s.x"}, []uint64{0, 1, 2}}, // the exact name, not the field of s
		{arrowsort.Key{Path: "s.a.b"}, []uint64{0, 2, 1}},
		{arrowsort.Key{Path: "s.a.b.c"}, []uint64{1, 0, 2}},
		{arrowsort.Key{Path: "s.a."}, []uint64{2, 1, 0}},
		{arrowsort.Key{Path: "s"}, []uint64{1, 0, 2}},
		{arrowsort.Key{Path: "s.a", Order: arrowsort.Descending}, []uint64{1, 2, 0}},
	} {
		require.Equal(t, c.want, indices(t, mem, rec, []arrowsort.Key{c.key}), "%+v", c.key)
	}
	require.Equal(t, []uint64{1, 0, 2}, indices(t, mem, nested, nil))
	require.Equal(t, []uint64{0, 2, 1}, indices(t, mem, nested, []arrowsort.Key{{Path: "a.b"}}))
}

func TestKeysThatCannotBe(t *testing.T) {
	mem := arrowtest.Checked(t)
	i32 := arrow.PrimitiveTypes.Int32
	a := fromJSON(t, mem, i32, `[1]`)
	interval := arrow.FixedWidthTypes.DayTimeInterval
	list := fromJSON(t, mem, arrow.ListOf(interval), `[[]]`)
	days := fromJSON(t, mem, interval, `[null]`)
	twice := fromJSON(
		t, mem, arrow.StructOf(i32Field("x"), arrow.Field{Name: "l", Type: arrow.ListOf(interval), Nullable: true}),
		`[null]`,
	)
	rec := record(t, []string{"a", "b", "b", "list", "days", "s"}, a, a, a, list, days, twice)
	for _, c := range []struct {
		key  arrowsort.Key
		is   []error
		text string
	}{
		{arrowsort.Key{Path: "c"}, []error{arrowsort.ErrColumn, arrow.ErrKey, arrow.ErrInvalid},
			`arrowsort: invalid sort key column: no match for key "c"; there are "a", "b", "b", "list", "days", "s"`},
		{arrowsort.Key{Path: "lsit"}, []error{arrowsort.ErrColumn},
			`arrowsort: invalid sort key column: no match for key "lsit"; did you mean "list"?`},
		{arrowsort.Key{Path: "b"}, []error{arrowsort.ErrColumn},
			`arrowsort: invalid sort key column: key "b": 2 columns are named "b"; use Key.At`},
		{arrowsort.Key{Path: "a.x"}, []error{arrowsort.ErrColumn},
			`arrowsort: invalid sort key column: key "a.x": column "a" has type int32 and no fields`},
		{arrowsort.Key{Path: "s.y"}, []error{arrowsort.ErrColumn},
			`arrowsort: invalid sort key column: no match for key "s.y"; there are "x", "l"`},
		{arrowsort.Key{At: arrowsort.Column(6)}, []error{arrowsort.ErrColumn},
			`arrowsort: invalid sort key column: the key has position 6, the data has 6 columns`},
		{arrowsort.Key{At: arrowsort.Column(-1)}, []error{arrowsort.ErrColumn},
			`arrowsort: invalid sort key column: the key has position -1, the data has 6 columns`},
		{arrowsort.Key{Path: "a", At: arrowsort.Column(2)}, []error{arrowsort.ErrOption, arrow.ErrInvalid},
			`arrowsort: invalid argument: a key has both the path "a" and the position 2`},
		{arrowsort.Key{Order: arrowsort.Descending}, []error{arrowsort.ErrOption},
			`arrowsort: invalid argument: a key has neither a path nor a position, and the data has 6 columns`},
		{arrowsort.Key{Path: "a", Order: 7}, []error{arrowsort.ErrOption},
			`arrowsort: invalid argument: key 0 has order 7 and null placement 0`},
		{arrowsort.Key{Path: "list"}, []error{arrowsort.ErrKeyType, arrow.ErrNotImplemented},
			`arrowsort: unsupported type of sort key: key list.item has type day_time_interval`},
		{arrowsort.Key{Path: "days"}, []error{arrowsort.ErrKeyType},
			`arrowsort: unsupported type of sort key: key days has type day_time_interval`},
		{arrowsort.Key{Path: "s"}, []error{arrowsort.ErrKeyType},
			`arrowsort: unsupported type of sort key: key s.l.item has type day_time_interval`},
	} {
		_, err := arrowsort.SortIndices(t.Context(), rec, []arrowsort.Key{c.key}, arrowsort.Options{Allocator: mem})
		for _, is := range c.is {
			require.ErrorIs(t, err, is, "%+v", c.key)
		}
		require.EqualError(t, err, c.text)
	}
	_, err := arrowsort.SortIndices(t.Context(), rec, nil, arrowsort.Options{Allocator: mem})
	require.ErrorIs(t, err, arrowsort.ErrNoKeys)
	require.ErrorIs(t, err, arrow.ErrInvalid)
	_, err = arrowsort.SortIndices(t.Context(), a, []arrowsort.Key{{Path: "x"}}, arrowsort.Options{Allocator: mem})
	require.EqualError(
		t, err,
		`arrowsort: invalid sort key column: the key "x" of an array of type int32; `+
			`an array has no columns, leave Path empty`,
	)
}

func TestEveryTypeIsAKeyOrAnError(t *testing.T) {
	mem := arrowtest.Checked(t)
	rng := rand.New(rand.NewPCG(1, 6))
	for _, typ := range arrowtest.Types() {
		a := arrowtest.Random(rng, typ, 3, 0.2, mem)
		rows, err := arrowsort.SortIndices(t.Context(), a, nil, arrowsort.Options{Allocator: mem})
		if err != nil {
			require.ErrorIs(t, err, arrowsort.ErrKeyType)
			require.Contains(t, err.Error(), "#0")
		} else {
			rows.Release()
		}
		a.Release()
	}
}

func TestFirstOfDuplicateKeysWins(t *testing.T) {
	mem := arrowtest.Checked(t)
	i32 := arrow.PrimitiveTypes.Int32
	rec := record(t, []string{"a", "b"}, fromJSON(t, mem, i32, `[1, 2, 1]`), fromJSON(t, mem, i32, `[1, 2, 3]`))
	require.Equal(t, []uint64{2, 0, 1}, indices(t, mem, rec, []arrowsort.Key{
		{Path: "a"}, {At: arrowsort.Column(0), Order: arrowsort.Descending}, {Path: "b", Order: arrowsort.Descending},
		{Path: "b"}}))
}

// TestStructKeys compares struct keys of sliced and nested structs, which have nulls at every level, with their fields.
func TestStructKeys(t *testing.T) {
	inner := arrow.StructOf(
		arrow.Field{Name: "b", Type: arrow.FixedWidthTypes.Boolean, Nullable: true},
		arrow.Field{
			Name: "r", Type: arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Uint8),
			Nullable: true,
		},
		arrow.Field{
			Name:     "d",
			Type:     &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String},
			Nullable: true,
		},
	)
	typ := arrow.StructOf(i32Field("x"), arrow.Field{Name: "i", Type: inner, Nullable: true})
	for _, offset := range []int{0, 1, 7, 31, 63} {
		for seed := range uint64(20) {
			mem := arrowtest.Checked(t)
			rng := rand.New(rand.NewPCG(seed, uint64(offset)))
			chunks := []arrow.Array{
				arrowtest.RandomSlice(rng, typ, 90, offset, 0.4, mem),
				arrowtest.RandomSlice(rng, typ, 33, 63-offset, 0.4, mem),
			}
			tbl := table(t, []string{"s"}, chunks)
			for _, key := range allKeys("s.i") {
				want := argsort([][]arrow.Array{chunks}, []arrowsort.Key{key}, 1)
				require.Equal(t, want, indices(t, mem, tbl, []arrowsort.Key{key}), "seed %d, offset %d", seed, offset)
			}
			key := arrowsort.Key{Path: "s.i.d", Order: arrowsort.Descending}
			want := argsort([][]arrow.Array{chunks}, []arrowsort.Key{key}, 1, 2)
			require.Equal(t, want, indices(t, mem, tbl, []arrowsort.Key{key}))

			sorted, err := arrowsort.Sort(t.Context(), tbl, []arrowsort.Key{key}, arrowsort.Options{Allocator: mem})
			require.NoError(t, err)
			all, got := texts(chunks...), texts(sorted.Column(0).Data().Chunks()...)
			for i, row := range want {
				require.Equal(t, all[row], got[i])
			}
			sorted.Release()
			releaseAll(chunks)
		}
	}
}

func TestStructWithoutFieldsKeepsTheOrder(t *testing.T) {
	mem := arrowtest.Checked(t)
	a := fromJSON(t, mem, arrow.StructOf(), `[{}, null, {}]`)
	require.Equal(t, []uint64{0, 1, 2}, indices(t, mem, a, nil))
	sorted, err := arrowsort.Sort(t.Context(), a, nil, arrowsort.Options{Allocator: mem})
	require.NoError(t, err)
	defer sorted.Release()
	require.Equal(t, 1, sorted.NullN())
}

func TestManyColumnsAreNotAllNamed(t *testing.T) {
	mem := arrowtest.Checked(t)
	a := fromJSON(t, mem, arrow.PrimitiveTypes.Int32, `[1]`)
	var names []string
	var columns []arrow.Array
	for i := range 30 {
		names, columns = append(names, fmt.Sprint("c", i)), append(columns, a)
	}
	_, err := arrowsort.SortIndices(
		t.Context(), record(t, names, columns...), []arrowsort.Key{{Path: "z"}}, arrowsort.Options{Allocator: mem},
	)
	require.ErrorContains(t, err, `"c9", and others`)
	none := array.NewRecord(arrow.NewSchema(nil, nil), nil, 3)
	defer none.Release()
	_, err = arrowsort.SortIndices(t.Context(), none, []arrowsort.Key{{Path: "z"}}, arrowsort.Options{Allocator: mem})
	require.ErrorContains(t, err, "there are no columns")
}

// TestLongestStartThatLeadsOnWins follows a path whose longest start is a column without fields.
func TestLongestStartThatLeadsOnWins(t *testing.T) {
	mem := arrowtest.Checked(t)
	fields := func(names ...string) (fs []arrow.Field) {
		for _, name := range names {
			fs = append(fs, i32Field(name))
		}
		return fs
	}
	b := arrow.Field{Name: "b", Type: arrow.StructOf(fields("c")...)}
	rec := record(t, []string{"a", "a.b", "x", "x.y"},
		fromJSON(t, mem, arrow.StructOf(b), `[{"b": {"c": 2}}, {"b": {"c": 1}}]`),
		fromJSON(t, mem, arrow.PrimitiveTypes.Int8, `[1, 2]`),
		fromJSON(t, mem, arrow.StructOf(arrow.Field{Name: "y", Type: arrow.StructOf(fields("z")...)}),
			`[{"y": {"z": 2}}, {"y": {"z": 1}}]`),
		fromJSON(t, mem, arrow.StructOf(fields("w")...), `[{"w": 1}, {"w": 2}]`))
	require.Equal(t, []uint64{1, 0}, indices(t, mem, rec, []arrowsort.Key{{Path: "a.b.c"}}))
	require.Equal(t, []uint64{0, 1}, indices(t, mem, rec, []arrowsort.Key{{Path: "a.b"}}))
	require.Equal(t, []uint64{1, 0}, indices(t, mem, rec, []arrowsort.Key{{Path: "x.y.z"}}))
	_, err := arrowsort.SortIndices(
		t.Context(), rec, []arrowsort.Key{{Path: "a.b.d"}}, arrowsort.Options{Allocator: mem},
	)
	require.EqualError(t, err,
		`arrowsort: invalid sort key column: key "a.b.d": column "a.b" has type int8 and no fields`)
}

// TestKeysTwice gives every function each key twice, the second time in another order: the first one counts.
func TestKeysTwice(t *testing.T) {
	mem := arrowtest.Checked(t)
	rec := record(t, []string{"a", "b"}, fromJSON(t, mem, arrow.PrimitiveTypes.Int8, `[2, 1, null, 2]`),
		fromJSON(t, mem, arrow.BinaryTypes.String, `["x", "y", "z", "w"]`))
	once := []arrowsort.Key{{Path: "a"}, {Path: "b"}}
	twice := []arrowsort.Key{{Path: "a"}, {At: arrowsort.Column(0), Order: arrowsort.Descending}, {Path: "b"},
		{Path: "b", Nulls: arrowsort.NullsAtStart}, {Path: "a"}}
	opts := arrowsort.Options{Allocator: mem}
	sorted, err := arrowsort.Sort(t.Context(), rec, once, opts)
	require.NoError(t, err)
	defer sorted.Release()
	values := record(t, make([]string, 5), sorted.Column(0), sorted.Column(0), sorted.Column(1), sorted.Column(1),
		sorted.Column(0))
	row := fromJSON(t, mem, arrow.PrimitiveTypes.Int8, `[0]`)
	calls := func(values arrowsort.Data, k []arrowsort.Key) map[string]call {
		calls := callsOn(rec, sorted, values, row, k)
		delete(calls, "CurveIndex") // its keys have no order
		calls["SelectKPerGroup"] = func(ctx context.Context, o arrowsort.Options) (arrowsort.Data, error) {
			return data(arrowsort.SelectKPerGroup(ctx, rec, k[:1], k[1:], 1, o))
		}
		calls["SelectKPerGroup, groups"] = func(ctx context.Context, o arrowsort.Options) (arrowsort.Data, error) {
			return data(arrowsort.SelectKPerGroup(ctx, rec, k, k, 1, o))
		}
		calls["MergeReaders"] = func(ctx context.Context, o arrowsort.Options) (arrowsort.Data, error) {
			o.BatchRows = 100
			readers := []array.RecordReader{streamOf(t, sorted, 2), streamOf(t, sorted, 3)}
			merged, err := arrowsort.MergeReaders(ctx, readers, k, o)
			require.NoError(t, err)
			defer merged.Release()
			require.True(t, merged.Next())
			merged.Record().Retain()
			return merged.Record(), merged.Err()
		}
		return calls
	}
	again := calls(values, twice)
	for name, call := range calls(sorted, once) {
		want, err := call(t.Context(), opts)
		require.NoError(t, err, name)
		got, err := again[name](t.Context(), opts)
		require.NoError(t, err, name)
		require.Equal(t, fmt.Sprint(want), fmt.Sprint(got), name)
		want.Release()
		got.Release()
	}
	inOrder, at, err := arrowsort.IsSorted(t.Context(), sorted, twice, opts)
	require.NoError(t, err)
	require.True(t, inOrder, at)
	plan, err := arrowsort.Explain(t.Context(), rec, twice, opts)
	require.NoError(t, err)
	require.Len(t, plan.Lines(), 3, "two keys and the code")
}

// A key without a path and a position is the column of data that has one.
func TestKeyOfTheOnlyColumn(t *testing.T) {
	mem := arrowtest.Checked(t)
	column := record(t, []string{"a"}, fromJSON(t, mem, arrow.PrimitiveTypes.Int32, "[2, 3, 1]"))
	for _, key := range []arrowsort.Key{{}, arrowsort.KeyAt(0), arrowsort.KeyOf("a")} {
		rows, err := arrowsort.SortIndices(t.Context(), column, []arrowsort.Key{key}, arrowsort.Options{Allocator: mem})
		require.NoError(t, err)
		require.Equal(t, []uint64{2, 0, 1}, rows.Uint64Values())
		rows.Release()
	}
}

func TestPositionsAsJSON(t *testing.T) {
	for _, at := range []arrowsort.Position{{}, arrowsort.Column(0), arrowsort.Column(7), arrowsort.Column(-1)} {
		text, err := json.Marshal(arrowsort.Key{At: at})
		require.NoError(t, err)
		var key arrowsort.Key
		require.NoError(t, json.Unmarshal(text, &key))
		require.Equal(t, at, key.At, "%s", text)
	}
}
