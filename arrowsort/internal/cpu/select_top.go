package cpu

import "slices"

// selectTop finds the bins of the leading rows, sorts the rows of these bins alone and takes the first of them.
func (s *sorter) selectTop() error {
	p := s.newPartition(s.source(), s.rows, s.plan.Borders())
	if err := p.count(true); err != nil {
		return err
	}
	last, _ := slices.BinarySearch(p.starts[1:], uint32(s.out)) // the first bin that ends at or after the limit
	rows, err := allocate[uint32](&s.buffers, int(p.starts[last+1]))
	if err != nil {
		return err
	}
	if err := p.selectRows(rows, uint16(last)); err != nil {
		return err
	}
	s.free(bytesOf(p.bins))
	if err := s.sortRows(s.source(), rows, 0); err != nil {
		return err
	}
	return s.take(rows[:s.out])
}

// selectRows lists the rows of bins 0 to last, in their order.
func (p *partition) selectRows(rows []uint32, last uint16) error {
	starts := make([]int, len(p.shares)+1)
	err := p.run(len(p.shares), func(_, i int) {
		n := 0
		for _, d := range p.bins[p.shares[i].lo:p.shares[i].hi] {
			if d <= last {
				n++
			}
		}
		starts[i+1] = n
	})
	if err != nil {
		return err
	}
	for i := range p.shares {
		starts[i+1] += starts[i]
	}
	return p.run(len(p.shares), func(_, i int) {
		at, lo := starts[i], p.shares[i].lo
		for k, d := range p.bins[lo:p.shares[i].hi] {
			if d <= last {
				rows[at] = uint32(lo + k)
				at++
			}
		}
	})
}
