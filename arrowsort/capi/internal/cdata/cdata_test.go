//go:build capi

package cdata

import (
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// forEveryType runs a test with every type, alone and in every container.
func forEveryType(t *testing.T, test func(t *testing.T, typ arrow.DataType)) {
	for _, container := range arrowtest.Containers() {
		for _, inner := range arrowtest.Types() {
			if !testrun.Share(8, container.Name, inner.String()) && container.Name != "itself" {
				continue
			}
			meta := arrow.NewMetadata([]string{"of", ""}, []string{"the value", ""})
			typ := container.Of(arrow.Field{Name: "odd name", Type: inner, Nullable: true, Metadata: meta})
			if typ == nil {
				continue
			}
			t.Run(container.Name+" of "+inner.String(), func(t *testing.T) { test(t, typ) })
		}
	}
}

// TestFieldsOfEveryTypeComeBackAsTheyWere, but extension types, which come back as their storage and metadata.
func TestFieldsOfEveryTypeComeBackAsTheyWere(t *testing.T) {
	forEveryType(t, func(t *testing.T, typ arrow.DataType) {
		meta := arrow.NewMetadata([]string{"k", "k", ""}, []string{"v", "", "w"})
		for _, want := range []arrow.Field{{Name: "a", Type: typ, Nullable: true, Metadata: meta}, {Type: typ}} {
			var c Schema
			require.NoError(t, ExportField(want, &c))
			got, err := ImportField(&c)
			require.NoError(t, err)
			ReleaseSchema(&c)
			require.Nil(t, c.release)
			if strings.Contains(typ.String(), "extension") {
				again, err := roundTrip(got)
				require.NoError(t, err)
				require.Equal(t, got.String(), again.String())
				continue
			}
			require.True(t, want.Equal(got), "%s\n%s", want, got)
			require.Equal(t, want.String(), got.String())
		}
	})
}

func roundTrip(f arrow.Field) (arrow.Field, error) {
	var c Schema
	if err := ExportField(f, &c); err != nil {
		return f, err
	}
	defer ReleaseSchema(&c)
	return ImportField(&c)
}

// TestParametersOfTypesComeBack: the time zone has a colon, the index of a dictionary any width.
func TestParametersOfTypesComeBack(t *testing.T) {
	types := []arrow.DataType{
		&arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: "+05:30"}, &arrow.TimestampType{Unit: arrow.Second},
		&arrow.Decimal256Type{Precision: 76, Scale: -3}, &arrow.Decimal128Type{Precision: 38, Scale: 38},
		arrow.StructOf(), arrow.SparseUnionOf(nil, nil),
		arrow.StructOf(arrow.Field{Name: "a", Type: arrow.Null}, arrow.Field{Name: "a", Type: arrow.Null}),
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint64, ValueType: arrow.Null, Ordered: true},
	}
	sorted := arrow.MapOf(arrow.BinaryTypes.String, arrow.BinaryTypes.String)
	sorted.KeysSorted = true
	sorted.SetItemNullable(false)
	for _, typ := range append(types, sorted) {
		got, err := roundTrip(arrow.Field{Name: "a", Type: typ})
		require.NoError(t, err, typ)
		require.True(t, arrow.TypeEqual(typ, got.Type, arrow.CheckMetadata()), "%s, not %s", got.Type, typ)
	}
}

func TestFormatsThatAreNotSupported(t *testing.T) {
	for _, format := range []string{
		"", "?", "ts", "tsx:", "w", "w:", "w:0", "w:-1", "w:99999999999", "d:", "d:5", "d:0,0", "d:39,0", "d:9,2,32",
		"d:9,2,64", "d:77,0,256", "d:a,b", "+", "+x", "+w:0", "+w:x", "+us:x", "+us:-1", "+ud:128", "tsm", "tiX",
	} {
		_, err := typeOf(format, 0, nil)
		require.Error(t, err, "%q", format)
		require.Regexp(t, `format "`, err.Error())
	}
	null := arrow.Field{Name: "child", Type: arrow.Null}
	for format, children := range map[string][]arrow.Field{
		"l": {null}, "+l": nil, "+L": {null, null}, "+m": {null}, "+r": {null}, "+ud:1,2": {null}, "+w:3": nil,
	} {
		_, err := typeOf(format, 0, children)
		require.ErrorIs(t, err, errkind.ErrOption, format)
	}
	_, err := typeOf("+r", 0, []arrow.Field{null, null})
	require.ErrorIs(t, err, errkind.ErrOption, "run ends that are no integers")
	require.ErrorIs(t, ExportField(arrow.Field{Name: "a\x00b", Type: arrow.Null}, new(Schema)), errkind.ErrUnsupported)
}

