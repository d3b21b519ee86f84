package take

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
)

// A locator finds the chunk of a row number: a table leads to the few chunks that begin in a range of rows, binary
// search to the one.
type locator struct {
	starts []uint64 // first row of each chunk, and the number of rows
	table  []int32  // the chunk of row i<<shift
	shift  uint
}

// newLocator prepares for a number of look-ups: the more, the finer the table.
func newLocator(chunks []chunk, rows int) (*locator, error) {
	if len(chunks) >= 1<<(64-rowBits) {
		return nil, fmt.Errorf("%w: take: a column of %d chunks; concatenate some", arrow.ErrInvalid, len(chunks))
	}
	l := &locator{starts: make([]uint64, len(chunks)+1)}
	for i, c := range chunks {
		if uint64(c.length) > rowMask {
			return nil, fmt.Errorf("%w: take: a chunk of %d rows", arrow.ErrInvalid, c.length)
		}
		l.starts[i+1] = l.starts[i] + uint64(c.length)
	}
	if len(chunks) < 2 {
		return l, nil
	}
	for l.total()>>l.shift > uint64(max(2*len(chunks), min(64*len(chunks), rows/16))) {
		l.shift++
	}
	c := 0
	for row := uint64(0); row < l.total(); row += 1 << l.shift {
		for row >= l.starts[c+1] {
			c++
		}
		l.table = append(l.table, int32(c))
	}
	l.table = append(l.table, int32(len(chunks)-1))
	return l, nil
}

func (l *locator) total() uint64 { return l.starts[len(l.starts)-1] }
func (l *locator) chunks() int   { return len(l.starts) - 1 }

// find is the chunk of a row below total: the last one that begins at or before it and is not empty.
func (l *locator) find(row uint64) int {
	lo, hi := int(l.table[row>>l.shift]), int(l.table[row>>l.shift+1])
	for lo < hi {
		mid := int(uint(lo+hi+1) / 2)
		if l.starts[mid] <= row {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	return lo
}
