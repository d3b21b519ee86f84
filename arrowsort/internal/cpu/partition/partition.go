// Package partition moves rows to bins by the leading bits of their codes: a classifier chooses the bins, a histogram
// and its prefix sum give each row a place, and all columns are scattered there, straight into the result.
package partition

import (
	"math"
	"slices"
	"unsafe"

	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/keys"
	"github.com/arrowsort/arrowsort/internal/arena"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/internal/workers"
)

// A Stripe is a run of consecutive rows that one worker counts and partitions.
type Stripe struct {
	Lo, Hi int
	Next   []uint32 // rows of each bin; then the next place of each bin
}

// A Partition is the first digit binning: the most significant one, of all movers at once. It is stable.
type Partition struct {
	pool       *workers.Pool
	mem        *arena.Arena
	src        keys.Source
	rows       int
	Classifier *Classifier
	Stripes    []Stripe
	Starts     []uint32 // first row of each bin; the number of rows after the last
	Bins       []uint16 // the bin of each row, when it is not cheap to compute twice
	// counters of the rows of each bin in each stripe, when they are given: then rows that are near one another go to
	// places that are near one another
	counters []uint32

	Silent         bool // its rows are those of another partition, which has reported them
	AlwaysCombines bool // movers move by write combining, however few the rows are
}

// Report reports a step of some rows.
func (p *Partition) Report(rows int) {
	if !p.Silent {
		p.pool.Advance(rows)
	}
}

// New returns a partition of rows 0..n-1 of a source to the bins of a classifier.
func New(pool *workers.Pool, mem *arena.Arena, src keys.Source, n int, c *Classifier) *Partition {
	return &Partition{pool: pool, mem: mem, src: src, rows: n, Classifier: c}
}

// NewOfCodes returns a partition of all rows of a source that has a bin for each code. Codes are below codes.
func NewOfCodes(pool *workers.Pool, mem *arena.Arena, src keys.Source, n, codes int) (*Partition, error) {
	counters, err := arena.Slice[uint32](mem, codes*StripesOfCodes(pool, n))
	if err != nil {
		return nil, err
	}
	if err := pool.Tiles(len(counters), 1<<20, func(_, lo, hi int) { clear(counters[lo:hi]) }); err != nil {
		return nil, err
	}
	none := uint64(math.MaxUint64)
	p := New(pool, mem, src, n, &Classifier{top: uint64(codes) - 1, Bins: codes, borders: [2]uint64{none, none}})
	p.counters = counters
	return p, nil
}

// StripesOfCodes returns the number of stripes of NewOfCodes, each of which has a counter for each code.
func StripesOfCodes(pool *workers.Pool, n int) int { return max(1, min(pool.Threads, n/keys.TileRows)) }

// Release frees the bins of the rows and the counters.
func (p *Partition) Release() {
	p.mem.Free(buffers.Bytes(p.Bins))
	p.mem.Free(buffers.Bytes(p.counters))
}

// linear reports whether bins are computed twice instead of being kept.
func (p *Partition) linear() bool { return p.Bins == nil }

// Count reads all codes once: the rows of each bin in each stripe, from which every row's place follows. With keep, or
// when the mapping is costly, each row's bin is kept (2 bytes per row).
func (p *Partition) Count(keep bool) (err error) {
	b := p.Classifier
	if keep || b.cells != nil || b.splitterTree != nil || b.borders[0] != ^uint64(0) {
		if p.Bins, err = arena.Slice[uint16](p.mem, p.rows); err != nil {
			return err
		}
	}
	p.divide()
	err = p.pool.Run(len(p.Stripes), func(_, item int) {
		var codes [keys.BlockRows]uint64
		s := &p.Stripes[item]
		for lo := s.Lo; lo < s.Hi && (lo%keys.TileRows != 0 || !p.pool.Stopped()); lo += keys.BlockRows {
			block := codes[:min(keys.BlockRows, s.Hi-lo)]
			p.src.Encode(block, lo)
			if p.linear() {
				countLinear(block, unsafe.Pointer(&s.Next[0]), b)
			} else {
				b.Classify(block, p.Bins[lo:lo+len(block)], s.Next)
			}
		}
		p.Report(s.Hi - s.Lo)
	})
	if err != nil {
		return err
	}
	return p.exclusiveSum()
}

