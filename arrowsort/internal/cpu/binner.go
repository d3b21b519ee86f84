package cpu

import (
	"math"
	"math/bits"
	"slices"
)

// A binner maps a code to its bin of the first digit. Every mapping is monotone, so that any of them sorts: a sample
// that misleads costs time, never order. Codes outside of the range of the sample are clamped into the end bins.
//
//   - linear: bin = (code - base) >> shift
//   - cells: a linear table of 4096 cells, each divided linearly as finely as its share of the sample asks
//   - splitters: sampled codes, the same number of rows between neighbours, and a separate bin for each of them, so
//     that rows of a frequent code need no sort
//
// Values, NaNs and nulls never share a bin: linear and cells add 1 for each class border below the code, and splitters
// have the borders among them.
type binner struct {
	base    uint64
	top     uint64 // the largest code of the sample
	shift   uint
	bins    int
	borders [2]uint64
	cells   []uint64 // first bin << 8 | shift inside the cell
	tree    []uint64 // splitters in breadth-first order, tree[0] unused
	split   []uint64 // the same in order, then one MaxUint64
}

const (
	maxBinRows = 1 << 16 // a bin above this leaves the L2 cache; its rows no longer fit 16 bits
	cellBits   = 12
	maxBinBits = 15 // splitters make two bins of each: their numbers just fit 16 bits
)

// newBinner chooses the mapping for n rows from an ordered sample of their codes.
func newBinner(ordered []uint64, n int, borders []uint64) *binner {
	// 1024 bins are the best partition: one open line per bin and column stays in the L2 cache. Beyond 32768 rows in a
	// bin the bins' own sorts cost more than a partition with more bins.
	binBits := min(max(1, min(bits.Len(uint(n/4096)), 10), bits.Len(uint(n>>15))), maxBinBits)
	most := max(maxBinRows, n>>binBits*6) // the most rows that a bin should have
	fits := func(b *binner) bool {
		distinct, mixed := b.load(ordered)
		return !mixed && n/len(ordered)*distinct <= most
	}
	b := &binner{borders: [2]uint64{math.MaxUint64, math.MaxUint64}}
	copy(b.borders[:], borders)
	values := b.values(ordered)
	b.base, b.top = values[0], values[len(values)-1]
	width := bits.Len64(b.top - b.base)
	b.shift = uint(max(0, width-binBits))
	b.bins = int((b.top-b.base)>>b.shift) + 1 + len(borders)
	if ordered[0] == ordered[len(ordered)-1] {
		b.bySplitters(ordered[:1], borders, 2) // below, equal, above: any other mapping might put all rows in one bin
		return b
	}
	if fits(b) {
		return b
	}
	c := *b
	c.byCells(values, binBits)
	c.bins += len(borders)
	if fits(&c) {
		return &c
	}
	b.bySplitters(ordered, borders, max(binBits-1, 2)) // half of them, each with a separate bin
	return b
}

// values is the part of the sample between two borders that holds most of it.
func (b *binner) values(ordered []uint64) []uint64 {
	i := after(ordered, b.borders[0])
	j := after(ordered, b.borders[1])
	parts := [][]uint64{ordered[:i], ordered[i:j], ordered[j:]}
	return slices.MaxFunc(parts, func(p, q []uint64) int { return len(p) - len(q) })
}

// after is the number of codes up to border.
func after(ordered []uint64, border uint64) int {
	i, _ := slices.BinarySearchFunc(ordered, border, func(x, t uint64) int {
		if x <= t {
			return -1
		}
		return 1
	})
	return i
}

// of is the bin of one code; the kernels do the same in loops.
func (b *binner) of(x uint64) int {
	d := 0
	for _, t := range b.borders {
		if x > t {
			d++
		}
	}
	x = min(max(x, b.base), b.top) - b.base
	if b.cells == nil {
		return d + int(x>>b.shift)
	}
	e := b.cells[x>>b.shift]
	return d + int(e>>8+x&(1<<b.shift-1)>>(e&63))
}

// load judges the mapping by the sample: the most distinct codes in one bin, and whether a frequent code shares its bin
// with others. Rows of equal codes are in order as they come, and no work when they are alone.
func (b *binner) load(ordered []uint64) (distinct int, mixed bool) {
	heavy := max(len(ordered)/128, 8)
	here, equal, frequent := 0, 0, false
	for i, x := range ordered {
		same := i > 0 && ordered[i-1] == x
		if i > 0 && !same && b.of(ordered[i-1]) != b.of(x) {
			here, frequent = 0, false
		}
		if same {
			equal++
		} else {
			equal = 1
			here++
		}
		frequent = frequent || equal >= heavy
		mixed = mixed || frequent && here > 1
		distinct = max(distinct, here)
	}
	return distinct, mixed
}

// byCells divides each cell of a linear table by its share of the sample; poor neighbours share a bin.
func (b *binner) byCells(values []uint64, binBits int) {
	b.shift = uint(max(0, bits.Len64(b.top-b.base)-cellBits))
	b.cells = make([]uint64, int((b.top-b.base)>>b.shift)+1)
	per := max(1, len(values)>>binBits) // sampled rows per bin
	bin, fill, at := uint64(0), 0, 0
	for i := range b.cells {
		c := 0
		for at < len(values) && (values[at]-b.base)>>b.shift == uint64(i) {
			at++
			c++
		}
		sub := uint(0) // log2 of the bins in this cell
		if c > per {
			sub = min(uint(bits.Len(uint((3*c-1)/(4*per)))), b.shift) // the nearest power of two, or above
		}
		if sub > 0 || fill+c > per {
			if fill > 0 {
				bin++
			}
			fill = 0
		}
		b.cells[i] = bin<<8 | uint64(b.shift-sub)
		if sub > 0 {
			bin += 1 << sub
		} else {
			fill += c
		}
	}
	b.bins = int(bin) + 1
}

// bySplitters takes codes at equal distances in the sample, and the class borders.
func (b *binner) bySplitters(ordered, borders []uint64, binBits int) {
	q := 1<<binBits - 1
	split := append(make([]uint64, 0, q+1), borders...)
	for i := range q - len(borders) {
		split = append(split, ordered[(i+1)*len(ordered)/(q+1)])
	}
	slices.Sort(split)
	split = slices.Compact(split)
	for len(split) < q {
		split = append(split, math.MaxUint64) // never below a code
	}
	b.split = append(split, math.MaxUint64)
	b.tree = make([]uint64, q+1)
	i := 0
	var fill func(node int)
	fill = func(node int) {
		if node > q {
			return
		}
		fill(2 * node)
		b.tree[node] = b.split[i]
		i++
		fill(2*node + 1)
	}
	fill(1)
	b.bins = 2*q + 2
}
