package take

import "github.com/apache/arrow/go/v15/arrow/memory"

// A runSource is the runs of a chunk, whose first row is row offset of the runs. A table leads to the few runs that end
// in a range of rows, binary search to the one: with random rows, the steps it saves each cost a wrong guess of a
// branch.
type runSource[E runEnd] struct {
	ends         []E
	offset, rows int
	values       int
	table        []int32 // the run of row i<<shift
	shift        uint
}

// index makes the table for a number of look-ups, with about an entry for each run, but no more than one for four
// look-ups. The caller releases its buffer.
func (s *runSource[E]) index(g *gatherer, lookups int) (*memory.Buffer, error) {
	last := s.offset + s.rows
	for last>>s.shift > max(1, min(2*len(s.ends), lookups/4)) {
		s.shift++
	}
	buffer, err := g.scratch(4 * (last>>s.shift + 2))
	if err != nil {
		return nil, err
	}
	s.table = as[int32](buffer.Bytes())
	run := 0
	for i := range s.table {
		run = s.search(run, len(s.ends), i<<s.shift)
		s.table[i] = int32(run)
	}
	return buffer, nil
}

// find is the run that holds a row of the chunk.
func (s *runSource[E]) find(row int) int {
	row += s.offset
	return s.search(int(s.table[row>>s.shift]), int(s.table[row>>s.shift+1]), row)
}

// search is the first of runs [lo,hi) that ends after a row, or hi.
func (s *runSource[E]) search(lo, hi, row int) int {
	for lo < hi {
		if mid := int(uint(lo+hi) / 2); int(s.ends[mid]) > row {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}
