package rows_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/rows"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// TestBytesOfLists pins the format of lists, maps and fixed-size lists: these bytes do not change. A null that descends
// is what it is ascending, and so are nulls within a list.
func TestBytesOfLists(t *testing.T) {
	i8, text := arrow.PrimitiveTypes.Int8, arrow.BinaryTypes.String
	short := `[[], [1], [1, null], [-1, 2], null]`
	for _, typ := range []arrow.DataType{arrow.ListOf(i8), arrow.LargeListOf(i8)} {
		a := fromJSON(t, typ, short)
		requireBytes(t, a, modes[0], "01 00", "01 010181 00", "01 010181 01ff00 00", "01 01017f 010182 00", "ff")
		requireBytes(t, a, modes[1], "01 00", "01 010181 00", "01 010181 010000 00", "01 01017f 010182 00", "00")
		requireBytes(t, a, modes[2], "01 ff", "01 fe017e ff", "01 fe017e feff00 ff", "01 fe0180 fe017d ff", "ff")
		requireBytes(t, a, modes[3], "01 ff", "01 fe017e ff", "01 fe017e fe0000 ff", "01 fe0180 fe017d ff", "00")
	}
	lists := fromJSON(t, arrow.ListOf(arrow.ListOf(text)), `[[["a", ""], null, []], [null]]`)
	requireBytes(t, lists, modes[0], "01 01 01 01016100 010100 00 01 ff 01 0100 00", "01 01 ff 00")
	requireBytes(t, lists, modes[3], "01 fe 01 fe019eff fe01ff ff fe 00 fe 01ff ff", "01 fe 00 ff")

	pairs := fromJSON(t, arrow.FixedSizeListOf(2, i8), `[[1, 2], [null, 3], null]`)
	requireBytes(t, pairs, modes[0], "01 0181 0182", "01 ff00 0183", "ff")
	requireBytes(t, pairs, modes[3], "01 017e 017d", "01 0000 017c", "00")

	maps := fromJSON(t, arrow.MapOf(text, i8), `[[{"key": "k", "value": 1}], [], null]`)
	requireBytes(t, maps, modes[0], "01 01 016b00 0181 00", "01 00", "ff")
	requireBytes(t, maps, modes[2], "01 fe 0194ff 017e ff", "01 ff", "ff")

	structs := fromJSON(t, arrow.ListOf(structOf(i8, text)), `[[{"a": 1, "b": null}, null]]`)
	requireBytes(t, structs, modes[0], "01 01 0181 ff 01 ff00 ff 00")
	requireBytes(t, structs, modes[3], "01 fe 017e 00 fe 0000 00 ff")

	requireBytes(t, fromJSON(t, arrow.ListOf(arrow.Null), `[[null, null], []]`), modes[0], "01 01 01 00", "01 00")
	requireBytes(t, fromJSON(t, arrow.ListOf(arrow.FixedWidthTypes.Boolean), `[[true, null]]`), modes[2],
		"01 fe 01 fe ff ff")
}

// TestBytesOfUnions: the code of the type comes before the value; a union in a null struct is null.
func TestBytesOfUnions(t *testing.T) {
	ints := fromJSON(t, arrow.PrimitiveTypes.Int8, `[1, null, 3]`)
	texts := fromJSON(t, arrow.BinaryTypes.String, `["a", "b", null]`)
	codes := fromJSON(t, arrow.PrimitiveTypes.Int8, `[7, 4, 7]`)
	offsets := fromJSON(t, arrow.PrimitiveTypes.Int32, `[2, 1, 0]`)
	fields := []string{"i", "s"}
	of := []arrow.UnionTypeCode{4, 7}
	sparse, err := array.NewSparseUnionFromArraysWithFieldCodes(codes, []arrow.Array{ints, texts}, fields, of)
	require.NoError(t, err)
	defer sparse.Release()
	requireBytes(t, sparse, modes[0], "01 07 016100", "01 04 ff00", "01 07 ff")
	requireBytes(t, sparse, modes[3], "01 f8 019eff", "01 fb 0000", "01 f8 00")
	dense, err := array.NewDenseUnionFromArraysWithFieldCodes(codes, offsets, []arrow.Array{ints, texts}, fields, of)
	require.NoError(t, err)
	defer dense.Release()
	requireBytes(t, dense, modes[0], "01 07 ff", "01 04 ff00", "01 07 016100")

	typ := arrow.StructOf(arrow.Field{Name: "u", Type: sparse.DataType(), Nullable: true})
	data := array.NewData(typ, 3, []*memory.Buffer{memory.NewBufferBytes([]byte{0b101})},
		[]arrow.ArrayData{sparse.Data()}, 1, 0)
	defer data.Release()
	inStruct := array.MakeFromData(data)
	defer inStruct.Release()
	requireBytes(t, inStruct, modes[0], "01 07 016100", "ff", "01 07 ff")
}

