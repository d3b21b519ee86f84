package partition

import (
	"math"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/binsort"
	"github.com/arrowsort/arrowsort/internal/buffers"
)

// A Classifier maps a code to its bin of the first digit. Every mapping is monotone, so that any of them sorts: a
// sample that misleads costs time, never order. Codes outside of the range of the sample are clamped into the end bins.
//
//   - linear: bin = (code - base) >> shift
//   - cells: a linear table of 4096 cells, each divided linearly as finely as its share of the sample asks
//   - splitters: sampled codes, the same number of rows between neighbours, and a separate bin for each of them, so
//     that rows of a frequent code need no sort
//
// Values, NaNs and nulls never share a bin: linear and cells add 1 for each class border below the code, and splitters
// have the borders among them.
type Classifier struct {
	base         uint64
	top          uint64 // the largest code of the sample
	shift        uint
	Bins         int // their number
	borders      [2]uint64
	cells        []uint64 // first bin << 8 | shift inside the cell
	splitterTree []uint64 // splitters in breadth-first order, tree[0] unused
	splitters    []uint64 // the same in order, then one MaxUint64
}

const (
	cellBits   = 12
	maxBinBits = 15 // splitters make two bins of each: their numbers just fit 16 bits
)

// NewClassifier chooses the mapping for n rows from an ordered sample of their codes. ties says that further words
// order rows of one code, which are no work otherwise.
func NewClassifier(ordered []uint64, n int, borders []uint64, ties bool) *Classifier {
	// 1024 bins are the best partition: the line that each bin of each column writes to stays in the L2 cache. Bins of
	// more than 32768 rows cost more to sort than a partition with more bins.
	binBits := min(max(1, min(bits.Len(uint(n/4096)), 10), bits.Len(uint(n>>15))), maxBinBits)
	most := max(binsort.MaxRows, n>>binBits*6) // the most rows that a bin should have
	fits := func(b *Classifier) bool {
		distinct, rows, mixed := b.fit(ordered)
		return !mixed && n/len(ordered)*distinct <= most && (!ties || n/len(ordered)*rows <= most/2)
	}
	b := &Classifier{borders: [2]uint64{math.MaxUint64, math.MaxUint64}}
	copy(b.borders[:], borders)
	values := b.values(ordered)
	b.base, b.top = values[0], values[len(values)-1]
	width := bits.Len64(b.top - b.base)
	b.shift = uint(max(0, width-binBits))
	b.Bins = int((b.top-b.base)>>b.shift) + 1 + len(borders)
	if ordered[0] == ordered[len(ordered)-1] {
		b.useSplitters(ordered[:1], borders, 2) // below, equal, above: any other mapping might put all rows in one bin
		return b
	}
	if fits(b) {
		return b
	}
	c := *b
	c.useCells(values, binBits)
	c.Bins += len(borders)
	if fits(&c) {
		return &c
	}
	b.useSplitters(ordered, borders, max(binBits-1, 2)) // half of them, each with a separate bin
	return b
}

// values returns the part of the sample between two borders that holds most of it.
func (b *Classifier) values(ordered []uint64) []uint64 {
	i := after(ordered, b.borders[0])
	j := after(ordered, b.borders[1])
	parts := [][]uint64{ordered[:i], ordered[i:j], ordered[j:]}
	return slices.MaxFunc(parts, func(p, q []uint64) int { return len(p) - len(q) })
}

// after returns the number of codes up to border.
func after(ordered []uint64, border uint64) int {
	i, _ := slices.BinarySearchFunc(ordered, border, func(x, t uint64) int {
		if x <= t {
			return -1
		}
		return 1
	})
	return i
}

