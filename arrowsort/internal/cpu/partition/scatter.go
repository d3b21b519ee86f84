package partition

import (
	"unsafe"

	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/keys"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/payload"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/scatter"
	"github.com/arrowsort/arrowsort/internal/arena"
	"github.com/arrowsort/arrowsort/internal/buffers"
)

// places computes the places of rows lo.. of a stripe.
func (p *Partition) places(s *Stripe, places []uint32, lo int) {
	if !p.linear() {
		scatter.Places(p.Bins[lo:lo+len(places)], places, s.Next)
		return
	}
	offsets := unsafe.Pointer(&s.Next[0])
	var codes [keys.BlockRows]uint64
	for i := 0; i < len(places); i += keys.BlockRows {
		n := min(keys.BlockRows, len(places)-i)
		p.src.Encode(codes[:n], lo+i)
		placesLinear(codes[:n], places[i:i+n], offsets, p.Classifier)
	}
}

// Scatter scatters every mover to its bins, in row order within each.
func (p *Partition) Scatter(movers []*payload.Mover) error {
	if !p.linear() && p.Combines(movers) {
		return p.scatterCombining(movers)
	}
	rows := min(keys.TileRows, p.rows)
	threads := min(p.pool.Threads, len(p.Stripes))
	places, err := arena.Slice[uint32](p.mem, threads*rows)
	if err != nil {
		return err
	}
	scratch, err := p.newScratch(movers, threads)
	if err != nil {
		return err
	}
	err = p.pool.Run(len(p.Stripes), func(worker, item int) {
		s, touched, first := &p.Stripes[item], 0, 0
		if len(movers) >= payload.ManyMovers {
			// workers apart: two that write first to a huge page at once both clear it
			first = worker * len(movers) / threads
		}
		for lo := s.Lo; lo < s.Hi && !p.pool.Stopped(); lo += rows {
			places := places[worker*rows:][:min(rows, s.Hi-lo)]
			p.places(s, places, lo)
			var next placeRange
			if p.counters != nil {
				next = newPlaces(places, touched)
				touched = max(touched, next.hi)
			}
			for i := range movers {
				l := movers[(first+i)%len(movers)]
				lines := l.Out[next.lo*l.Width : next.hi*l.Width]
				scatter.Prefetch(lines[:min(len(lines), maxFetched)])
				l.EachBlock(p.pool, lo, lo+len(places), scratch.of(worker), func(block []byte, at, n int) {
					scatter.Scatter(l.Out, block, places[at-lo:][:n], l.Width)
				})
			}
			p.Report(len(places))
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

func (p *Partition) newScratch(movers []*payload.Mover, workers int) (scratch, error) {
	const scratchBytes = 1 << 18
	width := payload.Widest(movers)
	size := max(width, min(scratchBytes, min(keys.TileRows, p.rows)*width))
	all, err := p.mem.Bytes(workers * size)
	return scratch{all, size}, err
}

const (
	maxFetched = 4 << 20 // bytes of a mover that are prefetched, between two checks of the context

	minCombinedColumn = 4 << 20  // of a column: smaller ones stay in the caches
	minCombinedBytes  = 32 << 20 // of all columns: for less, a process need not find out what is faster
	minCombinedBins   = 1 << 6
	maxCombinedCodes  = 1 << 12 // of bins of one code each: their buffers stay in the cache
)

// Combines reports whether movers move by write combining. Bins of few codes that are not sorted gain from it wherever
// there are non-temporal stores: many rows go to each.
func (p *Partition) Combines(movers []*payload.Mover) bool {
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
	case codes && p.Classifier.Bins > maxCombinedCodes:
		return false
	case p.AlwaysCombines:
		return true
	}
	return scatter.HasNonTemporalStores && widest >= minCombinedColumn && all >= minCombinedBytes &&
		p.Classifier.Bins >= minCombinedBins && (codes || scatter.CombiningPays())
}

// scatterCombining is Scatter by write combining: of a stripe, one mover after another. The bins are kept.
func (p *Partition) scatterCombining(movers []*payload.Mover) error {
	threads := min(p.pool.Threads, len(p.Stripes))
	bins := p.Classifier.Bins
	memory, err := p.mem.Bytes(threads * scatter.BufferBytes(bins))
	if err != nil {
		return err
	}
	scratch, err := p.newScratch(movers, threads)
	if err != nil {
		return err
	}
	ws := make([]scatter.WriteCombiner, threads)
	for i := range ws {
		ws[i] = scatter.NewWriteCombiner(memory[i*scatter.BufferBytes(bins):][:scatter.BufferBytes(bins)], bins)
	}
	err = p.pool.Run(len(p.Stripes), func(worker, item int) {
		s, w := &p.Stripes[item], &ws[worker]
		places := make([]uint32, len(s.Next))
		for _, l := range movers {
			copy(places, s.Next)
			w.Begin(places)
			l.EachBlock(p.pool, s.Lo, s.Hi, scratch.of(worker), func(block []byte, at, n int) {
				w.Scatter(l.Out, block, p.Bins[at:at+n], places, l.Width)
			})
			w.End(l.Out, places, l.Width)
		}
		copy(s.Next, places)
		p.Report(s.Hi - s.Lo)
	})
	p.mem.Free(memory)
	p.mem.Free(scratch.all)
	return err
}

// ScatterRecords makes the records and scatters them to their bins.
func (p *Partition) ScatterRecords(records []uint64, rowBits, rest uint) error {
	l := &payload.Mover{Width: 8, Out: buffers.Bytes(records)}
	l.Fill = func(dst []byte, lo int) {
		words := buffers.View[uint64](dst)
		for i := 0; i < len(words); i += keys.BlockRows {
			block := words[i:min(i+keys.BlockRows, len(words))]
			p.src.Encode(block, lo+i)
			scatter.MakeRecords(block, rest, rowBits, uint64(lo+i))
		}
	}
	if movers := []*payload.Mover{l}; p.Combines(movers) {
		return p.scatterCombining(movers)
	}
	return p.pool.Run(len(p.Stripes), func(_, item int) {
		var codes [keys.BlockRows]uint64
		s := &p.Stripes[item]
		for lo := s.Lo; lo < s.Hi && (lo%keys.TileRows != 0 || !p.pool.Stopped()); lo += keys.BlockRows {
			block := codes[:min(keys.BlockRows, s.Hi-lo)]
			p.src.Encode(block, lo)
			scatter.Records(records, block, p.Bins[lo:lo+len(block)], s.Next, rest, rowBits, uint64(lo))
		}
		p.Report(s.Hi - s.Lo)
	})
}

// A placeRange is places lo..hi-1.
type placeRange struct{ lo, hi int }

// newPlaces returns the range of destinations above first, or empty if they are spread too far to prefetch.
func newPlaces(places []uint32, first int) placeRange {
	lo, hi := rangeOfPlaces(places)
	if e := (placeRange{max(lo, first), hi}); e.lo < e.hi && e.hi-e.lo <= 4*len(places) {
		return e
	}
	return placeRange{}
}

//go:noinline
func rangeOfPlaces(places []uint32) (lo, hi int) {
	least, greatest := places[0], places[0]
	for _, p := range places {
		least, greatest = min(least, p), max(greatest, p)
	}
	return int(least), int(greatest) + 1
}
