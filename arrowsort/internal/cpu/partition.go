package cpu

import (
	"unsafe"

	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/binsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/keys"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/payload"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/scatter"
	"github.com/arrowsort/arrowsort/internal/arena"
	"github.com/arrowsort/arrowsort/internal/buffers"
)

// A share is a run of consecutive rows that one worker counts and partitions.
type share struct {
	lo, hi  int
	offsets []uint32 // rows of each bin; then the next place of each bin
}

// A partition is the first digit binning: the most significant one, of all movers at once.
type partition struct {
	*sorter
	src    keys.Source
	rows   int
	binner *binner
	shares []share
	starts []uint32 // first row of each bin; the number of rows after the last
	bins   []uint16 // the bin of each row, when it is not cheap to compute twice
	// counters of the rows of each bin in each share, when they are given: then rows that are near one another go to
	// places that are near one another
	counters []uint32
	inner    bool // of rows that another partition has moved and reported
}

func (p *partition) report(rows int) {
	if !p.inner {
		p.pool.Advance(rows)
	}
}

// newPartition chooses the bins from a sample of the codes.
func (s *sorter) newPartition(src keys.Source, n int, borders []uint64) *partition {
	codes := s.keys.SampleOf(src, n)
	return &partition{sorter: s, src: src, rows: n, binner: newBinner(codes, n, borders)}
}

// linear reports whether bins are computed twice instead of being kept.
func (p *partition) linear() bool { return p.bins == nil }

// count reads all codes once: the rows of each bin in each share, from which every row's place follows. With keep, or
// when the mapping is costly, each row's bin is kept (2 bytes per row).
func (p *partition) count(keep bool) (err error) {
	b := p.binner
	if keep || b.cells != nil || b.tree != nil || b.borders[0] != ^uint64(0) {
		if p.bins, err = arena.Slice[uint16](p.mem, p.rows); err != nil {
			return err
		}
	}
	p.share()
	err = p.pool.Run(len(p.shares), func(_, item int) {
		var codes [keys.BlockRows]uint64
		s := &p.shares[item]
		for lo := s.lo; lo < s.hi && (lo%keys.TileRows != 0 || !p.pool.Stopped()); lo += keys.BlockRows {
			block := codes[:min(keys.BlockRows, s.hi-lo)]
			p.src.Encode(block, lo)
			if p.linear() {
				countLinear(block, unsafe.Pointer(&s.offsets[0]), b)
			} else {
				b.classify(block, p.bins[lo:lo+len(block)], s.offsets)
			}
		}
		p.report(s.hi - s.lo)
	})
	if err != nil {
		return err
	}
	return p.exclusiveSum()
}

// share divides the rows: few shares mean few lines at their seams, several per worker even out disturbances.
func (p *partition) share() {
	count := max(1, min(p.pool.Threads*2, p.rows/keys.TileRows))
	counters := p.counters
	if counters == nil {
		counters = make([]uint32, count*p.binner.bins)
	}
	count = len(counters) / p.binner.bins
	blocks := p.rows / keys.BlockRows
	for i := range count {
		lo, hi := blocks*i/count*keys.BlockRows, blocks*(i+1)/count*keys.BlockRows
		if i == count-1 {
			hi = p.rows
		}
		p.shares = append(p.shares, share{lo, hi, counters[i*p.binner.bins:][:p.binner.bins]})
	}
}

