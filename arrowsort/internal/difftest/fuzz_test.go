package difftest

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/engine/enginetest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu"
	"github.com/arrowsort/arrowsort/arrowsort/internal/model"
)

// FuzzEngine searches the space of jobs: kinds, distributions, chunks.
func FuzzEngine(f *testing.F) {
	enginetest.FuzzEngine(f, func(testing.TB) engine.Engine { return cpu.New() })
}

// fuzzTypes are the types of the columns that FuzzValues makes.
var fuzzTypes = []arrow.DataType{
	arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Float64, arrow.BinaryTypes.Binary, arrow.PrimitiveTypes.Uint8,
	arrow.FixedWidthTypes.Boolean,
	arrow.PrimitiveTypes.Float32, arrow.FixedWidthTypes.Float16, arrow.PrimitiveTypes.Uint64,
	arrow.PrimitiveTypes.Int16, arrow.BinaryTypes.LargeBinary,
	&arrow.Decimal128Type{
		Precision: 38,
	}, &arrow.Decimal256Type{Precision: 76}, &arrow.FixedSizeBinaryType{ByteWidth: 11},
	arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Uint16,
	arrow.FixedWidthTypes.Timestamp_ns,
}

// FuzzValues searches the space of values: the input is a number of keys, for each of them a type and a mode, and then
// the rows' values.
func FuzzValues(f *testing.F) {
	f.Add([]byte{0})
	f.Add([]byte{1, 0, 1, 1, 2, 6, 255, 255, 255, 255, 255, 255, 255, 127, 6, 0, 0, 0, 0, 0, 0, 0, 128, 3, 2, 9, 4, 4})
	f.Add(
		[]byte(
			"2\x02\x01\x01\x03\x0B\x00 strings, and numbers between them, " +
				"of many lengths and some of them twice, twice",
		),
	)
	f.Add(
		[]byte{
			0, 1, 3, 6, 0, 0, 0, 0, 0, 0, 248, 127, 6, 1, 0, 0, 0, 0, 0, 248, 255, 6, 0, 0, 0, 0, 0, 0, 0, 128, 2, 0, 1,
		},
	)
	f.Fuzz(func(t *testing.T, input []byte) {
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		defer mem.AssertSize(t, 0)
		tab := tableOf(input)
		defer tab.release()
		order := model.NewOrder(tab.columns, tab.modelKeys)
		want := model.Rows(tab.columns, tab.rows, tab.modelKeys)
		opts := arrowsort.Options{Allocator: mem}
		require.NoError(t, tab.checkIndices(t, order, want, opts), tab.text)
		require.NoError(t, tab.checkSort(t, want, opts), tab.text)
		require.NoError(t, tab.checkSorted(t, order, opts), tab.text)
	})
}

// FuzzRanks searches the space of values, as FuzzValues does, for wrong ranks, groups, partitions and selections.
func FuzzRanks(f *testing.F) {
	f.Add([]byte{1, 0, 1, 1, 2, 6, 255, 255, 255, 255, 255, 255, 255, 127, 6, 0, 0, 0, 0, 0, 0, 0, 128, 3, 2, 9, 4, 4})
	f.Add([]byte{0, 1, 3, 6, 0, 0, 0, 0, 0, 0, 248, 127, 6, 1, 0, 0, 0, 0, 0, 248, 255, 8, 8, 8, 2, 0, 1})
	f.Add([]byte("1\x02\x01\x01\x03 long strings, of which some are there twice\x08\x08\x08, twice\x08\x08"))
	f.Fuzz(func(t *testing.T, input []byte) {
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		defer mem.AssertSize(t, 0)
		tab := tableOf(input)
		defer tab.release()
		r := rand.New(rand.NewPCG(uint64(len(input)), 6))
		require.NoError(t, tab.checkRanks(t, r, arrowsort.Options{Allocator: mem}), tab.text)
	})
}

