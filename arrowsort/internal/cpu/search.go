package cpu

import (
	"context"
	"fmt"
	"slices"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/internal/workers"
)

// An UnsortedError reports the first row of a run that sorts before its predecessor.
type UnsortedError struct {
	Run int // of Merge
	Row int // from the run's first row
}

func (e *UnsortedError) Error() string {
	return fmt.Sprintf("row %d of run %d sorts before its predecessor", e.Row, e.Run)
}

// Search returns, for each row of a job from row number rows on, its place among the rows before that, which are in
// order: the first place that keeps them so, or with right the last one. The result is row numbers of 8 bytes.
//
// Temp storage, unless the rows to search are few: 10 bytes for each row that is searched together with others, as many
// as there are rows in order, but at least 2^24 of them; and 640 KiB for each worker, or for all when the rows in order
// are few.
func Search(
	ctx context.Context, job *engine.Job, rows int, right bool, mem engine.Allocator,
) (*engine.Result, error) {
	s, err := newSorter(ctx, job, mem)
	if err != nil {
		return nil, err
	}
	defer s.mem.Release()
	if err := s.measure(); err != nil {
		return nil, err
	}
	if err := s.checkRun(0, 0, rows); err != nil {
		return nil, err
	}
	out, err := s.mem.Bytes(8 * (s.rows - rows))
	if err != nil {
		return nil, err
	}
	if err := s.search(buffers.View[uint64](out), rows, right); err != nil {
		return nil, err
	}
	s.mem.Keep(out)
	return &engine.Result{Rows: s.rows - rows, RowNumbers: out}, nil
}

// checkRun returns an UnsortedError unless rows lo..hi-1 are in order.
func (s *sorter) checkRun(run, lo, hi int) error {
	if s.plan.Words() == 0 || s.plan.Sorted() {
		return nil
	}
	row, err := s.firstUnsorted(s.source().from(lo), hi-lo, nil)
	if err == nil && row >= 0 {
		err = &UnsortedError{run, row}
	}
	return err
}

var blocksOfBounds workers.Reused[[blockRows]bound]

// sides are what is asked for of a value among rows in order: for each of them the place after the rows below it or,
// where it is true, after the rows not above it. Of two sides, the first one is in the upper 32 bits of a word.
type sides []bool

// search writes the place of each row from rows on.
func (s *sorter) search(places []uint64, rows int, right bool) error {
	asked := sides{right}
	if s.plan.Words() > 1 {
		asked = sides{false, true}
	}
	switch {
	case s.plan.Words() == 0 || len(places) <= rows>>7:
		return s.pool.Tiles(len(places), boundsBatch, func(_, lo, hi int) {
			s.searchBounds(places[lo:hi], rows, rows+lo, right)
		})
	case rows <= stripRows:
		if err := s.searchStrip(places, rows, asked); err != nil {
			return err
		}
	default:
		for lo, step := 0, max(rows, searchTogether); lo < len(places); lo += step {
			if err := s.searchBins(places[lo:min(lo+step, len(places))], rows, rows+lo, asked); err != nil {
				return err
			}
		}
	}
	if s.plan.Words() == 1 {
		return nil
	}
	return s.pool.Tiles(len(places), placeRows, func(_, lo, hi int) {
		for ; lo < hi && !s.pool.Stopped(); lo += blockRows {
			s.searchTies(places[lo:min(lo+blockRows, hi)], rows+lo, right)
		}
	})
}

// searchBounds places few rows from row first on by codes that are made as they are needed.
func (s *sorter) searchBounds(places []uint64, rows, first int, right bool) {
	block := blocksOfBounds.Get()
	defer blocksOfBounds.Put(block)
	bounds := block[:len(places)]
	for i := range bounds {
		bounds[i] = bound{row: uint32(first + i), hi: uint32(rows)}
	}
	narrow(s.pool, s.plan, s.source(), bounds)
	for i := range bounds {
		places[i] = bounds[i].side(right)
	}
}

// searchStrip writes what is asked for of each row from rows on, among so few rows that the cache holds all of them.
func (s *sorter) searchStrip(places []uint64, rows int, asked sides) error {
	t, err := newStrip(s.mem, rows)
	if err != nil {
		return err
	}
	defer t.release(s.mem)
	t.fill(s.source(), 0, rows)
	return s.pool.Tiles(len(places), placeRows, func(_, lo, hi int) {
		for ; lo < hi && !s.pool.Stopped(); lo += blockRows {
			block := places[lo:min(lo+blockRows, hi)]
			s.source().encode(block, rows+lo)
			t.search(block, asked)
		}
	})
}

// searchTies places rows from row first on, whose leading words tie with those of the rows between two places, by their
// further words.
func (s *sorter) searchTies(places []uint64, first int, right bool) {
	values, bounds := blocksOfCodes.Get(), blocksOfBounds.Get()
	defer blocksOfCodes.Put(values)
	defer blocksOfBounds.Put(bounds)
	s.source().encode(values[:len(places)], first)
	for i, both := range places {
		bounds[i] = bound{
			row: uint32(first + i), lo: uint32(both >> 32), hi: uint32(both), word: s.plan.Next(0, values[i]),
		}
	}
	narrow(s.pool, s.plan, s.source(), bounds[:len(places)])
	for i := range places {
		places[i] = bounds[i].side(right)
	}
}

