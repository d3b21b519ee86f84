package cpu

import (
	"slices"

	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/payload"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/scatter"
	"github.com/arrowsort/arrowsort/internal/arena"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/internal/workers"
)

const (
	// cachedRows is the most rows, with values of 8 bytes, that move column by column in the caches: the last level
	// cache holds a column for each worker, and the places that columns move to.
	cachedRows = 3 << 18
	// gatheredRows is the most rows whose column of 8 bytes stays in the cache of a core while it is gathered.
	gatheredRows = 1 << 17
	// cachedBinRows is the number of sorted rows whose values of 8 bytes stay in the L1 or L2 cache.
	cachedBinRows = 1 << 13
)

// cachesColumns reports whether it is faster to sort row numbers and to move every column by them in the caches than to
// partition all columns: there are many, and each of them is small enough.
func (s *sorter) cachesColumns(movers []*payload.Mover) bool {
	return len(movers) >= payload.ManyMovers && s.rows*max(payload.Widest(movers), 8) <= cachedRows*8
}

// sortCachedColumns sorts row numbers and moves the movers by them, each in the caches of one worker, so that memory is
// read and written once, in order.
func (s *sorter) sortCachedColumns(movers []*payload.Mover) error {
	order, err := s.argsort()
	if err != nil {
		return err
	}
	width := payload.Widest(movers)
	var places []uint32
	if s.rows*width > gatheredRows*8 {
		if places, err = s.placesInBins(order); err != nil {
			return err
		}
	}
	threads := min(workers.Count(s.job.Threads), len(movers)) // few rows of many columns keep more workers busy
	pool := workers.NewPool(s.pool.Ctx, threads, 0, nil)
	copied := slices.DeleteFunc(slices.Clone(movers), func(l *payload.Mover) bool { return l.InPlace(s.rows) })
	bins, filled := 0, s.rows*payload.Widest(copied) // bytes of temp storage of a worker
	if places != nil {
		bins, filled = s.rows*width, cachedBinRows*payload.Widest(copied)
	}
	scratch, err := s.mem.Bytes(threads * (bins + filled))
	if err != nil {
		return err
	}
	// Workers, which take items in turn, are far from one another: results of neighbors share huge pages, which two
	// workers that write to them first would both clear.
	each := (len(movers) + threads - 1) / threads
	err = pool.Run(each*threads, func(worker, i int) {
		if i = i%threads*each + i/threads; i >= len(movers) || pool.Stopped() {
			return
		}
		l, scratch := movers[i], scratch[worker*(bins+filled):][:bins+filled]
		if places == nil {
			gatherColumn(l, l.Block(0, s.rows, scratch), order)
		} else {
			gatherFromBins(pool, l, scratch[:bins], scratch[bins:], places, order)
		}
	})
	s.mem.Free(scratch)
	s.mem.Free(buffers.Bytes(places))
	s.mem.Free(buffers.Bytes(order))
	return err
}

// gatherColumn gathers a column. It first touches the pages of the result, because the kernel zeroes them and that
// evicts the cache, and then reads the column once in order to bring it into the cache.
func gatherColumn(l *payload.Mover, column []byte, order []uint32) {
	scatter.TouchPages(l.Out)
	scatter.Prefetch(column)
	scatter.Gather(l.Out, column, order, l.Width)
}

// gatherFromBins scatters a column to bins of consecutive sorted rows, in temp storage, and gathers it from there: the
// bin that a row is read from stays in the cache of a core. order has places in the bins. filled is for values that do
// not lie in the input.
//
//	input       d b c a | b e a c
//	bins        b a b a | d c e c     as rows of the input, the bins of sorted rows 0..3 and 4..7
//	result      a a b b | c c d e
func gatherFromBins(pool *workers.Pool, l *payload.Mover, bins, filled []byte, places, order []uint32) {
	l.EachBlock(pool, 0, len(places), filled, func(block []byte, lo, n int) {
		scatter.Scatter(bins, block, places[lo:lo+n], l.Width)
	})
	for lo := 0; lo < len(order); lo += cachedBinRows {
		hi := min(lo+cachedBinRows, len(order))
		scatter.Prefetch(bins[lo*l.Width : hi*l.Width])
		scatter.Gather(l.Out[lo*l.Width:hi*l.Width], bins, order[lo:hi], l.Width)
	}
}

// argsort returns the sorted row numbers, in temp storage.
func (s *sorter) argsort() ([]uint32, error) {
	order := &payload.Mover{Width: 4}
	if err := order.Allocate(s.mem, s.rows); err != nil {
		return nil, err
	}
	err := s.sortRowNumbers(order)
	return buffers.View[uint32](order.Out), err
}

// placesInBins returns the place of each row in bins of cachedBinRows sorted rows, which have the order of the rows.
// order becomes those places in sorted order.
func (s *sorter) placesInBins(order []uint32) ([]uint32, error) {
	places, err := arena.Slice[uint32](s.mem, s.rows)
	if err != nil {
		return nil, err
	}
	bins, err := arena.Slice[uint16](s.mem, s.rows)
	if err != nil {
		return nil, err
	}
	err = s.pool.Tiles(s.rows, cachedBinRows, func(_, lo, hi int) {
		for _, row := range order[lo:hi] {
			bins[row] = uint16(lo / cachedBinRows)
		}
	})
	if err != nil {
		return nil, err
	}
	next := make([]uint32, (s.rows+cachedBinRows-1)/cachedBinRows)
	for i := range next {
		next[i] = uint32(i * cachedBinRows)
	}
	scatter.Places(bins, places, next)
	s.mem.Free(buffers.Bytes(bins))
	return places, s.pool.Tiles(s.rows, cachedBinRows, func(_, lo, hi int) {
		for i, row := range order[lo:hi] {
			order[lo+i] = places[row]
		}
	})
}