// A source hands out the bytes of an input, zeros when it has no more.
type source struct{ left []byte }

func (s *source) byte() byte {
	if len(s.left) == 0 {
		return 0
	}
	b := s.left[0]
	s.left = s.left[1:]
	return b
}

// tableOf is the record that an input describes.
func tableOf(input []byte) *table {
	s := &source{input}
	t := &table{}
	var types []arrow.DataType
	for i := range 1 + int(s.byte()%3) {
		types = append(types, fuzzTypes[int(s.byte())%len(fuzzTypes)])
		mode := int(s.byte())
		t.keys = append(
			t.keys,
			arrowsort.Key{At: arrowsort.Column(i), Order: arrowsort.Order(mode & 1),
				Nulls: arrowsort.NullPlacement(mode >> 1 & 1)},
		)
		t.modelKeys = append(t.modelKeys, model.Key{Column: i, Descending: mode&1 == 1, NullsFirst: mode>>1&1 == 1})
	}
	columns := make([][][]byte, len(types))
	for len(s.left) > 0 {
		for i, typ := range types {
			columns[i] = append(columns[i], fuzzValue(s, typ, columns[i]))
		}
		t.rows++
	}
	for i, typ := range types {
		t.columns = append(t.columns, model.Column{Type: typ, Chunks: []arrow.Array{arrayOf(typ, columns[i])}})
	}
	t.data = t.assemble(0)
	t.text = fmt.Sprintf("types %v, keys %+v, columns %x", types, t.keys, columns)
	return t
}

// fuzzValue is the next value, nil for a null: the one before, a small number, or bytes as they are.
func fuzzValue(s *source, typ arrow.DataType, before [][]byte) []byte {
	control := s.byte()
	if control&1 == 1 {
		return nil
	}
	if control&8 > 0 && len(before) > 0 {
		return before[len(before)-1]
	}
	fixed, isFixed := typ.(arrow.FixedWidthDataType)
	width := int(control >> 4)
	if isFixed {
		width = max(fixed.Bytes(), 1)
	}
	value := make([]byte, width)
	raw := width
	if control&6 == 2 && isFixed {
		raw = 1
	}
	for i := range raw {
		value[i] = s.byte()
	}
	if control&6 == 4 && isFixed { // the top byte is what differs
		clear(value[:width-1])
	}
	return value
}

// arrayOf lays values out in Arrow's buffers.
func arrayOf(typ arrow.DataType, values [][]byte) arrow.Array {
	validity := make([]byte, bitutil.BytesForBits(int64(len(values))))
	var data, offsets []byte
	for i, v := range values {
		offsets = appendOffset(offsets, typ, len(data))
		bitutil.SetBitTo(validity, i, v != nil)
		if fixed, ok := typ.(arrow.FixedWidthDataType); ok && v == nil {
			v = make([]byte, max(fixed.Bytes(), 1))
		}
		data = append(data, v...)
	}
	offsets = appendOffset(offsets, typ, len(data))
	buffers := []*memory.Buffer{memory.NewBufferBytes(validity), memory.NewBufferBytes(data)}
	switch typ.ID() {
	case arrow.BOOL:
		bits := make([]byte, len(validity))
		for i := range values {
			bitutil.SetBitTo(bits, i, data[i]&1 == 1)
		}
		buffers[1] = memory.NewBufferBytes(bits)
	case arrow.BINARY, arrow.LARGE_BINARY:
		buffers = []*memory.Buffer{buffers[0], memory.NewBufferBytes(offsets), buffers[1]}
	}
	return array.MakeFromData(array.NewData(typ, len(values), buffers, nil, array.UnknownNullCount, 0))
}

func appendOffset(offsets []byte, typ arrow.DataType, at int) []byte {
	if typ.ID() == arrow.LARGE_BINARY {
		return binary.LittleEndian.AppendUint64(offsets, uint64(at))
	}
	return binary.LittleEndian.AppendUint32(offsets, uint32(at))
}
