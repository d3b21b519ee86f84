package keyencode

import (
	"math/bits"

	"github.com/arrowsort/arrowsort/internal/buffers"
)

// Measure sums up rows lo..hi-1 of a column in one read. It does not write to anything shared: callers measure ranges
// in parallel and merge them in order.
func Measure(c *Column, k Key, lo, hi int) Statistics {
	s := Statistics{Sorted: true, Rising: true, Reversed: true, key: k}
	if lo >= hi {
		return s
	}
	r := newReader(c)
	switch c.encoding() {
	case encodingNone:
		s.Rows, s.Nulls = hi-lo, hi-lo
		s.Rising, s.Reversed = hi-lo == 1, hi-lo == 1
		s.first.class, s.last.class = ClassNull, ClassNull
	case encodingWord:
		measureWords(&s, &r, lo, hi)
	case encodingLimbs:
		measureWide(&s, &r, lo, hi)
	case encodingBytes:
		measureStrings(&s, &r, lo, hi)
	}
	return s
}

// noWord stands for NaN and null among ordered words, where the kind leaves it free.
const noWord = ^uint64(0)

// A wordRange sums up a range of rows of ordered words, block by block.
type wordRange struct {
	seen        bool // any value yet
	all         minMax[uint64]
	nulls, nans int
	order       rowOrder
	stride      stride

	// of the block at hand
	words  [blockRows]uint64 // the ordered words, where they are needed
	mask   [blockRows / 64]uint64
	values int // rows that are values; mask says which, unless all are
}

func measureWords(s *Statistics, r *reader, lo, hi int) {
	w := wordRange{order: rowOrder{key: s.key}}
	switch r.column.Kind {
	case Int32, Int64, Uint32, Uint64: // times and amounts
		s.strided = true
	default:
		w.stride.step = 1
	}
	r.each(lo, hi, func(c *Chunk, at, n, _ int) {
		b := r.block(c, at, n)
		w.add(&b)
	})
	s.Rows, s.Nulls, s.NaNs = hi-lo, w.nulls, w.nans
	w.order.store(s)
	if !w.seen {
		return
	}
	s.Min[0], s.Max[0], s.Or, s.And = w.all.lo, w.all.hi, w.all.or, w.all.and
	if s.strided && w.stride.step > 0 {
		s.Stride = w.stride.step << uint(bits.TrailingZeros64(s.Or^s.And))
	}
}

func (w *wordRange) add(b *block) {
	fast := w.seen && w.order.done()
	switch {
	case fast && b.kind == Float16:
		addFloats(w, b, buffers.Values[uint16](b.values, b.at, b.rows), 1<<15, 0x7c00)
		return
	case fast && b.kind == Float32:
		addFloats(w, b, buffers.Values[uint32](b.values, b.at, b.rows), 1<<31, 0x7f80_0000)
		return
	case fast && b.kind == Float64:
		addFloats(w, b, buffers.Values[uint64](b.values, b.at, b.rows), 1<<63, 0x7ff0_0000_0000_0000)
		return
	}
	switch b.kind {
	case Int8:
		addInts[int64](w, b, buffers.Values[int8](b.values, b.at, b.rows))
	case Int16:
		addInts[int64](w, b, buffers.Values[int16](b.values, b.at, b.rows))
	case Int32:
		addInts[int64](w, b, buffers.Values[int32](b.values, b.at, b.rows))
	case Int64:
		addInts[int64](w, b, buffers.Values[int64](b.values, b.at, b.rows))
	case Uint8:
		addInts[uint64](w, b, buffers.Values[uint8](b.values, b.at, b.rows))
	case Uint16:
		addInts[uint64](w, b, buffers.Values[uint16](b.values, b.at, b.rows))
	case Uint32:
		addInts[uint64](w, b, buffers.Values[uint32](b.values, b.at, b.rows))
	case Uint64:
		addInts[uint64](w, b, buffers.Values[uint64](b.values, b.at, b.rows))
	default:
		u := w.words[:b.rows]
		identity.encode(u, b)
		if b.kind.isFloat() || b.kind.isDictionary() {
			w.maskWords(b)
		} else {
			w.maskValidity(b)
		}
		addValues[uint64](w, b, u, 0)
	}
}

func addInts[W word, T buffers.Integer](w *wordRange, b *block, src []T) {
	w.maskValidity(b)
	addValues[W](w, b, src, b.kind.signBit())
}

// addValues adds a block whose values, ordered words but for their sign bit, are in src.
func addValues[W word, T buffers.Integer](w *wordRange, b *block, src []T, sign uint64) {
	if w.values > 0 {
		first := W(src[w.first(b)])
		e := minMax[W]{first, first, first, first}
		if w.values == b.rows {
			add(&e, src)
		} else {
			addMasked(&e, src, w.mask[:(b.rows+63)/64])
		}
		w.merge(orderedMinMax(e, sign))
	}
	if w.values == b.rows {
		addSteps(&w.order, src, sign)
	} else {
		w.followClasses(b)
	}
	if w.values > 0 && !w.stride.done() {
		w.stride.add(w.orderedValues(b))
	}
}

func orderedMinMax[W word](e minMax[W], sign uint64) minMax[uint64] {
	or, and := toOrdered(e.or, sign), toOrdered(e.and, sign)
	// the sign's bit is flipped, so a varying one has changed sides
	return minMax[uint64]{toOrdered(e.lo, sign), toOrdered(e.hi, sign), or | and, or & and}
}

func (w *wordRange) merge(e minMax[uint64]) {
	if !w.seen {
		w.seen, w.all, w.stride.first = true, e, e.lo
		return
	}
	w.all.lo, w.all.hi = min(w.all.lo, e.lo), max(w.all.hi, e.hi)
	w.all.or |= e.or
	w.all.and &= e.and
}

