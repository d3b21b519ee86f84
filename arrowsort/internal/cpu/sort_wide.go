package cpu

import (
	"slices"

	"github.com/arrowsort/arrowsort/internal/workers"
)

const (
	wideMovers = 8       // movers from which on their row numbers are worth a sort of their own
	wideBytes  = 2 << 20 // of a mover that stays in the caches while it is gathered
)

// gathersMovers reports whether it is faster to sort row numbers and to gather every mover by them than to partition
// all movers: there are many, and each of them stays in the caches.
func (s *sorter) gathersMovers(movers []*mover) bool {
	return len(movers) >= wideMovers && s.rows*widest(movers) <= wideBytes
}

// sortWide sorts row numbers and gathers the movers by them. Before a worker gathers a mover it writes to the pages of
// the result, since the system's clearing of fresh ones empties the cache, and reads all of the mover in order: so it
// comes into the cache many lines at a time.
func (s *sorter) sortWide(movers []*mover) error {
	order, err := s.sortedRows()
	if err != nil {
		return err
	}
	defer func(threads int) { s.threads = threads }(s.threads)
	s.threads = min(workers.Count(s.job.Threads), len(movers)) // few rows of many columns keep more workers busy
	size := s.rows * widest(slices.DeleteFunc(slices.Clone(movers), func(l *mover) bool { return l.inPlace(s.rows) }))
	scratch, err := s.bytes(s.threads * size)
	if err != nil {
		return err
	}
	// Workers, which take items in turn, are far from one another: results of neighbors share huge pages, which two
	// workers that write to them first would both clear.
	each := (len(movers) + s.threads - 1) / s.threads
	err = s.run(each*s.threads, func(worker, i int) {
		if i = i%s.threads*each + i/s.threads; i >= len(movers) || s.stopped() {
			return
		}
		l := movers[i]
		rows := l.block(0, s.rows, scratch[worker*size:][:size])
		writePages(l.out)
		touch(rows)
		gather(l.out, rows, order, l.width)
	})
	s.free(scratch)
	s.free(bytesOf(order))
	return err
}

// sortedRows are the sorted row numbers, in temp storage.
func (s *sorter) sortedRows() ([]uint32, error) {
	order := &mover{width: 4}
	if err := s.provide(order, s.rows); err != nil {
		return nil, err
	}
	wanted := s.numbers
	s.numbers = order
	err := s.sortRowNumbers()
	s.numbers = wanted
	return view[uint32](order.out), err
}

// writePages writes a byte of each page, however small pages are.
func writePages(b []byte) {
	for i := 0; i < len(b); i += 1 << 12 {
		b[i] = 0
	}
}

// touch reads a byte of each line.
//
//go:noinline
func touch(b []byte) (sum byte) {
	for i := 0; i < len(b); i += lineBytes {
		sum += b[i]
	}
	return sum
}
