package keyencode

// Measure sums up rows lo..hi-1 of a column in one read. It does not write to anything shared: callers measure ranges
// in parallel and merge them in order.
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
		measureStrings(&s, &r, lo, hi)
	}
	return s
}

// step notes how a row stands to its predecessor.
func (s *Statistics) step(next *datum) {
	s.note(next.compare(&s.last, s.key))
}

// note takes in that a row sorts after (1), with (0) or before (-1) its predecessor.
func (s *Statistics) note(step int) {
	s.Sorted = s.Sorted && step >= 0
	s.Rising = s.Rising && step > 0
	s.Reversed = s.Reversed && step < 0
}

// ordered reports whether the rows may still be in order, or all against it.
func (s *Statistics) ordered() bool { return s.Sorted || s.Reversed }
