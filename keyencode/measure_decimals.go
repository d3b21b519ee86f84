package keyencode

// A wideRange sums up ordered decimals.
type wideRange struct {
	lo, hi  limbs
	or, and uint64 // of the low limbs
}

func measureWide(s *Statistics, r *reader, lo, hi int) {
	ones := ^uint64(0)
	w := wideRange{lo: limbs{ones, ones, ones, ones}, and: ones}
	r.each(lo, hi, func(c *Chunk, at, n, _ int) {
		b := r.block(c, at, n)
		if b.validity != nil {
			s.Nulls += countZeros(b.validity, b.bit, n)
		}
		s.followWide(&b)
		s.Rows += n
		if b.kind == Decimal128 {
			w.add128(&b, valuesOf[uint64](b.values, 2*b.at, 2*n))
			return
		}
		for i := range n {
			if b.valid(i) {
				w.add(decimalAt(&b, i))
			}
		}
	})
	if s.Values() > 0 {
		s.Min, s.Max, s.Or, s.And = w.lo, w.hi, w.or, w.and
	}
}

// valid reports whether a row is not null.
func (b *block) valid(i int) bool { return b.validity == nil || bitAt(b.validity, b.bit+i) }

func (w *wideRange) add(v limbs) {
	if v.compare(w.lo) < 0 {
		w.lo = v
	}
	if v.compare(w.hi) > 0 {
		w.hi = v
	}
	w.or |= v[0]
	w.and &= v[0]
}

// add128 is add for a block of decimals of two limbs, in registers.
func (w *wideRange) add128(b *block, src []uint64) {
	lo0, lo1, hi0, hi1, or, and := w.lo[0], w.lo[1], w.hi[0], w.hi[1], w.or, w.and
	for i := 0; i+1 < len(src); i += 2 {
		if !b.valid(i / 2) {
			continue
		}
		v0, v1 := src[i], src[i+1]^1<<63
		if v1 < lo1 || v1 == lo1 && v0 < lo0 {
			lo0, lo1 = v0, v1
		}
		if v1 > hi1 || v1 == hi1 && v0 > hi0 {
			hi0, hi1 = v0, v1
		}
		or |= v0
		and &= v0
	}
	w.lo, w.hi, w.or, w.and = limbs{lo0, lo1}, limbs{hi0, hi1}, or, and
}

// followWide follows the rows of a block as long as some order is possible, and in any case the last.
func (s *Statistics) followWide(b *block) {
	row := func(i int) (d datum) {
		if d.class = ClassNull; b.valid(i) {
			d = datum{num: decimalAt(b, i)}
		}
		return d
	}
	if s.Rows == 0 {
		s.first, s.last = row(0), row(0)
	}
	for i := range b.rows {
		if s.Rows+i == 0 {
			continue
		}
		if !s.ordered() {
			break
		}
		d := row(i)
		s.step(&d)
		s.last = d
	}
	s.last = row(b.rows - 1)
}
