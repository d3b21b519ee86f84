package keyencode

import "math/bits"

// noWord stands for NaN and null among ordered words, where the kind leaves it free.
const noWord = ^uint64(0)

// A wordRange sums up ordered words.
type wordRange struct {
	seen            bool
	lo, hi, or, and uint64
	nulls, nans     int
	order           wordOrder
	stride          stride
}

func measureWords(s *Statistics, r *reader, lo, hi int) {
	var w wordRange
	w.order = newWordOrder(s.key)
	var words [blockRows]uint64
	switch r.column.Kind {
	case Int32, Int64, Uint32, Uint64: // times and amounts
		s.strided = true
	default:
		w.stride.step = 1
	}
	r.each(lo, hi, func(c *Chunk, at, n, _ int) {
		b := r.block(c, at, n)
		w.addBlock(words[:n], &b)
	})
	s.Rows, s.Nulls, s.NaNs = hi-lo, w.nulls, w.nans
	w.order.store(s)
	if w.seen {
		s.Min[0], s.Max[0], s.Or, s.And = w.lo, w.hi, w.or, w.and
		if s.strided && w.stride.step > 0 {
			s.Stride = w.stride.step << uint(bits.TrailingZeros64(w.or^w.and))
		}
	}
}

// addBlock adds a block, whose ordered words go to u where they are needed.
func (w *wordRange) addBlock(u []uint64, b *block) {
	identity.encode(u, b)
	sparse := b.kind.isFloat() || b.kind.isDictionary()
	if !sparse && (b.validity == nil || countZeros(b.validity, b.bit, b.rows) == 0) {
		w.order.addValues(u)
		w.addValues(u)
		return
	}
	var classes [blockRows]Class
	w.classify(classes[:len(u)], u, b)
	w.order.add(u, classes[:len(u)])
	n := 0
	for i, v := range u { // the values only
		u[n] = v
		if classes[i] == ClassValue {
			n++
		}
	}
	w.addValues(u[:n])
}

// classify tells the classes of the rows of a block whose ordered words are given.
func (w *wordRange) classify(classes []Class, u []uint64, b *block) {
	for i, x := range u {
		classes[i] = ClassValue
		switch {
		case b.validity != nil && !bitAt(b.validity, b.bit+i), x == noWord && b.kind.isDictionary():
			classes[i] = ClassNull
			w.nulls++
		case x == noWord && b.kind.isFloat():
			classes[i] = ClassNaN
			w.nans++
		}
	}
}

func (w *wordRange) addValues(u []uint64) {
	if len(u) == 0 {
		return
	}
	if !w.seen {
		w.seen = true
		w.lo, w.hi, w.or, w.and, w.stride.first = u[0], u[0], u[0], u[0], u[0]
	}
	lo, hi, or, and := w.lo, w.hi, w.or, w.and
	for _, v := range u {
		lo, hi = min(lo, v), max(hi, v)
		or |= v
		and &= v
	}
	w.lo, w.hi, w.or, w.and = lo, hi, or, and
	w.stride.add(u)
}
