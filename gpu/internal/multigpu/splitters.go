package multigpu

import (
	"cmp"
	"slices"

	"github.com/arrowsort/arrowsort/gpu/internal/strategy"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A segment is rows that are consecutive in the sorted order, and on each device in the order in which it sends them.
type segment struct {
	first      int   // rows that precede it in the sorted order
	begin, end []int // its rows on each device
	word, bits int   // its codes agree in all words before, and in all but the low bits of this one
	cuts       []int // those inside
}

func (s *segment) rows() (n int) {
	for d := range s.begin {
		n += s.end[d] - s.begin[d]
	}
	return n
}

// cuts divide the sorted order into the ranges of the devices. They are found by radix: the bins of the leading digit
// are counted on all devices, the bin that a cut falls into is divided by the next digit, and so on. So they need no
// sample, and any distribution of keys is divided as equally as another. Rows that are equal in all words are in the
// order of the devices, so that a cut may pass between them.
type cuts struct {
	targets   []int   // rows before each cut, ascending
	exact     int     // a cut in a segment of at most these rows is moved to one of its ends
	limit     int     // rows that are wanted: no cut is moved from behind them to before them
	wordBits  []int   // of the codes
	digitBits int     // of the digits, at most
	places    [][]int // of each cut, on each device
}

// start returns the whole, of the given rows on each device, to be divided by the leading digit.
func (c *cuts) start(rows []int) segment {
	whole := segment{begin: make([]int, len(rows)), end: rows}
	if len(c.wordBits) > 0 {
		whole.bits = c.wordBits[0]
	}
	c.places = make([][]int, len(c.targets))
	for i := range c.targets {
		whole.cuts = append(whole.cuts, i)
	}
	return whole
}

// digit is the next digit of a segment.
func (c *cuts) digit(s *segment) strategy.Digit {
	bits := min(c.digitBits, s.bits)
	return strategy.Digit{Shift: uint64(s.bits - bits), Bits: uint64(bits)}
}

// divided returns the bins of a segment that must be divided further, given the rows in each bin on each device, and
// places the cuts that are between bins, or in one small enough.
func (c *cuts) divided(s *segment, counts [][]int) (open []segment) {
	d := c.digit(s)
	next := segment{first: s.first, begin: slices.Clone(s.begin), word: s.word, bits: int(d.Shift)}
	if d.Shift == 0 {
		if next.word++; next.word < len(c.wordBits) {
			next.bits = c.wordBits[next.word]
		}
	}
	left := s.cuts
	for bin := 0; bin < 1<<d.Bits && len(left) > 0; bin++ {
		next.end, next.cuts = slices.Clone(next.begin), nil
		for device := range counts {
			next.end[device] += counts[device][bin]
		}
		n := next.rows()
		for len(left) > 0 && c.targets[left[0]] < next.first+n {
			next.cuts, left = append(next.cuts, left[0]), left[1:]
		}
		if next.cuts = c.inside(&next); len(next.cuts) > 0 {
			open = append(open, next)
		}
		next.first, next.begin = next.first+n, next.end
	}
	for _, cut := range left { // at the end
		c.places[cut] = slices.Clone(next.begin)
	}
	return open
}

// inside places the cuts of a segment that need no division, and returns the others.
func (c *cuts) inside(s *segment) (open []int) {
	n := s.rows()
	for _, cut := range s.cuts {
		switch before := c.targets[cut] - s.first; {
		case before <= 0:
			c.places[cut] = slices.Clone(s.begin)
		case s.word == len(c.wordBits):
			c.places[cut] = s.between(before)
		case n > c.exact:
			open = append(open, cut)
		case before > n/2 || c.targets[cut] == c.limit:
			c.places[cut] = slices.Clone(s.end)
		default:
			c.places[cut] = slices.Clone(s.begin)
		}
	}
	return open
}

// between returns the places of a cut between rows of a segment that are all equal.
func (s *segment) between(before int) []int {
	places := slices.Clone(s.begin)
	for d := range places {
		n := min(before, s.end[d]-s.begin[d])
		places[d] += n
		before -= n
	}
	return places
}

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

// fill gives each device the given rows, but fewer where its memory has less, until none are left. It returns nil where
// some are.
func fill(rows, each int, most []int) []int {
	shares := make([]int, len(most))
	for i := range most {
		shares[i] = min(rows, each, max(0, most[i]))
		rows -= shares[i]
	}
	if rows > 0 {
		return nil
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

// shortest returns the rows between the two nearest of ascending borders, of those that differ.
func shortest(borders []int) int {
	least := borders[len(borders)-1]
	for i, end := range borders[1:] {
		if n := end - borders[i]; n > 0 {
			least = min(least, n)
		}
	}
	return least
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