// searchTogether is the least number of values that are searched together, if there are as many.
const searchTogether = 1 << 24

// taskValues is the number of values of a bin that one worker searches before it asks for more.
const taskValues = 1 << 18

// A binSearch finds the places of many values among the rows in order. A search in all of them would wait for memory at
// most levels; so the values are partitioned as in a sort, and those of a bin are searched among the few rows that
// belong to it, in the cache. The partition keeps the order of the values within each bin: what is found takes the
// place of a value's code, and the values find it there by counting as the partition did. So no read or write is at
// random.
type binSearch struct {
	*partition
	asked  sides
	found  []uint64       // by bin: codes of values, then places among the rows of the bin
	next   [][]uint32     // of each share, the place of its first value in each bin
	first  []uint64       // row in order that belongs to each bin, and their number
	strips []*sortedStrip // of each worker
}

// searchBins writes what is asked for of each of the rows from row first on, among the rows before row rows.
func (s *sorter) searchBins(places []uint64, rows, first int, asked sides) error {
	ordered := slices.Clone(s.sampled())
	slices.Sort(ordered)
	b := binSearch{asked: asked, partition: &partition{
		sorter: s, src: s.source().from(first), rows: len(places),
		binner: newBinner(ordered, rows+len(places), s.plan.Borders()),
	}}
	if err := b.count(true); err != nil {
		return err
	}
	defer func() { s.mem.Free(buffers.Bytes(b.bins)) }()
	for i := range b.shares {
		b.next = append(b.next, slices.Clone(b.shares[i].offsets)) // which the move counts up
	}
	codes := codeMover(b.src)
	if err := s.provide(codes, len(places)); err != nil {
		return err
	}
	defer s.mem.Free(codes.out)
	if err := b.move([]*mover{codes}); err != nil {
		return err
	}
	b.found = buffers.View[uint64](codes.out)
	if err := b.divide(rows); err != nil {
		return err
	}
	if err := b.searchRows(); err != nil {
		return err
	}
	return b.collect(places)
}

// divide finds the rows in order that belong to each bin.
func (b *binSearch) divide(rows int) error {
	bins := b.binner.bins
	b.first = make([]uint64, bins+1)
	b.first[bins] = uint64(rows)
	src := b.source()
	return b.pool.Tiles(bins, boundsBatch, func(_, lo, hi int) {
		var codes [boundsBatch]uint64
		var middle [boundsBatch]uint32
		var of [boundsBatch]uint16
		counts := make([]uint32, bins)
		n := hi - lo
		first := b.first[lo:hi]
		for left := rows; left > 0; { // as searchCells does
			half := (left + 1) / 2
			for i, row := range first {
				middle[i] = uint32(row) + uint32(half-1)
			}
			src.EncodeRows(codes[:n], 0, middle[:n])
			b.binner.classify(codes[:n], of[:n], counts)
			for i := range first {
				if int(of[i]) < lo+i {
					first[i] += uint64(half)
				}
			}
			left -= half
		}
	})
}

// A binTask is values lo..hi-1 of the partition, all of one bin.
type binTask struct{ bin, lo, hi int }

// tasks are the values of all bins, and the longest strip that they need.
func (b *binSearch) tasks() (tasks []binTask, longest int) {
	for bin := range b.binner.bins {
		lo, hi := b.bin(bin)
		if rows := int(b.first[bin+1] - b.first[bin]); lo < hi && rows <= stripRows {
			longest = max(longest, rows)
		}
		for ; lo < hi; lo += taskValues {
			tasks = append(tasks, binTask{bin, lo, min(lo+taskValues, hi)})
		}
	}
	return tasks, longest
}

// searchRows replaces the codes of the values by their places among the rows of their bin.
func (b *binSearch) searchRows() error {
	tasks, longest := b.tasks()
	for range min(b.pool.Threads, len(tasks)) {
		t, err := newStrip(b.mem, longest)
		if err != nil {
			return err
		}
		defer t.release(b.mem)
		b.strips = append(b.strips, t)
	}
	return b.pool.Run(len(tasks), func(worker, i int) {
		t := tasks[i]
		lo, hi := int(b.first[t.bin]), int(b.first[t.bin+1])
		b.searchRange(b.strips[worker], b.found[t.lo:t.hi], lo, hi)
	})
}

// searchRange replaces codes by their places among rows lo..hi-1.
func (b *binSearch) searchRange(t *sortedStrip, codes []uint64, lo, hi int) {
	short := t.fill(b.source(), lo, hi)
	for ; len(codes) > 0 && !b.pool.Stopped(); codes = codes[min(blockRows, len(codes)):] {
		block := codes[:min(blockRows, len(codes))]
		if short {
			t.search(block, b.asked)
		} else {
			bisectWords(b.source(), block, lo, hi, b.asked)
		}
	}
}

// collect copies what was found for the values from the places in the bins to the values.
func (b *binSearch) collect(places []uint64) error {
	if len(b.asked) == 2 {
		for i, row := range b.first {
			b.first[i] = row<<32 | row
		}
	}
	return b.pool.Run(len(b.shares), func(_, item int) {
		share := &b.shares[item]
		for lo := share.lo; lo < share.hi && !b.pool.Stopped(); lo += placeRows {
			hi := min(lo+placeRows, share.hi)
			collectRanks(places[lo:hi], b.found, b.first, b.bins[lo:hi], b.next[item])
		}
	})
}
