package difftest

import (
	"encoding/binary"
	"math"
	"math/rand/v2"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/model"
)

// A shape is how the values of a number column lie: it overwrites the random ones.
type shape struct {
	name string
	draw func(r *rand.Rand, i, n int) uint64
}

var shapes = []shape{
	{"as drawn", nil},
	{"uniform", func(r *rand.Rand, _, _ int) uint64 { return r.Uint64() }},
	{"few values", func(r *rand.Rand, _, _ int) uint64 { return uint64(r.IntN(4)) * 0x9E37_79B9_7F4A_7C15 }},
	{
		"extremes",
		func(r *rand.Rand, _, _ int) uint64 { return uint64(r.IntN(3)-1) ^ uint64(r.IntN(2))<<(8<<r.IntN(4)-1) },
	},
	{"sorted", func(_ *rand.Rand, i, n int) uint64 { return uint64(i * 100 / n) }},
	{"reversed", func(_ *rand.Rand, i, n int) uint64 { return uint64(n - i) }},
	{"constant", func(_ *rand.Rand, _, _ int) uint64 { return 77 }},
	{"60% hot", func(r *rand.Rand, _, _ int) uint64 {
		if r.IntN(10) < 6 {
			return 5
		}
		return r.Uint64()
	}},
	{"small", func(r *rand.Rand, _, _ int) uint64 { return uint64(r.IntN(1000) - 500) }},
}

// column makes a random column of n rows in chunks that are slices at odd bit offsets: of arrays of their own, or of
// one that they share.
func column(r *rand.Rand, typ arrow.DataType, form columnForm, n int, mem memory.Allocator) model.Column {
	random := func(rows int, nulls float64) arrow.Array {
		whole := arrowtest.Random(r, typ, rows, nulls, mem)
		reshape(r, whole.Data(), form.shape)
		return whole
	}
	offset := func() int { return []int{0, 0, 1, 7, 31, 63, r.IntN(200)}[r.IntN(7)] }
	c := model.Column{Type: typ}
	sizes := cut(r, n, form.chunks)
	if r.IntN(3) == 0 {
		at := offset()
		whole := random(at+n+r.IntN(3), form.nulls)
		for _, rows := range sizes {
			c.Chunks = append(c.Chunks, slice(whole, at, rows))
			at += rows
		}
		whole.Release()
		return c
	}
	for _, rows := range sizes {
		at := offset()
		nulls := form.nulls
		if nulls > 0 && form.chunks > 1 {
			nulls = []float64{nulls, nulls, 0, 1}[r.IntN(4)]
		}
		whole := random(at+rows+r.IntN(3), nulls)
		c.Chunks = append(c.Chunks, slice(whole, at, rows))
		whole.Release()
	}
	return c
}

func slice(arr arrow.Array, offset, rows int) arrow.Array {
	return array.NewSlice(arr, int64(offset), int64(offset+rows))
}

// cut divides n rows among chunks, some of which may have none.
func cut(r *rand.Rand, n, chunks int) (sizes []int) {
	for left := chunks; left > 0; left-- {
		rows := n
		if left > 1 {
			rows = min(n, r.IntN(2*n/left+1)*min(r.IntN(6), 1))
		}
		sizes = append(sizes, rows)
		n -= rows
	}
	return sizes
}

// reshape overwrites the values of numbers, those under nulls too, and of numbers in dictionaries, runs and structs.
func reshape(r *rand.Rand, data arrow.ArrayData, s shape) {
	if dict, ok := data.(*array.Data); ok && data.DataType().ID() == arrow.DICTIONARY {
		reshape(r, dict.Dictionary(), s)
		return
	}
	if data.DataType().ID() == arrow.RUN_END_ENCODED {
		reshape(r, data.Children()[1], s)
		return
	}
	for _, child := range data.Children() {
		reshape(r, child, s)
	}
	width := numberWidth(data.DataType())
	if width == 0 || data.Buffers()[1] == nil {
		return
	}
	values := data.Buffers()[1].Bytes()
	for i := range data.Len() {
		v := values[i*width : (i+1)*width]
		if s.draw != nil {
			copy(v, binary.LittleEndian.AppendUint64(nil, s.draw(r, i, data.Len()))[:width])
		}
		if special := floats[data.DataType().ID()]; special != nil && r.IntN(3) == 0 {
			copy(v, binary.LittleEndian.AppendUint64(nil, special[r.IntN(len(special))])[:width])
		}
	}
}

// floats are zeros and NaNs of both signs, infinities and the smallest numbers.
var floats = map[arrow.Type][]uint64{
	arrow.FLOAT16: {0, 0x8000, 0x7E00, 0xFE00, 0x7C01, 0xFFFF, 0x7C00, 0xFC00, 1, 0x8001},
	arrow.FLOAT32: {
		0, 1 << 31, 0x7FC0_0000, 0xFFC0_0000, 0x7F80_0001, math.MaxUint32, 0x7F80_0000, 0xFF80_0000, 1, 1<<31 | 1,
	},
	arrow.FLOAT64: {
		0, 1 << 63, 0x7FF8 << 48, 0xFFF8 << 48, 0x7FF<<52 | 1, math.MaxUint64, 0x7FF << 52, 0xFFF << 52, 1, 1<<63 | 1,
	},
}

// numberWidth is the width in bytes of a number of at most 8 bytes, all of whose bit patterns are values; else 0.
func numberWidth(typ arrow.DataType) int {
	switch typ.ID() {
	case arrow.BOOL,
		arrow.INTERVAL_DAY_TIME,
		arrow.FIXED_SIZE_BINARY,
		arrow.DECIMAL128,
		arrow.DECIMAL256,
		arrow.EXTENSION:
		return 0
	}
	if fixed, ok := typ.(arrow.FixedWidthDataType); ok && fixed.Bytes() <= 8 {
		return fixed.Bytes()
	}
	return 0
}
