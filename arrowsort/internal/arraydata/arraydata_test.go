package arraydata

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
)

func TestNullsOfEveryType(t *testing.T) {
	mem := arrowtest.Checked(t)
	view := arrow.Field{Name: "v", Type: arrow.BinaryTypes.StringView, Nullable: true}
	types := append(arrowtest.Types(), arrow.StructOf(view), arrow.MapOf(arrow.BinaryTypes.BinaryView, view.Type),
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.ListViewOf(view.Type)},
		arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int16, view.Type))
	for _, typ := range types {
		for _, n := range []int{0, 1, 300} {
			a := Nulls(mem, typ, n)
			require.True(t, arrow.TypeEqual(typ, a.DataType()))
			require.Equal(t, n, a.Len())
			for i := range n {
				require.Contains(t, arrowtest.Value(a, i), "null", "%s", typ) // in a union after the child
			}
			a.Release()
		}
	}
}

func TestNullsOfEveryKind(t *testing.T) {
	require.True(t, IsNull(array.NewNull(2), 1))
	typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	entries := arrowtest.FromJSON(t, typ.ValueType, `["a", null]`)
	dictionary := array.NewDictionaryArray(typ, arrowtest.FromJSON(t, typ.IndexType, `[0, 1, null]`), entries)
	for i, null := range []bool{false, true, true} {
		require.Equal(t, null, IsNull(dictionary, i), i)
	}
	runs := array.NewRunEndEncodedArray(arrowtest.FromJSON(t, arrow.PrimitiveTypes.Int32, `[2, 3]`), entries, 3, 0)
	for i, null := range []bool{false, false, true} {
		require.Equal(t, null, IsNull(runs, i), i)
	}
}

func entries(t *testing.T, text string) arrow.ArrayData {
	a, _, err := array.FromJSON(memory.DefaultAllocator, arrow.BinaryTypes.String, strings.NewReader(text))
	require.NoError(t, err)
	return a.Data()
}

func TestDistinctDictionaries(t *testing.T) {
	a, again := entries(t, `["x", "y"]`), entries(t, `["x", "y"]`)
	b, c := entries(t, `["y", "x"]`), entries(t, `["z"]`)
	for _, test := range []struct {
		of    []arrow.ArrayData
		want  []arrow.ArrayData
		which []int
	}{
		{nil, nil, []int{}},
		{[]arrow.ArrayData{nil}, nil, []int{-1}},
		{[]arrow.ArrayData{a, again, nil, a}, []arrow.ArrayData{a}, []int{0, 0, -1, 0}},
		{[]arrow.ArrayData{a, b, again, c, b, entries(t, `["y", "x"]`)}, []arrow.ArrayData{a, b, c},
			[]int{0, 1, 0, 2, 1, 1}},
	} {
		distinct, which := DistinctDictionaries(len(test.of), func(i int) arrow.ArrayData { return test.of[i] })
		require.Equal(t, test.want, distinct)
		require.Equal(t, test.which, which)
	}
}

func TestIndexLimit(t *testing.T) {
	require.EqualValues(t, 128, IndexLimit(arrow.PrimitiveTypes.Int8))
	require.EqualValues(t, 256, IndexLimit(arrow.PrimitiveTypes.Uint8))
	require.EqualValues(t, 1<<62, IndexLimit(arrow.PrimitiveTypes.Uint64))
}

// TestHasDictionary: at any level, but not in the values of a dictionary.
func TestHasDictionary(t *testing.T) {
	d := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	require.True(t, HasDictionary(arrow.ListOf(arrow.StructOf(arrow.Field{Name: "d", Type: d}))))
	require.False(t, HasDictionary(arrow.ListOf(arrow.BinaryTypes.String)))
}

// TestIdentical: bytes count, and a dictionary as well.
func TestIdentical(t *testing.T) {
	require.True(t, Identical(entries(t, `["x", null]`), entries(t, `["x", null]`)))
	require.False(t, Identical(entries(t, `["x", null]`), entries(t, `["x", ""]`)))
	require.False(t, Identical(entries(t, `["x"]`), entries(t, `["x", "y"]`)))
}

