package cpu

// sortSmall sorts a few thousand rows on one worker, without a partition.
func (s *sorter) sortSmall() error {
	f := binSorter{pool: &s.pool}
	if err := f.reserve(&s.buffers, s.rows, 8, s.plan.Words() > 1); err != nil {
		return err
	}
	rows := f.sortRowIndices(s.plan, s.source(), 0, s.rows)
	if rows == nil {
		return s.copy(false)
	}
	return s.take(rows[:s.out])
}

// take fills the movers with the given rows of the input.
func (s *sorter) take(rows []uint32) error {
	movers := s.movers()
	return s.tiles(len(rows), placeRows, func(_, lo, hi int) {
		for _, l := range movers {
			for a := lo; a < hi && !s.stopped(); a += l.stepRows() {
				b := min(hi, a+l.stepRows())
				l.take(l.out[a*l.width:b*l.width], rows[a:b])
			}
		}
	})
}