// exclusiveSum turns the histograms into places: bin by bin, and share by share within a bin, which keeps the order.
func (p *partition) exclusiveSum() error {
	const tile = 1 << 13 // bins
	bins := p.binner.bins
	before := make([]uint32, (bins+tile-1)/tile) // the rows of each tile, then of all before it
	err := p.pool.Tiles(bins, tile, func(_, lo, hi int) {
		for i := range p.shares {
			for _, rows := range p.shares[i].offsets[lo:hi] {
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
		p.starts = make([]uint32, bins+1)
		p.starts[bins] = sum
	}
	return p.pool.Tiles(bins, tile, func(_, lo, hi int) {
		sum := before[lo/tile]
		for d := lo; d < hi; d++ {
			if p.starts != nil {
				p.starts[d] = sum
			}
			for i := range p.shares {
				o := &p.shares[i].offsets[d]
				sum, *o = sum+*o, sum
			}
		}
	})
}

// places computes the places of rows lo.. of a share.
func (p *partition) places(s *share, places []uint32, lo int) {
	if !p.linear() {
		scatter.Places(p.bins[lo:lo+len(places)], places, s.offsets)
		return
	}
	offsets := unsafe.Pointer(&s.offsets[0])
	var codes [keys.BlockRows]uint64
	for i := 0; i < len(places); i += keys.BlockRows {
		n := min(keys.BlockRows, len(places)-i)
		p.src.Encode(codes[:n], lo+i)
		placesLinear(codes[:n], places[i:i+n], offsets, p.binner)
	}
}

// move scatters every mover to its bins, in row order within each.
func (p *partition) move(movers []*payload.Mover) error {
	if !p.linear() && p.combines(movers) {
		return p.moveCombining(movers)
	}
	rows := min(keys.TileRows, p.rows)
	threads := min(p.pool.Threads, len(p.shares))
	places, err := arena.Slice[uint32](p.mem, threads*rows)
	if err != nil {
		return err
	}
	scratch, err := p.newScratch(movers, threads)
	if err != nil {
		return err
	}
	err = p.pool.Run(len(p.shares), func(worker, item int) {
		s, touched, first := &p.shares[item], 0, 0
		if len(movers) >= wideMovers { // workers apart: two that write first to a huge page at once both clear it
			first = worker * len(movers) / threads
		}
		for lo := s.lo; lo < s.hi && !p.pool.Stopped(); lo += rows {
			places := places[worker*rows:][:min(rows, s.hi-lo)]
			p.places(s, places, lo)
			var next extent
			if p.counters != nil {
				next = newPlaces(places, touched)
				touched = max(touched, next.hi)
			}
			for i := range movers {
				l := movers[(first+i)%len(movers)]
				lines := l.Out[next.lo*l.Width : next.hi*l.Width]
				scatter.PrefetchShared(lines[:min(len(lines), maxFetched)])
				l.EachBlock(p.pool, lo, lo+len(places), scratch.of(worker), func(block []byte, at, n int) {
					scatter.Scatter(l.Out, block, places[at-lo:][:n], l.Width)
				})
			}
			p.report(len(places))
		}
	})
	p.mem.Free(buffers.Bytes(places))
	p.mem.Free(scratch.all)
	return err
}

// scratch is where movers that do not lie in the input are written before they are scattered: a part for each worker.
type scratch struct {
	all  []byte
	size int
}

func (s scratch) of(worker int) []byte { return s.all[worker*s.size:][:s.size] }

func (p *partition) newScratch(movers []*payload.Mover, workers int) (scratch, error) {
	const scratchBytes = 1 << 18
	width := payload.Widest(movers)
	size := max(width, min(scratchBytes, min(keys.TileRows, p.rows)*width))
	all, err := p.mem.Bytes(workers * size)
	return scratch{all, size}, err
}

// eachBin calls short for the rows lo..hi-1 of bins of up to binsort.MaxRows, which one worker sorts, with temp storage
// for values of a width and for ties; then long, one after another, for the others.
func (p *partition) eachBin(
	width int, ties bool, short func(f *binsort.Sorter, lo, hi int), long func(lo, hi int) error,
) error {
	longest := 0
	for bin := range p.binner.bins {
		if lo, hi := p.bin(bin); hi-lo <= binsort.MaxRows {
			longest = max(longest, hi-lo)
		}
	}
	fs, err := binsort.NewSorters(p.pool, p.mem, min(p.pool.Threads, p.binner.bins), longest, width, ties)
	if err != nil {
		return err
	}
	err = p.pool.Run(p.binner.bins, func(worker, bin int) {
		if lo, hi := p.bin(bin); hi-lo <= binsort.MaxRows {
			short(fs[worker], lo, hi)
			p.report(hi - lo)
		}
	})
	for _, f := range fs {
		f.Release(p.mem)
	}
	for bin := 0; bin < p.binner.bins && err == nil; bin++ {
		if lo, hi := p.bin(bin); hi-lo > binsort.MaxRows {
			err = long(lo, hi)
			p.report(hi - lo)
		}
	}
	return err
}

// bin returns the rows lo..hi-1 of a bin.
func (p *partition) bin(bin int) (lo, hi int) { return int(p.starts[bin]), int(p.starts[bin+1]) }

const (
	minCombinedColumn = 4 << 20  // of a column: smaller ones stay in the caches
	minCombinedBytes  = 32 << 20 // of all columns: for less, a process need not find out what is faster
	minCombinedBins   = 1 << 6
	maxCombinedCodes  = 1 << 12 // of bins of one code each: their buffers stay in the cache
)

// combines reports whether movers move by write combining. Bins of few codes that are not sorted gain from it wherever
// there are non-temporal stores: many rows go to each.
func (p *partition) combines(movers []*payload.Mover) bool {
	widest, all := 0, 0
	for _, l := range movers {
		if uintptr(unsafe.Pointer(unsafe.SliceData(l.Out)))%scatter.LineBytes != 0 {
			return false
		}
		widest = max(widest, len(l.Out))
		all += len(l.Out)
	}
	codes := p.counters != nil
	switch {
	case codes && p.binner.bins > maxCombinedCodes:
		return false
	case p.alwaysCombines:
		return true
	}
	return scatter.HasNonTemporalStores && widest >= minCombinedColumn && all >= minCombinedBytes &&
		p.binner.bins >= minCombinedBins && (codes || scatter.CombiningPays())
}

// moveCombining is move by write combining: of a share, one mover after another. The bins are kept.
func (p *partition) moveCombining(movers []*payload.Mover) error {
	threads := min(p.pool.Threads, len(p.shares))
	bins := p.binner.bins
	lines, err := p.mem.Bytes(threads * scatter.BufferBytes(bins))
	if err != nil {
		return err
	}
	scratch, err := p.newScratch(movers, threads)
	if err != nil {
		return err
	}
	ws := make([]scatter.WriteCombiner, threads)
	for i := range ws {
		ws[i] = scatter.NewWriteCombiner(lines[i*scatter.BufferBytes(bins):][:scatter.BufferBytes(bins)], bins)
	}
	err = p.pool.Run(len(p.shares), func(worker, item int) {
		s, w := &p.shares[item], &ws[worker]
		places := make([]uint32, len(s.offsets))
		for _, l := range movers {
			copy(places, s.offsets)
			w.Begin(places)
			l.EachBlock(p.pool, s.lo, s.hi, scratch.of(worker), func(block []byte, at, n int) {
				w.Scatter(l.Out, block, p.bins[at:at+n], places, l.Width)
			})
			w.End(l.Out, places, l.Width)
		}
		copy(s.offsets, places)
		p.report(s.hi - s.lo)
	})
	p.mem.Free(lines)
	p.mem.Free(scratch.all)
	return err
}
