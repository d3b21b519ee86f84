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
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu"
	"github.com/arrowsort/arrowsort/arrowsort/internal/model"
	"github.com/arrowsort/arrowsort/internal/testrun"
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
		mem := arrowtest.Checked(t)
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
		mem := arrowtest.Checked(t)
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

// FuzzMergeAndSearch searches the space of values, as FuzzValues does, of the parts that are merged, of their records
// in a stream, and of the values that are searched.
func FuzzMergeAndSearch(f *testing.F) {
	f.Add([]byte{0}, uint64(0))
	f.Add([]byte{1, 0, 1, 1, 2, 6, 255, 255, 255, 255, 255, 255, 255, 127, 6, 0, 0, 0, 0, 0, 0, 0, 128}, uint64(1))
	f.Add([]byte("2\x02\x01\x01\x03\x0B\x00 strings, and numbers between them, some of them twice, twice"), uint64(2))
	f.Fuzz(func(t *testing.T, input []byte, seed uint64) {
		mem := arrowtest.Checked(t)
		tab := tableOf(input)
		defer tab.release()
		r := rand.New(rand.NewPCG(seed, 3))
		opts := arrowsort.Options{Allocator: mem, Threads: r.IntN(3)}
		require.NoError(t, tab.checkMerge(t, r, opts), tab.text)
		require.NoError(t, tab.checkSearch(t, r, opts), tab.text)
	})
}

// A keyCase is a table with one key, of a given type, order and shape.
type keyCase struct {
	seed   uint64
	typ    arrow.DataType
	mode   int // order and null placement
	shape  shape
	chunks int // several: of a table
}

// everyKey are the cases of every type of key, order, null placement, shape, and one chunk or several.
func everyKey() (cases []keyCase) {
	for _, typ := range keyTypes() {
		for mode := range 4 {
			for _, s := range shapes {
				for _, chunks := range []int{1, 5} {
					cases = append(cases, keyCase{uint64(len(cases)), typ, mode, s, chunks})
				}
			}
		}
	}
	return cases
}

// sample is about one case in a number of them: which ones, the seed decides.
func sample(cases []keyCase, of int) (some []keyCase) {
	for i := range cases {
		if rand.New(rand.NewPCG(testrun.Seed()+uint64(i), 3)).IntN(of) == 0 {
			some = append(some, cases[i])
		}
	}
	return some
}

// table makes a record of one chunk, or a table of several, with the key and a column of any type.
func (c keyCase) table(rows int, mem memory.Allocator) *table {
	r := rand.New(rand.NewPCG(c.seed, 2026))
	t := &table{rows: rows}
	form := min(c.chunks-1, 1) // record or table
	nulls := []float64{0, 0.02, 0.3, 1}[r.IntN(4)]
	t.addColumn(r, c.typ, columnForm{c.shape, nulls, c.chunks}, mem)
	t.addKey(r, 0, c.mode, false)
	payload := arrowtest.Types()
	t.addColumn(r, payload[r.IntN(len(payload))], t.drawForm(r, form), mem)
	t.data = t.assemble(form)
	t.text = fmt.Sprintf("key case %d, %d rows, %T%s, keys %+v", c.seed, rows, t.data, t.text, t.keys)
	return t
}