// bin returns the bin of one code; the kernels do the same in loops.
func (b *Classifier) bin(x uint64) int {
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

// fit judges the mapping by the sample: the most distinct codes in one bin, the most rows of other codes than frequent
// ones, and whether a frequent code shares its bin with others. Rows of equal codes are in order as they come, and no
// work when they are alone.
func (b *Classifier) fit(ordered []uint64) (distinct, rows int, mixed bool) {
	heavy := max(len(ordered)/128, 8)
	here, first, equal, frequent := 0, 0, 0, false
	for i, x := range ordered {
		same := i > 0 && ordered[i-1] == x
		if i > 0 && !same && b.bin(ordered[i-1]) != b.bin(x) {
			here, first, frequent = 0, i, false
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
		if !frequent {
			rows = max(rows, i+1-first)
		}
	}
	return distinct, rows, mixed
}

// useCells divides each cell of a linear table by its share of the sample; poor neighbours share a bin.
func (b *Classifier) useCells(values []uint64, binBits int) {
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
	b.Bins = int(bin) + 1
}

// useSplitters takes codes at equal distances in the sample, and the class borders.
func (b *Classifier) useSplitters(ordered, borders []uint64, binBits int) {
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
	b.splitters = append(split, math.MaxUint64)
	b.splitterTree = make([]uint64, q+1)
	i := 0
	var fill func(node int)
	fill = func(node int) {
		if node > q {
			return
		}
		fill(2 * node)
		b.splitterTree[node] = b.splitters[i]
		i++
		fill(2*node + 1)
	}
	fill(1)
	b.Bins = 2*q + 2
}

// The kernels are top-level functions that are never inlined: a closure that travels with an inlined caller is compiled
// there without inlining its own calls. They index without checks: every bin is below Classifier.Bins by the clamp, and
// the tables have that many entries.

// Classify writes and counts the bins of codes.
func (b *Classifier) Classify(codes []uint64, bins []uint16, histogram []uint32) {
	counts := unsafe.Pointer(&histogram[0])
	switch {
	case b.splitterTree != nil:
		classifySplitters(codes, bins, counts, b)
	case b.cells != nil:
		classifyCells(codes, bins, counts, b)
	default:
		classifyLinear(codes, bins, counts, b)
	}
}

// countLinear counts the bins of codes whose mapping is linear, without borders.
//
//go:noinline
func countLinear(codes []uint64, histogram unsafe.Pointer, b *Classifier) {
	base, top, shift := b.base, b.top, b.shift&63
	for _, x := range codes {
		buffers.Count32(histogram, (min(max(x, base), top)-base)>>shift)
	}
}

// placesLinear computes the places of rows whose mapping is linear, without borders, and moves the offsets on.
//
//go:noinline
func placesLinear(codes []uint64, places []uint32, offsets unsafe.Pointer, b *Classifier) {
	base, top, shift := b.base, b.top, b.shift&63
	places = places[:len(codes)]
	for i, x := range codes {
		o := (*uint32)(unsafe.Add(offsets, (min(max(x, base), top)-base)>>shift*4))
		p := *o
		places[i] = p
		*o = p + 1
	}
}

// classifyLinear writes and counts the bins of a linear mapping with class borders.
//
//go:noinline
func classifyLinear(codes []uint64, bins []uint16, histogram unsafe.Pointer, b *Classifier) {
	base, top, shift := b.base, b.top, b.shift&63
	t0, t1 := b.borders[0], b.borders[1]
	bins = bins[:len(codes)]
	for i, x := range codes {
		_, c0 := bits.Sub64(t0, x, 0) // 1 when x > t0
		_, c1 := bits.Sub64(t1, x, 0)
		d := (min(max(x, base), top)-base)>>shift + c0 + c1
		bins[i] = uint16(d)
		buffers.Count32(histogram, d)
	}
}

// classifyCells is classifyLinear for cells.
//
//go:noinline
func classifyCells(codes []uint64, bins []uint16, histogram unsafe.Pointer, b *Classifier) {
	base, top, shift := b.base, b.top, b.shift&63
	t0, t1 := b.borders[0], b.borders[1]
	cells := unsafe.Pointer(&b.cells[0])
	inside := uint64(1)<<shift - 1
	bins = bins[:len(codes)]
	for i, x := range codes {
		_, c0 := bits.Sub64(t0, x, 0)
		_, c1 := bits.Sub64(t1, x, 0)
		x = min(max(x, base), top) - base
		e := buffers.Load64(cells, x>>shift)
		d := e>>8 + x&inside>>(e&63) + c0 + c1
		bins[i] = uint16(d)
		buffers.Count32(histogram, d)
	}
}

// classifySplitters writes and counts the bins of splitters: 2s+1 for a code equal to splitter s, else 2s for s
// splitters below it. Four searches go side by side: one alone waits for its own loads.
//
//go:noinline
func classifySplitters(codes []uint64, bins []uint16, histogram unsafe.Pointer, b *Classifier) {
	q := uint64(len(b.splitterTree))
	levels := bits.Len64(q - 1)
	tree, split := unsafe.Pointer(&b.splitterTree[0]), unsafe.Pointer(&b.splitters[0])
	bins = bins[:len(codes)]
	i := 0
	for ; i+4 <= len(codes); i += 4 {
		c, out := (*[4]uint64)(codes[i:]), (*[4]uint16)(bins[i:])
		x0, x1, x2, x3 := c[0], c[1], c[2], c[3]
		n0, n1, n2, n3 := uint64(1), uint64(1), uint64(1), uint64(1)
		for range levels {
			_, b0 := bits.Sub64(buffers.Load64(tree, n0), x0, 0)
			_, b1 := bits.Sub64(buffers.Load64(tree, n1), x1, 0)
			_, b2 := bits.Sub64(buffers.Load64(tree, n2), x2, 0)
			_, b3 := bits.Sub64(buffers.Load64(tree, n3), x3, 0)
			n0, n1, n2, n3 = 2*n0+b0, 2*n1+b1, 2*n2+b2, 2*n3+b3
		}
		for k, n := range [4]uint64{n0, n1, n2, n3} {
			d := splitBin(split, n-q, c[k])
			out[k] = uint16(d)
			buffers.Count32(histogram, d)
		}
	}
	for ; i < len(codes); i++ {
		n := uint64(1)
		for range levels {
			_, below := bits.Sub64(buffers.Load64(tree, n), codes[i], 0)
			n = 2*n + below
		}
		d := splitBin(split, n-q, codes[i])
		bins[i] = uint16(d)
		buffers.Count32(histogram, d)
	}
}

// splitBin returns the bin of x, which s splitters are below.
func splitBin(split unsafe.Pointer, s, x uint64) uint64 {
	if buffers.Load64(split, s) == x {
		return 2*s + 1
	}
	return 2 * s
}
