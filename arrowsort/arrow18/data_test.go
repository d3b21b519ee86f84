package arrow18_test

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/arrow18"
	"github.com/arrowsort/arrowsort/arrowsort/arrow18/internal/modern"
	convert "github.com/arrowsort/arrowsort/arrowsort/internal/arrow18"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
)

func TestDecimalsOfEveryWidth(t *testing.T) {
	mem := arrowtest.Checked(t)
	for _, typ := range []arrow.DataType{
		&arrow.Decimal32Type{Precision: 9, Scale: 2}, &arrow.Decimal64Type{Precision: 18, Scale: 2},
		&arrow.Decimal128Type{Precision: 30, Scale: 2}, &arrow.Decimal256Type{Precision: 60, Scale: 2},
	} {
		data := fromJSON(t, mem, typ, `["1.50", "-2.25", null, "0.10", "-2.26"]`)
		sorted, err := arrow18.Sort(t.Context(), data, nil, arrow18.Options{Allocator: mem})
		require.NoError(t, err)
		want := fromJSON(t, mem, typ, `["-2.26", "-2.25", "0.10", "1.50", null]`)
		require.True(t, array.Equal(want, sorted), "%v", sorted)
		sorted.Release()
	}
}

// Extension types are sorted by their storage and stay what they are.
func TestExtensionTypes(t *testing.T) {
	mem := arrowtest.Checked(t)
	b := extensions.NewUUIDBuilder(mem)
	defer b.Release()
	for _, id := range []string{"b0000000-0000-0000-0000-000000000000", "0a000000-0000-0000-0000-000000000000"} {
		require.NoError(t, b.AppendValueFromString(id))
	}
	ids := b.NewArray().(*extensions.UUIDArray)
	defer ids.Release()
	sorted, err := arrow18.Sort(t.Context(), ids, nil, arrow18.Options{Allocator: mem}) // a *extensions.UUIDArray
	require.NoError(t, err)
	defer sorted.Release()
	require.Equal(t, ids.ValueStr(1), sorted.ValueStr(0))
	require.Equal(t, ids.ValueStr(0), sorted.ValueStr(1))
}

// Fields of structs are keys, inside extension types too.
func TestNestedKeys(t *testing.T) {
	mem := arrowtest.Checked(t)
	price := &arrow.Decimal32Type{Precision: 5, Scale: 1}
	inner := modern.NewTag(arrow.StructOf(arrow.Field{Name: "price", Type: price, Nullable: true}))
	typ := arrow.StructOf(arrow.Field{Name: "of", Type: inner, Nullable: true})
	data := fromJSON(t, mem, typ, `[{"of": {"price": "2.5"}}, null, {"of": null}, {"of": {"price": "-1.0"}}]`)
	rec := record(t, []string{"item"}, data)
	for _, path := range []string{"item.of.price", "item.of", "item"} {
		rows, err := arrow18.SortIndices(t.Context(), rec, by(path), arrow18.Options{Allocator: mem})
		require.NoError(t, err)
		require.Equal(t, []uint64{3, 0, 1, 2}, rows.Uint64Values())
		rows.Release()
	}
	rows, err := arrow18.SortIndices(t.Context(), data, by("of.price"), arrow18.Options{Allocator: mem})
	require.NoError(t, err)
	require.Equal(t, []uint64{3, 0, 1, 2}, rows.Uint64Values())
	rows.Release()
}

// Arrays without rows, of v18's own builders, and of nulls only. Their buffers may be missing.
func TestEmptyDataAndNullsOfEveryType(t *testing.T) {
	mem := arrowtest.Checked(t)
	made := 0
	for _, typ := range arrowtest.Types() {
		for _, typ := range []arrow.DataType{modern.Plain(typ), modern.Type(typ)} {
			arrays := []func() arrow.Array{
				func() arrow.Array { return array.NewBuilder(memory.DefaultAllocator, typ).NewArray() },
			}
			for n := range 4 {
				arrays = append(arrays, func() arrow.Array {
					return array.MakeArrayOfNull(memory.DefaultAllocator, typ, n)
				})
			}
			for _, make := range arrays {
				if a, ok := unlessPanic(make); ok {
					requireKept(t, mem, a)
					made++
				}
			}
		}
	}
	require.Greater(t, made, 600)
}

// unlessPanic makes an array, if v18 can make one of its type.
func unlessPanic(make func() arrow.Array) (a arrow.Array, ok bool) {
	defer func() { ok = recover() == nil }()
	return make(), true
}