// randomType returns a type of any kind, whose elements lie up to depth levels deep.
func randomType(rng *rand.Rand, depth int) arrow.DataType {
	flat := flatKeyTypes()
	if depth == 0 {
		return flat[rng.IntN(len(flat))]
	}
	element := arrow.Field{Name: "e", Type: randomType(rng, depth-1), Nullable: true}
	other := arrow.Field{Name: "o", Type: randomType(rng, rng.IntN(depth)), Nullable: true}
	switch rng.IntN(10) {
	case 0:
		return arrow.ListOfField(element)
	case 1:
		return arrow.LargeListOfField(element)
	case 2:
		return arrow.ListViewOfField(element)
	case 3:
		return arrow.LargeListViewOfField(element)
	case 4:
		return arrow.FixedSizeListOfField(int32(1+rng.IntN(3)), element)
	case 5:
		if adapter.Plain(other.Type).ID() == arrow.NULL {
			other.Type = arrow.PrimitiveTypes.Int8 // keys of maps are not null
		}
		return arrow.MapOf(other.Type, element.Type)
	case 6:
		return arrow.SparseUnionOf([]arrow.Field{element, other}, []arrow.UnionTypeCode{3, 0})
	case 7:
		return arrow.DenseUnionOf([]arrow.Field{element, other}, []arrow.UnionTypeCode{0, 127})
	case 8:
		return arrow.StructOf(element, other)
	}
	return arrowtest.NewExtension(arrow.ListOfField(element))
}

// TestOrderOfRandomNestedTypes has random tables of two keys of random types, with nulls at every level, sliced and in
// chunks, in all orders and null placements.
func TestOrderOfRandomNestedTypes(t *testing.T) {
	mem := arrowtest.Checked(t)
	for i := range testrun.Count(400, 60) {
		rng := rand.New(rand.NewPCG(testrun.Seed(), uint64(i)))
		c := dataCase{rows: 40}
		for range 2 {
			typ := randomType(rng, 1+rng.IntN(4))
			n, nulls := rng.IntN(c.rows+1), []float64{0, 0.1, 0.5}[rng.IntN(3)]
			c.add(random(rng, typ, n, nulls, mem), random(rng, typ, c.rows-n, nulls, mem))
		}
		c.by(modes[rng.IntN(4)], 0)
		c.by(modes[rng.IntN(4)], 1)
		c.check(t, mem, 1+rng.IntN(3))
		c.release()
	}
}

// TestLongLists has lists of more elements than are encoded at a time, next to empty ones.
func TestLongLists(t *testing.T) {
	mem := arrowtest.Checked(t)
	rng := rand.New(rand.NewPCG(testrun.Seed(), 1))
	for _, typ := range []arrow.DataType{
		arrow.ListOf(arrow.PrimitiveTypes.Int16), arrow.ListOf(arrow.BinaryTypes.String),
		arrow.ListOf(arrow.ListOf(arrow.PrimitiveTypes.Float32)),
	} {
		elements := random(rng, typ.(*arrow.ListType).Elem(), 3000, 0.1, mem)
		offsets := []int32{0, 0, 1500, 1500, 1501, 2013, 2525, 3000, 3000}
		buffer := memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(offsets))
		data := array.NewData(
			typ, len(offsets)-1, []*memory.Buffer{nil, buffer}, []arrow.ArrayData{elements.Data()}, 0, 0)
		c := dataCase{rows: len(offsets) - 1}
		c.add(array.MakeFromData(data))
		data.Release()
		elements.Release()
		c.by(modes[rng.IntN(4)], 0)
		c.check(t, mem, 1)
		c.release()
	}
}

