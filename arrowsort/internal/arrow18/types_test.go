package arrow18

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	v15 "github.com/apache/arrow/go/v15/arrow"
	memory15 "github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
)

// layoutOf15 returns the layout of a type of v15 that went to v18.
func layoutOf15(t *testing.T, typ v15.DataType) (arrow.DataType, v15.DataType) {
	there := ToLayout(v15.NewSchema([]v15.Field{{Name: "a", Type: typ, Nullable: true}}, nil)).Field(0).Type
	back, err := FromLayout(there)
	require.NoError(t, err)
	return there, back
}

func TestLayoutsOfEveryTypeHoldItsArrays(t *testing.T) {
	forEveryType(t, func(t *testing.T, typ v15.DataType) {
		rng := rand.New(rand.NewPCG(7, 8))
		there, layout := layoutOf15(t, typ)
		a := arrowtest.RandomSlice(rng, typ, 40, 5, 0.3, memory15.DefaultAllocator)
		var shared BufferMap
		dicts := shared.Dictionaries()
		defer dicts.Release()
		back := shared.FromArray(ToArray(a, there), layout)
		for i := range a.Len() {
			require.Equal(t, arrowtest.Value(a, i), arrowtest.Value(back, i))
		}
		again := dicts.ToArray(back, there)
		require.True(t, arrow.TypeEqual(there, again.DataType()))
		requireSameMemory(t, again.Data(), back.Data())
	})
}

func TestTypesThatOnlyV18Has(t *testing.T) {
	dec := &arrow.Decimal32Type{Precision: 7, Scale: 2}
	for _, test := range []struct {
		typ    arrow.DataType
		stored v15.DataType
		text   string
	}{
		{dec, v15.PrimitiveTypes.Int32, "decimal32(7, 2)"},
		{&arrow.Decimal64Type{Precision: 18, Scale: 3}, v15.PrimitiveTypes.Int64, "decimal64(18, 3)"},
		{extensions.NewUUIDType(), &v15.FixedSizeBinaryType{ByteWidth: 16}, "extension<arrow.uuid>"},
	} {
		layout, err := FromLayout(test.typ)
		require.NoError(t, err)
		require.Equal(t, test.text, layout.String())
		require.True(t, v15.TypeEqual(test.stored, storage15(layout)))
		same, err := FromLayout(test.typ)
		require.NoError(t, err)
		require.True(t, v15.TypeEqual(layout, same))
	}
	list, err := FromLayout(arrow.ListOf(dec))
	require.NoError(t, err)
	require.Equal(t, "list<item: decimal32(7, 2), nullable>", list.String())
	other, err := FromLayout(arrow.ListOf(&arrow.Decimal32Type{Precision: 7, Scale: 3}))
	require.NoError(t, err)
	require.False(t, v15.TypeEqual(list, other))
}

// A novel type is one of a later version.
type novel struct{ arrow.DataType }

func (novel) ID() arrow.Type { return arrow.Type(60) }

func (novel) String() string { return "novel" }

func TestTypesWithoutALayout(t *testing.T) {
	for _, typ := range []arrow.DataType{
		novel{}, arrow.ListOf(novel{}), arrow.StructOf(arrow.Field{Name: "x", Type: novel{}}),
		arrow.MapOf(arrow.BinaryTypes.String, novel{}), arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, novel{}),
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: novel{}},
	} {
		_, err := FromLayout(typ)
		require.ErrorIs(t, err, arrow.ErrNotImplemented)
		require.ErrorContains(t, err, "novel")
	}
	_, err := FromLayout(nil)
	require.ErrorIs(t, err, arrow.ErrNotImplemented)
}

// Data that goes there and back many times keeps its buffers, not wrappers of wrappers of them.
func TestBuffersThatWereLentComeBack(t *testing.T) {
	mem := memory15.NewCheckedAllocator(memory15.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	rng := rand.New(rand.NewPCG(9, 10))
	for _, typ := range []v15.DataType{
		v15.BinaryTypes.StringView,
		v15.StructOf(v15.Field{Name: "d", Nullable: true,
			Type: &v15.DictionaryType{IndexType: v15.PrimitiveTypes.Int8, ValueType: v15.BinaryTypes.String}}),
	} {
		t.Run(fmt.Sprint(typ), func(t *testing.T) {
			there, layout := layoutOf15(t, typ)
			a := arrowtest.Random(rng, typ, 30, 0.1, mem)
			first := ToArray(a, there)
			a.Release()
			var shared BufferMap
			dicts := shared.Dictionaries()
			borrowed := shared.FromArray(first, layout)
			again := dicts.ToArray(borrowed, there)
			borrowed.Release()
			dicts.Release()
			requireSameBuffers(t, first.Data(), again.Data())
			first.Release()
			require.NotZero(t, mem.CurrentAlloc())
			again.Release()
			require.Zero(t, mem.CurrentAlloc())
		})
	}
}

func requireSameBuffers(t *testing.T, a, b arrow.ArrayData) {
	for i, buffer := range a.Buffers() {
		require.Same(t, buffer, b.Buffers()[i])
	}
	for i, child := range a.Children() {
		requireSameBuffers(t, child, b.Children()[i])
	}
	if a.DataType().ID() == arrow.DICTIONARY {
		requireSameBuffers(t, a.Dictionary(), b.Dictionary())
	}
}
