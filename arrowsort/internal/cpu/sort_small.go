package cpu

// sortSmall sorts a few thousand rows on one worker, without a partition.
func (s *sorter) sortSmall() error {
	rows, err := words[uint32](&s.buffers, s.rows)
	if err != nil {
		return err
	}
	series(rows, 0)
	if err := s.sortRows(s.source(), rows, 0); err != nil {
		return err
	}
	return s.take(rows[:s.out])
}

// take fills the lanes with the given rows of the input.
func (s *sorter) take(rows []uint32) error {
	lanes := s.lanes()
	return s.tiles(len(rows), placeRows, func(_, lo, hi int) {
		for _, l := range lanes {
			l.take(l.out[lo*l.width:hi*l.width], rows[lo:hi])
		}
	})
}