// requireKept sorts rows that are all alike, as payload and, where they have an order, by them.
func requireKept(t *testing.T, mem memory.Allocator, a arrow.Array) {
	number, err := arrow18.SortIndices(t.Context(), array.NewNull(a.Len()), nil, arrow18.Options{Allocator: mem})
	require.NoError(t, err)
	defer number.Release()
	rec := record(t, []string{"a", "n"}, a, number)
	sorted, err := arrow18.Sort(t.Context(), rec, by("n"), arrow18.Options{Allocator: mem})
	require.NoError(t, err, "%v", a.DataType())
	require.True(t, array.RecordEqual(rec, sorted), "%v", a.DataType())
	sorted.Release()
	chunked := arrow.NewChunked(a.DataType(), []arrow.Array{a, a}[:a.Len()%3])
	defer chunked.Release()
	again, err := arrow18.Sort(t.Context(), chunked, nil, arrow18.Options{Allocator: mem})
	if err == nil {
		require.Equal(t, chunked.Len(), again.Len())
		again.Release()
		return
	}
	require.ErrorIs(t, err, arrowsort.ErrKeyType)
}

func TestTypesWithoutAnOrder(t *testing.T) {
	for _, old := range arrowtest.Types() {
		rows := arrowtest.Random(rand.New(rand.NewPCG(1, 2)), old, 2, 0, memory.DefaultAllocator)
		for _, typ := range []arrow.DataType{modern.Plain(old), modern.Type(old)} {
			a := convert.ToArray(rows, typ)
			_, err := arrow18.Explain(t.Context(), a, nil, arrow18.Options{})
			if isSortable(old) {
				require.NoError(t, err, "%v", typ)
			} else {
				require.ErrorIs(t, err, arrowsort.ErrKeyType, "%v", typ)
			}
		}
	}
}

// A stream's dictionary grows from batch to batch; the chunks of the table have different dictionaries.
func TestDeltaDictionaries(t *testing.T) {
	mem := arrowtest.Checked(t)
	typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	schema := arrow.NewSchema([]arrow.Field{{Name: "d", Type: typ, Nullable: true}}, nil)
	var stream bytes.Buffer
	w := ipc.NewWriter(&stream, ipc.WithSchema(schema), ipc.WithAllocator(mem), ipc.WithDictionaryDeltas(true))
	b := array.NewDictionaryBuilder(mem, typ).(*array.BinaryDictionaryBuilder)
	defer b.Release()
	for _, words := range [][]string{{"oak", "elm"}, {"ash", "elm"}, {"fir", ""}} {
		for _, word := range words {
			require.NoError(t, b.AppendString(word))
		}
		b.AppendNull()
		a := b.NewArray() // with the words so far
		rec := array.NewRecordBatch(schema, []arrow.Array{a}, 3)
		require.NoError(t, w.Write(rec))
		rec.Release()
		a.Release()
	}
	require.NoError(t, w.Close())

	r, err := ipc.NewReader(&stream, ipc.WithAllocator(mem))
	require.NoError(t, err)
	defer r.Release()
	var batches []arrow.RecordBatch
	for r.Next() {
		rec := r.RecordBatch()
		rec.Retain()
		defer rec.Release()
		batches = append(batches, rec)
	}
	require.NoError(t, r.Err())
	tbl := array.NewTableFromRecords(schema, batches)
	defer tbl.Release()
	key := []arrowsort.Key{{Path: "d", Nulls: arrowsort.NullsAtStart}}
	sorted, err := arrow18.Sort(t.Context(), tbl, key, arrow18.Options{Allocator: mem})
	require.NoError(t, err)
	defer sorted.Release()
	var words []string
	for _, c := range sorted.Column(0).Data().Chunks() {
		for i := range c.Len() {
			words = append(words, c.ValueStr(i))
		}
	}
	require.Equal(t, "(null) (null) (null)  ash elm elm fir oak", strings.Join(words, " "))
}

// Null entries of a dictionary are nulls, whatever index points to them.
func TestNullsInDictionaries(t *testing.T) {
	mem := arrowtest.Checked(t)
	index := fromJSON(t, mem, arrow.PrimitiveTypes.Uint16, `[1, 0, null, 2, 1]`)
	entries := fromJSON(t, mem, &arrow.Decimal64Type{Precision: 10}, `["7", null, "-3"]`)
	dict := array.NewDictionaryArray(
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint16, ValueType: entries.DataType()}, index, entries)
	defer dict.Release()
	rows, err := arrow18.SortIndices(t.Context(), dict, nil, arrow18.Options{Allocator: mem})
	require.NoError(t, err)
	defer rows.Release()
	require.Equal(t, []uint64{3, 1, 0, 2, 4}, rows.Uint64Values())
}