// divide makes the stripes: few of them mean few lines at their seams, several per worker even out disturbances.
func (p *Partition) divide() {
	count := max(1, min(p.pool.Threads*2, p.rows/keys.TileRows))
	counters := p.counters
	if counters == nil {
		counters = make([]uint32, count*p.Classifier.Bins)
	}
	count = len(counters) / p.Classifier.Bins
	blocks := p.rows / keys.BlockRows
	for i := range count {
		lo, hi := blocks*i/count*keys.BlockRows, blocks*(i+1)/count*keys.BlockRows
		if i == count-1 {
			hi = p.rows
		}
		p.Stripes = append(p.Stripes, Stripe{lo, hi, counters[i*p.Classifier.Bins:][:p.Classifier.Bins]})
	}
}

// exclusiveSum turns the histograms into places: bin by bin, and stripe by stripe within a bin, which keeps the order.
func (p *Partition) exclusiveSum() error {
	const tile = 1 << 13 // bins
	bins := p.Classifier.Bins
	before := make([]uint32, (bins+tile-1)/tile) // the rows of each tile, then of all before it
	err := p.pool.Tiles(bins, tile, func(_, lo, hi int) {
		for i := range p.Stripes {
			for _, rows := range p.Stripes[i].Next[lo:hi] {
				before[lo/tile] += rows
			}
		}
	})
	sum := uint32(0)
	for i, rows := range before {
		before[i], sum = sum, sum+rows
	}
	if err != nil {
		return err
	}
	if p.counters == nil { // else there is a bin for each code, and no bin is sorted
		p.Starts = make([]uint32, bins+1)
		p.Starts[bins] = sum
	}
	return p.pool.Tiles(bins, tile, func(_, lo, hi int) {
		sum := before[lo/tile]
		for d := lo; d < hi; d++ {
			if p.Starts != nil {
				p.Starts[d] = sum
			}
			for i := range p.Stripes {
				o := &p.Stripes[i].Next[d]
				sum, *o = sum+*o, sum
			}
		}
	})
}

// Bin returns the rows lo..hi-1 of a bin.
func (p *Partition) Bin(bin int) (lo, hi int) { return int(p.Starts[bin]), int(p.Starts[bin+1]) }

// NextPlaces returns the place of the first row of each stripe in each bin. Scatter counts up the partition's own ones.
func (p *Partition) NextPlaces() [][]uint32 {
	places := make([][]uint32, len(p.Stripes))
	for i := range p.Stripes {
		places[i] = slices.Clone(p.Stripes[i].Next)
	}
	return places
}

// Collect copies values from the rows' places in the bins to the rows, and adds what each bin has. The partition is
// stable, so a row's place in it is computed again by counting: no random access. next are NextPlaces, which are
// counted up. then, if it is not nil, gets the rows of a tile.
func (p *Partition) Collect(dst, values, bin []uint64, next [][]uint32, then func(tile []uint64)) error {
	return p.pool.Run(len(p.Stripes), func(_, item int) {
		s := &p.Stripes[item]
		for lo := s.Lo; lo < s.Hi && !p.pool.Stopped(); lo += keys.TileRows {
			hi := min(lo+keys.TileRows, s.Hi)
			collectByBin(dst[lo:hi], values, bin, p.Bins[lo:hi], next[item])
			if then != nil {
				then(dst[lo:hi])
			}
		}
	})
}

//go:noinline
func collectByBin(dst, values, before []uint64, bins []uint16, places []uint32) {
	bins = bins[:len(dst)]
	before = before[:len(places)]
	for i, bin := range bins {
		place := places[bin]
		places[bin] = place + 1
		dst[i] = values[place] + before[bin]
	}
}

// RowsOfBins lists the rows of bins 0 to last, in their order.
func (p *Partition) RowsOfBins(rows []uint32, last uint16) error {
	starts := make([]int, len(p.Stripes)+1)
	err := p.pool.Run(len(p.Stripes), func(_, i int) {
		n := 0
		for _, d := range p.Bins[p.Stripes[i].Lo:p.Stripes[i].Hi] {
			if d <= last {
				n++
			}
		}
		starts[i+1] = n
	})
	if err != nil {
		return err
	}
	for i := range p.Stripes {
		starts[i+1] += starts[i]
	}
	return p.pool.Run(len(p.Stripes), func(_, i int) {
		at, lo := starts[i], p.Stripes[i].Lo
		for k, d := range p.Bins[lo:p.Stripes[i].Hi] {
			if d <= last {
				rows[at] = uint32(lo + k)
				at++
			}
		}
	})
}