// TestArraysOfEveryTypeComeBackAsTheyWereFromTheSameMemory: from slices with an offset, too, and of no rows.
func TestArraysOfEveryTypeComeBackAsTheyWereFromTheSameMemory(t *testing.T) {
	forEveryType(t, func(t *testing.T, typ arrow.DataType) {
		rng := rand.New(rand.NewPCG(testrun.Seed(), 1))
		mem := memory.NewCheckedAllocator(new(Memory))
		defer mem.AssertSize(t, 0)
		for _, a := range []arrow.Array{
			arrowtest.Random(rng, typ, 0, 0, mem), arrowtest.Random(rng, typ, 50, 0, mem),
			arrowtest.RandomSlice(rng, typ, 50, 13, 0.3, mem), arrowtest.RandomSlice(rng, typ, 0, 5, 0.3, mem),
		} {
			want := make([]string, a.Len())
			for i := range want {
				want[i] = arrowtest.Value(a, i)
			}
			field, err := roundTrip(arrow.Field{Type: typ})
			require.NoError(t, err)
			held := mem.CurrentAlloc()
			var c Array
			require.NoError(t, ExportArray(a.Data(), &c))
			data := a.Data()
			data.Retain()
			a.Release()
			back, err := ImportArray(&c, field.Type)
			require.NoError(t, err)
			require.Nil(t, c.release)
			if len(want) > 0 {
				requireSameMemory(t, data, back)
			}
			data.Release()
			if len(want) > 0 {
				require.Equal(t, held, mem.CurrentAlloc(), "nothing is copied, and all is held")
			}
			values := array.MakeFromData(back)
			back.Release()
			for i := range want {
				require.Equal(t, want[i], arrowtest.Value(values, i))
			}
			var second Array // of what was imported
			require.NoError(t, ExportArray(values.Data(), &second))
			values.Release()
			again, err := ImportArray(&second, field.Type)
			require.NoError(t, err)
			values = array.MakeFromData(again)
			again.Release()
			for i := range want {
				require.Equal(t, want[i], arrowtest.Value(values, i))
			}
			values.Release()
		}
	})
}

func requireSameMemory(t *testing.T, a, b arrow.ArrayData) {
	require.Equal(t, a.Len(), b.Len())
	if a.Len() == 0 {
		return
	}
	for i, buffer := range buffersOf(b.DataType().ID(), b.Buffers()) {
		if buffer != nil && buffer.Len() > 0 {
			was := buffersOf(b.DataType().ID(), a.Buffers())[i]
			require.Same(t, &was.Bytes()[0], &buffer.Bytes()[0], "buffer %d", i)
		}
	}
	require.Len(t, a.Children(), len(b.Children()))
	for i, child := range a.Children() {
		requireSameMemory(t, child, b.Children()[i])
	}
	if b.DataType().ID() == arrow.DICTIONARY {
		requireSameMemory(t, a.Dictionary(), b.Dictionary())
	}
}

// TestChildrenThatCMovesOutHoldTheTree: a parent may be released before a child that was moved out of it.
func TestChildrenThatCMovesOutHoldTheTree(t *testing.T) {
	mem := memory.NewCheckedAllocator(new(Memory))
	defer mem.AssertSize(t, 0)
	rng := rand.New(rand.NewPCG(testrun.Seed(), 2))
	text := arrow.Field{Name: "a", Type: arrow.BinaryTypes.String}
	typ := arrow.StructOf(text, arrow.Field{Name: "b", Type: arrow.Null})
	a := arrowtest.Random(rng, typ, 20, 0, mem)
	want := arrowtest.Value(a.(*array.Struct).Field(0), 7)
	var parent Array
	require.NoError(t, ExportArray(a.Data(), &parent))
	a.Release()
	child := firstChild(&parent)
	moved := *child
	child.release = nil
	ReleaseArray(&parent)
	require.Nil(t, parent.release)
	ReleaseArray(&parent) // does nothing
	require.NotZero(t, mem.CurrentAlloc())
	data, err := ImportArray(&moved, arrow.BinaryTypes.String)
	require.NoError(t, err)
	values := array.MakeFromData(data)
	data.Release()
	require.Equal(t, want, arrowtest.Value(values, 7))
	values.Release()
}

// TestArraysAreReleasedFromAnyThread at the same time.
func TestArraysAreReleasedFromAnyThread(t *testing.T) {
	mem := new(Memory)
	before := Bytes()
	typ := arrow.ListOf(arrow.BinaryTypes.String)
	rng := rand.New(rand.NewPCG(testrun.Seed(), 3))
	a := arrowtest.Random(rng, typ, 100, 0.2, mem)
	var all sync.WaitGroup
	for range 200 {
		all.Go(func() {
			var c Array
			if ExportArray(a.Data(), &c) == nil {
				data, err := ImportArray(&c, typ)
				if err == nil {
					data.Release()
				}
			}
		})
	}
	all.Wait()
	a.Release()
	require.Equal(t, before, Bytes())
}
