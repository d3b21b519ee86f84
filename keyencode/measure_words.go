package keyencode

import "math/bits"

// noWord stands for NaN and null among ordered words, where the kind leaves it free.
const noWord = ^uint64(0)

// A wordRange sums up a range of rows of ordered words, block by block.
type wordRange struct {
	seen        bool // any value yet
	all         extent[uint64]
	nulls, nans int
	order       wordOrder
	stride      stride

	// of the block at hand
	words  [blockRows]uint64 // the ordered words, where they are needed
	mask   [blockRows / 64]uint64
	values int // rows that are values; mask says which, unless all are
}

func measureWords(s *Statistics, r *reader, lo, hi int) {
	w := wordRange{order: wordOrder{key: s.key}}
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
		addFloats(w, b, valuesOf[uint16](b.values, b.at, b.rows), 1<<15, 0x7c00)
		return
	case fast && b.kind == Float32:
		addFloats(w, b, valuesOf[uint32](b.values, b.at, b.rows), 1<<31, 0x7f80_0000)
		return
	case fast && b.kind == Float64:
		addFloats(w, b, valuesOf[uint64](b.values, b.at, b.rows), 1<<63, 0x7ff0_0000_0000_0000)
		return
	}
	switch b.kind {
	case Int8:
		addInts[int64](w, b, valuesOf[int8](b.values, b.at, b.rows))
	case Int16:
		addInts[int64](w, b, valuesOf[int16](b.values, b.at, b.rows))
	case Int32:
		addInts[int64](w, b, valuesOf[int32](b.values, b.at, b.rows))
	case Int64:
		addInts[int64](w, b, valuesOf[int64](b.values, b.at, b.rows))
	case Uint8:
		addInts[uint64](w, b, valuesOf[uint8](b.values, b.at, b.rows))
	case Uint16:
		addInts[uint64](w, b, valuesOf[uint16](b.values, b.at, b.rows))
	case Uint32:
		addInts[uint64](w, b, valuesOf[uint32](b.values, b.at, b.rows))
	case Uint64:
		addInts[uint64](w, b, valuesOf[uint64](b.values, b.at, b.rows))
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

func addInts[W word, T integer](w *wordRange, b *block, src []T) {
	w.maskValidity(b)
	addValues[W](w, b, src, b.kind.signBit())
}

// addValues adds a block whose values, ordered words but for their sign bit, are in src.
func addValues[W word, T integer](w *wordRange, b *block, src []T, sign uint64) {
	if w.values > 0 {
		first := W(src[w.first(b)])
		e := extent[W]{first, first, first, first}
		if w.values == b.rows {
			add(&e, src)
		} else {
			addMasked(&e, src, w.mask[:(b.rows+63)/64])
		}
		w.merge(orderedExtent(e, sign))
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

func orderedExtent[W word](e extent[W], sign uint64) extent[uint64] {
	or, and := ordered(e.or, sign), ordered(e.and, sign)
	// the sign's bit is flipped, so a varying one has changed sides
	return extent[uint64]{ordered(e.lo, sign), ordered(e.hi, sign), or | and, or & and}
}

// ordered is the ordered word of an integer.
func ordered[T integer](x T, sign uint64) uint64 {
	u := uint64(x)
	if sign != 0 {
		u &= sign<<1 - 1 // without the extended sign
	}
	return u ^ sign
}

func (w *wordRange) merge(e extent[uint64]) {
	if !w.seen {
		w.seen, w.all, w.stride.first = true, e, e.lo
		return
	}
	w.all.lo, w.all.hi = min(w.all.lo, e.lo), max(w.all.hi, e.hi)
	w.all.or |= e.or
	w.all.and &= e.and
}
