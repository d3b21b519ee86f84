package multigpu

import (
	"cmp"
	"slices"

	"github.com/arrowsort/arrowsort/keyencode"
)

// shareStep divides the first row of every share, so that bitmaps of shares begin with whole words.
const shareStep = 64

// divide returns the rows of each of several devices, of which each should have most[i] at most: as equal as that
// allows. Where the rows are too many for all, what exceeds is divided equally as well.
func divide(rows int, most []int) []int {
	shares, devices := make([]int, len(most)), make([]int, len(most))
	for i := range devices {
		devices[i] = i
	}
	slices.SortStableFunc(devices, func(a, b int) int { return cmp.Compare(most[a], most[b]) })
	left := rows
	for i, d := range devices {
		shares[d] = min(max(0, most[d]), (left+len(devices)-i-1)/(len(devices)-i))
		left -= shares[d]
	}
	for i, d := range devices {
		more := left / (len(devices) - i)
		shares[d] += more
		left -= more
	}
	return shares
}

// bordersOf returns where shares begin, and where the last one ends.
func bordersOf(shares []int, step int) []int {
	borders, sum := []int{0}, 0
	for _, n := range shares {
		sum += n
		borders = append(borders, sum/step*step)
	}
	borders[len(shares)] = sum
	return borders
}

// rowsOf returns rows lo to hi of a column, without copying.
func rowsOf(c *keyencode.Column, lo, hi int) keyencode.Column {
	part := keyencode.Column{Kind: c.Kind, Width: c.Width}
	for _, k := range c.Chunks {
		from, to := max(lo, 0), min(hi, k.Rows)
		lo, hi = lo-k.Rows, hi-k.Rows
		if from < to {
			k.Offset, k.Rows = k.Offset+from, to-from
			part.Chunks = append(part.Chunks, k)
		}
	}
	return part
}
