package cpu

import "slices"

// sortedInput reports whether the rows are in order already, or strictly descend: then one copy, as they are or
// reversed, sorts them. Statistics prove it for one key; for several a sample decides whether all rows are compared.
func (s *sorter) sortedInput() (inOrder, reversed bool, err error) {
	if s.plan.Words() == 0 || s.plan.Sorted() {
		return true, false, nil
	}
	if s.plan.Reversed() {
		return false, true, nil
	}
	if s.rows <= smallRows || len(s.job.Keys) == 1 || !slices.IsSorted(s.sampled()) {
		return false, false, nil
	}
	row, err := s.firstUnsorted(s.source(), s.rows, nil)
	return row < 0, false, err
}

// strictlyDescending reports whether every code is below its predecessor.
func strictlyDescending(codes []uint64) bool {
	for i := 1; i < len(codes); i++ {
		if codes[i] >= codes[i-1] {
			return false
		}
	}
	return true
}

// copy copies the leading rows of the result, or the last rows in reverse.
func (s *sorter) copy(reverse bool) error {
	movers := s.movers()
	size := 0
	for _, l := range movers {
		size = max(size, l.width*min(blockRows, l.stepRows()))
	}
	var scratch []byte
	if reverse {
		var err error
		if scratch, err = s.bytes(s.threads * size); err != nil {
			return err
		}
	}
	return s.tiles(s.out, placeRows, func(worker, lo, hi int) {
		for _, l := range movers {
			step := min(blockRows, l.stepRows())
			for a := lo; a < hi && !s.stopped(); a += step {
				b := min(hi, a+step)
				dst := l.out[a*l.width : b*l.width]
				if reverse {
					reverseInto(dst, l.block(s.rows-b, b-a, scratch[worker*size:][:size]), l.width)
				} else if src := l.block(a, b-a, dst); &src[0] != &dst[0] {
					copy(dst, src)
				}
			}
		}
		s.advance(3 * (hi - lo))
	})
}

func reverseInto(dst, src []byte, width int) {
	switch width {
	case 8:
		d, s := view[uint64](dst), view[uint64](src)
		for i := range d {
			d[i] = s[len(s)-1-i]
		}
	default:
		for i := 0; i < len(src); i += width {
			copy(dst[len(dst)-i-width:], src[i:i+width])
		}
	}
}