// TestMalformedNestedArrays have offsets, sizes and codes that contradict the elements: errors that name the key.
func TestMalformedNestedArrays(t *testing.T) {
	i8 := arrow.PrimitiveTypes.Int8
	elements := fromJSON(t, i8, `[1, 2, 3]`)
	int32s := func(values ...int32) *memory.Buffer {
		var b []byte
		for _, v := range values {
			b = binary.LittleEndian.AppendUint32(b, uint32(v))
		}
		return memory.NewBufferBytes(b)
	}
	union, three := []arrow.Field{{Name: "a", Type: i8}}, []arrow.UnionTypeCode{3}
	codes := func(values ...byte) *memory.Buffer { return memory.NewBufferBytes(values) }
	for i, c := range []struct {
		typ     arrow.DataType
		buffers []*memory.Buffer
		text    string
	}{
		{arrow.ListOf(i8), []*memory.Buffer{nil, int32s(0, 2, 4)}, "row 1 has 2 elements from element 2 of 3 on"},
		{arrow.ListOf(i8), []*memory.Buffer{nil, int32s(2, 1, 1)}, "row 0 has -1 elements"},
		{arrow.ListOf(i8), []*memory.Buffer{nil, int32s(-1, 1, 1)}, "from element -1 of 3"},
		{arrow.ListViewOf(i8), []*memory.Buffer{nil, int32s(0, 3), int32s(3, 1)}, "row 1 has 1 elements"},
		{arrow.ListViewOf(i8), []*memory.Buffer{nil, int32s(0, 1), int32s(1, math.MaxInt32)}, "row 1"},
		{arrow.FixedSizeListOf(2, i8), []*memory.Buffer{nil}, "row 1 has 2 elements from element 2 of 3 on"},
		{arrow.DenseUnionOf(union, three), []*memory.Buffer{nil, codes(3, 3), int32s(0, 3)}, "row 1"},
		{arrow.DenseUnionOf(union, three), []*memory.Buffer{nil, codes(3, 2), int32s(0, 0)},
			"row 1: dense_union<a: type=int8=3> has no type code 2"},
		{arrow.SparseUnionOf(union, three), []*memory.Buffer{nil, codes(3, 200)}, "no type code 200"},
	} {
		data := array.NewData(c.typ, 2, c.buffers, []arrow.ArrayData{elements.Data()}, 0, 0)
		rec := malformed{recordOf(fromJSON(t, i8, `[1, 2]`)), data}
		converter := newConverter(t, rows.Field{Name: "k", Type: c.typ})
		_, err := converter.Encode(t.Context(), rec.array(), rows.Options{Allocator: arrowtest.Checked(t)})
		require.ErrorIs(t, err, arrow.ErrInvalid, "%d", i)
		require.ErrorContains(t, err, "key k of type "+c.typ.String(), "%d", i)
		require.ErrorContains(t, err, c.text, "%d", i)
		rec.Release()
		data.Release()
	}
}

// A malformed is an array whose constructor may panic: the data stands in for it.
type malformed struct {
	arrow.Record
	data arrow.ArrayData
}

func (m *malformed) array() arrow.Array { return &foreign{m.Record.Column(0), m.data} }

// A foreign array is of another type than that of its data.
type foreign struct {
	arrow.Array
	data arrow.ArrayData
}

func (f *foreign) Data() arrow.ArrayData    { return f.data }
func (f *foreign) DataType() arrow.DataType { return f.data.DataType() }

// TestMalformedNestedRows: rows that no list or union has, and unions that are null without a null struct.
func TestMalformedNestedRows(t *testing.T) {
	i8 := arrow.PrimitiveTypes.Int8
	union := arrow.SparseUnionOf([]arrow.Field{{Name: "a", Type: i8, Nullable: true}}, []arrow.UnionTypeCode{3})
	for _, c := range []struct {
		typ arrow.DataType
		row []byte
	}{
		{arrow.ListOf(i8), nil}, {arrow.ListOf(i8), []byte{1}}, {arrow.ListOf(i8), []byte{2, 0}},
		{arrow.ListOf(i8), []byte{1, 1, 1, 0x81}}, {arrow.ListOf(i8), []byte{1, 2, 1, 0x81, 0}},
		{arrow.ListOf(i8), []byte{1, 1, 0xff, 1, 0}},
		{arrow.ListOf(union), []byte{1, 1, 0xff, 0}}, {arrow.FixedSizeListOf(2, i8), []byte{1, 1, 0x81}},
		{arrow.MapOf(i8, i8), []byte{1, 1, 0xff, 0, 1, 0x81, 0}},
		{union, []byte{0xff}}, {union, []byte{1}}, {union, []byte{1, 3}}, {union, []byte{1, 4, 1, 0x81}},
		{union, []byte{1, 0xff, 1, 0x81}}, {structOf(union, i8), []byte{0xff, 1, 0x81}},
	} {
		converter := newConverter(t, rows.Field{Name: "k", Type: c.typ})
		_, err := converter.Decode(t.Context(), oneRow(t, c.row), rows.Options{Allocator: arrowtest.Checked(t)})
		require.ErrorIs(t, err, rows.ErrRow, "%s % x", c.typ, c.row)
		require.ErrorContains(t, err, "key k", "%s % x", c.typ, c.row)
	}
}

// TestElementsWithoutOrder: the error names the element.
func TestElementsWithoutOrder(t *testing.T) {
	days, text := arrow.FixedWidthTypes.DayTimeInterval, arrow.BinaryTypes.String
	deep := arrow.StructOf(arrow.Field{Name: "s", Type: arrow.ListOfField(arrow.Field{Name: "tags", Type: days})})
	for name, typ := range map[string]arrow.DataType{
		"k.item": arrow.ListOf(days), "k.value": arrow.MapOf(text, days), "k.key": arrow.MapOf(days, text),
		"k.item.s.tags": arrow.ListOf(deep), "k.s.tags": deep,
		"k.b": arrow.DenseUnionOf([]arrow.Field{{Name: "a", Type: text}, {Name: "b", Type: days}},
			[]arrow.UnionTypeCode{0, 1}),
	} {
		_, err := rows.NewConverter(rows.Field{Name: "k", Type: typ})
		require.ErrorIs(t, err, arrowsort.ErrKeyType)
		require.ErrorContains(t, err, fmt.Sprintf("key %s has type %s", name, days))
	}
}