// TestPrefetch: all pieces come in turn, the first error ends it, and every piece is released.
func TestPrefetch(t *testing.T) {
	numbers := arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int64}}, nil)
	broken, full := errors.New("broken"), errors.New("full")
	for _, c := range []struct {
		failNext, failUse int // the piece at which it fails; less than 0: none
		used              int
		err               error
	}{{-1, -1, 5, nil}, {3, -1, 3, broken}, {0, -1, 0, broken}, {-1, 2, 3, full}} {
		mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
		b := array.NewRecordBuilder(mem, numbers)
		read, used := 0, 0
		err := Prefetch(t.Context(), func(context.Context) (Piece, error) {
			if read == c.failNext {
				return Piece{}, broken
			}
			if read == 5 {
				return Piece{}, io.EOF
			}
			b.Field(0).(*array.Int64Builder).AppendValues(make([]int64, 10), nil)
			rec := b.NewRecord()
			defer rec.Release()
			read++
			return Piece{array.NewTableFromRecords(rec.Schema(), []arrow.Record{rec}), int64(read)}, nil
		}, func(_ context.Context, p Piece) error {
			require.EqualValues(t, 10, p.NumRows())
			used++
			require.EqualValues(t, used, p.Done)
			if used-1 == c.failUse {
				return full
			}
			return nil
		})
		require.Equal(t, c.err, err)
		if c.err == broken {
			require.LessOrEqual(t, used, c.used)
		} else {
			require.Equal(t, c.used, used)
		}
		b.Release()
		mem.AssertSize(t, 0)
	}
}

// TestMapTypesKeepsEveryNestedType: with the types of the fields as they are, a type is what it was.
func TestMapTypesKeepsEveryNestedType(t *testing.T) {
	var same func(arrow.DataType) arrow.DataType
	same = func(typ arrow.DataType) arrow.DataType { return MapTypes(typ, same) }
	for _, typ := range arrowtest.Types() {
		require.True(t, arrow.TypeEqual(typ, same(typ), arrow.CheckMetadata()), "%s became %s", typ, same(typ))
	}
}

func TestMapTypes(t *testing.T) {
	wide := func(typ arrow.DataType) arrow.DataType {
		if typ.ID() == arrow.INT8 {
			return arrow.PrimitiveTypes.Int64
		}
		return typ
	}
	i8, i64 := arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int64
	for _, c := range [][2]arrow.DataType{
		{arrow.ListOf(i8), arrow.ListOf(i64)}, {arrow.FixedSizeListOf(3, i8), arrow.FixedSizeListOf(3, i64)},
		{arrow.StructOf(arrow.Field{Name: "a", Type: i8}), arrow.StructOf(arrow.Field{Name: "a", Type: i64})},
		{i8, i8}, {arrow.ListOf(arrow.ListOf(i8)), arrow.ListOf(arrow.ListOf(i8))}, // one level only
	} {
		require.True(t, arrow.TypeEqual(c[1], MapTypes(c[0], wide)), "%s", c[0])
	}
}

// TestAny looks at the storage of extension types, at every level.
func TestAny(t *testing.T) {
	isString := func(typ arrow.DataType) bool { return typ.ID() == arrow.STRING }
	text := arrowtest.NewExtension(arrow.BinaryTypes.String)
	require.True(t, Any(text, isString))
	require.True(t, Any(arrow.ListOf(arrow.MapOf(arrow.PrimitiveTypes.Int8, text)), isString))
	require.False(t, Any(arrow.ListOf(arrow.PrimitiveTypes.Int8), isString))
	require.Equal(t, arrow.STRING, Storage(text).ID())
}

func TestPick(t *testing.T) {
	meta := arrow.MetadataFrom(map[string]string{"k": "v"})
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.Null}, {Name: "b", Type: arrow.Null}}, &meta)
	require.Same(t, schema, Pick(schema, nil))
	picked := Pick(schema, []int{1})
	require.Equal(t, []string{"b"}, []string{picked.Field(0).Name})
	require.Equal(t, meta, picked.Metadata())
}