// maskValidity notes which rows of a block are valid, where all valid rows are values.
func (w *wordRange) maskValidity(b *block) {
	w.values = b.rows
	if b.validity == nil {
		return
	}
	w.values = 0
	for i := 0; i < b.rows; i += 64 {
		m := buffers.Bits(b.validity, b.bit+i) & buffers.LowBits(min(b.rows-i, 64))
		w.mask[i/64] = m
		w.values += bits.OnesCount64(m)
	}
	w.nulls += b.rows - w.values
}

// maskWords notes which rows of a block of floats or ranks are values: those that are not noWord.
func (w *wordRange) maskWords(b *block) {
	u := w.words[:b.rows]
	w.values = 0
	for i := 0; i < len(u); i += 64 {
		var m uint64
		for j, x := range u[i:min(i+64, len(u))] {
			bit := uint64(1)
			if x == noWord {
				bit = 0
			}
			m |= bit << uint(j&63)
		}
		w.mask[i/64] = m
		w.values += bits.OnesCount64(m)
	}
	nulls := b.rows - w.values
	if b.kind.isFloat() {
		nulls = 0
		if b.validity != nil {
			nulls = buffers.CountZeros(b.validity, b.bit, b.rows)
		}
		w.nans += b.rows - w.values - nulls
	}
	w.nulls += nulls
}

// first returns the first row of a block that is a value.
func (w *wordRange) first(b *block) int {
	if w.values == b.rows {
		return 0
	}
	i := 0
	for w.mask[i] == 0 {
		i++
	}
	return 64*i + bits.TrailingZeros64(w.mask[i])
}

// orderedValues returns the ordered words of the values of a block.
func (w *wordRange) orderedValues(b *block) []uint64 {
	u := w.words[:b.rows]
	identity.encode(u, b)
	if w.values == b.rows {
		return u
	}
	n := 0
	for i, m := range w.mask[:(b.rows+63)/64] {
		for ; m != 0; m &= m - 1 {
			u[n] = u[64*i+bits.TrailingZeros64(m)]
			n++
		}
	}
	return u[:n]
}

// classOf returns the class of a row of a block with rows that are not values.
func (w *wordRange) classOf(b *block, i int) Class {
	switch {
	case w.mask[i/64]>>(i&63)&1 != 0:
		return ClassValue
	case !b.kind.isFloat() || b.validity != nil && !buffers.Bit(b.validity, b.bit+i):
		return ClassNull
	}
	return ClassNaN
}

// followClasses compares the rows of a block, not all of them values, with their predecessors.
func (w *wordRange) followClasses(b *block) {
	u := w.words[:b.rows]
	if !w.order.done() {
		identity.encode(u, b)
		for i := 0; i < b.rows && !w.order.done(); i++ {
			w.order.next(rowOf(u[i], w.classOf(b, i)))
		}
	}
	w.order.last = lastRow(b)
}

// lastRow returns the last row of a block.
func lastRow(b *block) rowValue {
	end, u := *b, [1]uint64{}
	end.at, end.bit, end.rows = b.at+b.rows-1, b.bit+b.rows-1, 1
	identity.encode(u[:], &end)
	class := ClassValue
	switch {
	case b.validity != nil && !buffers.Bit(b.validity, end.bit), u[0] == noWord && b.kind.isDictionary():
		class = ClassNull
	case u[0] == noWord && b.kind.isFloat():
		class = ClassNaN
	}
	return rowOf(u[0], class)
}

// addFloats adds a block of floats without making their words, once the order is settled and a value was read.
func addFloats[U uint16 | uint32 | uint64](w *wordRange, b *block, src []U, sign, inf U) {
	valid, values := 0, 0
	for i := 0; i < len(src); i += 64 {
		part := src[i:min(i+64, len(src))]
		m := buffers.LowBits(len(part))
		if b.validity != nil {
			m &= buffers.Bits(b.validity, b.bit+i)
		}
		valid += bits.OnesCount64(m)
		if m == buffers.LowBits(len(part)) && addNumbers(&w.all, part, sign, inf) {
			values += len(part)
		} else {
			values += addSomeFloats(&w.all, part, m, sign, inf)
		}
	}
	w.nulls += b.rows - valid
	w.nans += valid - values
	w.order.last = lastRow(b)
}

// addNumbers adds floats. If one of them is NaN, it adds none and reports false.
func addNumbers[U uint16 | uint32 | uint64](e *minMax[uint64], src []U, sign, inf U) bool {
	lo, hi, or, and := e.lo, e.hi, e.or, e.and
	for _, x := range src {
		if x&sign != 0 {
			x = sign - x
		}
		if x+inf > 2*inf {
			return false
		}
		u := uint64(x ^ sign)
		lo, hi = min(lo, u), max(hi, u)
		or |= u
		and &= u
	}
	*e = minMax[uint64]{lo, hi, or, and}
	return true
}

// addSomeFloats adds those floats whose bit is set and that are not NaN, and counts them. In place of each other one it
// adds a number that it has added before.
func addSomeFloats[U uint16 | uint32 | uint64](e *minMax[uint64], src []U, m uint64, sign, inf U) (values int) {
	lo, hi, or, and, known := e.lo, e.hi, e.or, e.and, e.lo
	for _, x := range src {
		if x&sign != 0 {
			x = sign - x
		}
		keep := m & 1
		if x+inf > 2*inf {
			keep = 0
		}
		m >>= 1
		values += int(keep)
		u := known ^ (uint64(x^sign)^known)&-keep
		lo, hi = min(lo, u), max(hi, u)
		or |= u
		and &= u
	}
	*e = minMax[uint64]{lo, hi, or, and}
	return values
}
