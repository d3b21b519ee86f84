package take

import (
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
)

// A position is where a row lies: its chunk in the high bits, and in the low rowBits its number in the chunk, counted
// from the chunk's first row.
const (
	rowBits = 40
	rowMask = 1<<rowBits - 1
)

// A selection is rows of a column as positions. All positions lie in their chunks: that is checked when the selection
// is made, so that loops over positions need no checks.
type selection interface {
	len() int
	// at returns the positions of rows [lo,hi), in buf, whose length is hi-lo, or in memory of the selection, which the
	// caller must not change.
	at(lo, hi int, buf []uint64) []uint64
}

type rowNumber interface{ uint32 | uint64 }

// selectRows selects rows by number in all chunks.
func selectRows[U rowNumber](loc *locator, rows []U) selection {
	if loc.chunks() > 1 {
		return located[U]{rows, loc}
	}
	switch r := any(rows).(type) {
	case []uint32:
		return rows32(r)
	default:
		return positionList(r.([]uint64))
	}
}

// A positionList holds positions. Row numbers of a column of one chunk are positions as they are.
type positionList []uint64

func (p positionList) len() int                           { return len(p) }
func (p positionList) at(lo, hi int, _ []uint64) []uint64 { return p[lo:hi] }

// rows32 are row numbers of a column of one chunk.
type rows32 []uint32

func (r rows32) len() int { return len(r) }

func (r rows32) at(lo, hi int, buf []uint64) []uint64 {
	for i, row := range r[lo:hi] {
		buf[i] = uint64(row)
	}
	return buf
}

// located are row numbers of a column of several chunks.
type located[U rowNumber] struct {
	rows []U
	loc  *locator
}

func (l located[U]) len() int { return len(l.rows) }

func (l located[U]) at(lo, hi int, buf []uint64) []uint64 {
	var chunk, first, rows uint64 // the chunk of the last row: neighbours often lie in the same one
	for i, r := range l.rows[lo:hi] {
		row := uint64(r)
		if row-first >= rows {
			c := l.loc.find(row)
			chunk, first, rows = uint64(c)<<rowBits, l.loc.starts[c], l.loc.starts[c+1]-l.loc.starts[c]
		}
		buf[i] = chunk | (row - first)
	}
	return buf
}

// checkRows is the one check that every later loop relies on.
func checkRows[U rowNumber](g *gatherer, rows []U, total uint64) error {
	return g.tiles(len(rows), func(lo, hi int, _ []uint64) error {
		if top := slices.Max(rows[lo:hi]); uint64(top) >= total {
			return fmt.Errorf("%w: take: row %d of a column of %d rows", arrow.ErrIndex, top, total)
		}
		return nil
	})
}
