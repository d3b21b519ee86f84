package keyencode

// Measure sums up rows lo..hi-1 of a column in one read. It does not write to anything shared: callers measure ranges in
// parallel and merge them in order.
func Measure(c *Column, k Key, lo, hi int) Statistics {
	s := Statistics{Sorted: true, Rising: true, Reversed: true, key: k}
	if lo >= hi {
		return s
	}
	r := newReader(c)
	switch c.shape() {
	case shapeNone:
		s.Rows, s.Nulls = hi-lo, hi-lo
		s.Rising, s.Reversed = hi-lo == 1, hi-lo == 1
		s.first.class, s.last.class = ClassNull, ClassNull
	case shapeWord:
		measureWords(&s, &r, lo, hi)
	case shapeWide:
		measureWide(&s, &r, lo, hi)
	case shapeBytes:
		measureTexts(&s, &r, lo, hi)
	}
	return s
}

// follow notes how a row stands to its predecessor.
func (s *Statistics) follow(next *datum) {
	if s.Rows == 0 {
		s.first = *next
	} else if s.ordered() {
		s.step(next)
	}
	s.last = *next
}

func (s *Statistics) step(next *datum) {
	step := next.compare(&s.last, s.key)
	s.Sorted = s.Sorted && step >= 0
	s.Rising = s.Rising && step > 0
	s.Reversed = s.Reversed && step < 0
}

// ordered reports whether the rows may still be in order, or all against it.
func (s *Statistics) ordered() bool { return s.Sorted || s.Reversed }

func measureWide(s *Statistics, r *reader, lo, hi int) {
	r.each(lo, hi, func(c *Chunk, at, n, _ int) {
		b := r.block(c, at, n)
		for i := range n {
			valid := b.validity == nil || bitAt(b.validity, b.bit+i)
			var v limbs
			if valid {
				v = decimalAt(&b, i)
				s.addWide(v)
			} else {
				s.Nulls++
			}
			if s.ordered() || i == n-1 {
				s.follow(&datum{class: classIf(valid), num: v})
			}
			s.Rows++
		}
	})
}

func classIf(valid bool) Class {
	if valid {
		return ClassValue
	}
	return ClassNull
}

func (s *Statistics) addWide(v limbs) {
	if s.Values() == 0 {
		s.Min, s.Max, s.Or, s.And = v, v, v[0], v[0]
		return
	}
	if v.compare(s.Min) < 0 {
		s.Min = v
	}
	if v.compare(s.Max) > 0 {
		s.Max = v
	}
	s.Or |= v[0]
	s.And &= v[0]
}
