package cpu

import (
	"context"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/keys"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/partition"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/payload"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/internal/workers"
)

// An UnsortedError reports the first row of a run that sorts before its predecessor.
type UnsortedError = keys.UnsortedError

// Search returns, for each row of a job from row number rows on, its place among the rows before that, which are in
// order: the first place that keeps them so, or with right the last one. The result is row numbers of 8 bytes.
//
// Temp storage, unless the rows to search are few: 10 bytes for each row that is searched together with others, as many
// as there are rows in order, but at least 2^24 of them; and 640 KiB for each worker, or for all when the rows in order
// are few.
func Search(ctx context.Context, job *engine.Job, rows int, right bool, mem engine.Allocator) (*engine.Result, error) {
	s, err := newSorter(ctx, job, mem)
	if err != nil {
		return nil, err
	}
	defer s.mem.Release()
	if err := s.keys.Measure(s.pool, false); err != nil {
		return nil, err
	}
	if err := s.keys.CheckRun(s.pool, 0, 0, rows); err != nil {
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

// search writes the place of each row from rows on.
func (s *sorter) search(places []uint64, rows int, right bool) error {
	bounds := keys.Bounds{right}
	if s.keys.Plan.Words() > 1 {
		bounds = keys.Bounds{false, true}
	}
	switch {
	case s.keys.Plan.Words() == 0 || len(places) <= rows>>7:
		return s.pool.Tiles(len(places), keys.BatchRows, func(_, lo, hi int) {
			s.searchBounds(places[lo:hi], rows, rows+lo, right)
		})
	case rows <= keys.SearchTableRows:
		if err := s.searchTable(places, rows, bounds); err != nil {
			return err
		}
	default:
		for lo, step := 0, max(rows, searchTogether); lo < len(places); lo += step {
			if err := s.searchBins(places[lo:min(lo+step, len(places))], rows, rows+lo, bounds); err != nil {
				return err
			}
		}
	}
	if s.keys.Plan.Words() == 1 {
		return nil
	}
	return s.pool.Tiles(len(places), keys.TileRows, func(_, lo, hi int) {
		for ; lo < hi && !s.pool.Stopped(); lo += keys.BlockRows {
			s.searchTies(places[lo:min(lo+keys.BlockRows, hi)], rows+lo, right)
		}
	})
}

// searchBounds places few rows from row first on by codes that are made as they are needed.
func (s *sorter) searchBounds(places []uint64, rows, first int, right bool) {
	block := blocksOfIntervals.Get()
	defer blocksOfIntervals.Put(block)
	intervals := block[:len(places)]
	for i := range intervals {
		intervals[i] = keys.Interval{Row: uint32(first + i), Hi: uint32(rows)}
	}
	keys.Narrow(s.pool, s.keys.Plan, s.keys.Source(), intervals)
	for i := range intervals {
		places[i] = intervals[i].End(right)
	}
}

// searchTable writes the bounds of each row from rows on, among so few rows that the cache holds all of them.
func (s *sorter) searchTable(places []uint64, rows int, bounds keys.Bounds) error {
	t, err := keys.NewSearchTable(s.mem, rows)
	if err != nil {
		return err
	}
	defer t.Release(s.mem)
	t.Fill(s.keys.Source(), 0, rows)
	return s.pool.Tiles(len(places), keys.TileRows, func(_, lo, hi int) {
		for ; lo < hi && !s.pool.Stopped(); lo += keys.BlockRows {
			block := places[lo:min(lo+keys.BlockRows, hi)]
			s.keys.Source().Encode(block, rows+lo)
			t.Search(block, bounds)
		}
	})
}

// searchTies places the rows from row first on by their further words, each among the rows that tie with it in the
// leading word: those between the two bounds in places.
func (s *sorter) searchTies(places []uint64, first int, right bool) {
	values, intervals := blocksOfWords.Get(), blocksOfIntervals.Get()
	defer blocksOfWords.Put(values)
	defer blocksOfIntervals.Put(intervals)
	s.keys.Source().Encode(values[:len(places)], first)
	for i, both := range places {
		intervals[i] = keys.Interval{
			Row: uint32(first + i), Lo: uint32(both >> 32), Hi: uint32(both), Word: s.keys.Plan.Next(0, values[i]),
		}
	}
	keys.Narrow(s.pool, s.keys.Plan, s.keys.Source(), intervals[:len(places)])
	for i := range places {
		places[i] = intervals[i].End(right)
	}
}

var (
	blocksOfWords     workers.Reused[[keys.BlockRows]uint64]
	blocksOfIntervals workers.Reused[[keys.BlockRows]keys.Interval]
)

// searchTogether is the least number of values that are searched together, if there are as many.
const searchTogether = 1 << 24

// taskValues is the number of values of a bin that one worker searches before it asks for more.
const taskValues = 1 << 18

// A binSearch finds the places of many values among the rows in order. Searching all rows would miss the cache at
// almost every step. So values are partitioned first, and each bin searches only its own rows. The partition keeps the
// order of the values within each bin: what is found takes the place of a value's code, and the values find it there by
// counting as the partition did. So no read or write is at random.
type binSearch struct {
	s      *sorter
	part   *partition.Partition
	bounds keys.Bounds
	found  []uint64            // by bin: codes of values, then places among the rows of the bin
	next   [][]uint32          // of each stripe, the place of its first value in each bin
	first  []uint64            // row in order that belongs to each bin, and their number
	tables []*keys.SearchTable // of each worker
}

// searchBins writes the bounds of each of the rows from row first on, among the rows before row rows.
func (s *sorter) searchBins(places []uint64, rows, first int, bounds keys.Bounds) error {
	sample := s.keys.SampleOf(s.keys.Source(), s.rows)
	classifier := partition.NewClassifier(sample, rows+len(places), s.keys.Plan.Borders(), false)
	src := s.keys.Source().From(first)
	b := binSearch{s: s, bounds: bounds, part: partition.New(s.pool, s.mem, src, len(places), classifier)}
	b.part.AlwaysCombines = s.combine
	if err := b.part.Count(true); err != nil {
		return err
	}
	defer b.part.Release()
	b.next = b.part.NextPlaces()
	codes := payload.NewCodes(src)
	if err := codes.Allocate(s.mem, len(places)); err != nil {
		return err
	}
	defer s.mem.Free(codes.Out)
	if err := b.part.Scatter([]*payload.Mover{codes}); err != nil {
		return err
	}
	b.found = buffers.View[uint64](codes.Out)
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
	bins := b.part.Classifier.Bins
	b.first = make([]uint64, bins+1)
	b.first[bins] = uint64(rows)
	src := b.s.keys.Source()
	return b.s.pool.Tiles(bins, keys.BatchRows, func(_, lo, hi int) {
		var codes [keys.BatchRows]uint64
		var middle [keys.BatchRows]uint32
		var of [keys.BatchRows]uint16
		counts := make([]uint32, bins)
		n := hi - lo
		first := b.first[lo:hi]
		for left := rows; left > 0; { // as a binary search does
			half := (left + 1) / 2
			for i, row := range first {
				middle[i] = uint32(row) + uint32(half-1)
			}
			src.EncodeRows(codes[:n], 0, middle[:n])
			b.part.Classifier.Classify(codes[:n], of[:n], counts)
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

// tasks returns the values of all bins, and the most rows of a table that they need.
func (b *binSearch) tasks() (tasks []binTask, longest int) {
	for bin := range b.part.Classifier.Bins {
		lo, hi := b.part.Bin(bin)
		if rows := int(b.first[bin+1] - b.first[bin]); lo < hi && rows <= keys.SearchTableRows {
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
	for range min(b.s.pool.Threads, len(tasks)) {
		t, err := keys.NewSearchTable(b.s.mem, longest)
		if err != nil {
			return err
		}
		defer t.Release(b.s.mem)
		b.tables = append(b.tables, t)
	}
	return b.s.pool.Run(len(tasks), func(worker, i int) {
		t := tasks[i]
		lo, hi := int(b.first[t.bin]), int(b.first[t.bin+1])
		b.searchRange(b.tables[worker], b.found[t.lo:t.hi], lo, hi)
	})
}

// searchRange replaces codes by their places among rows lo..hi-1.
func (b *binSearch) searchRange(t *keys.SearchTable, codes []uint64, lo, hi int) {
	short := t.Fill(b.s.keys.Source(), lo, hi)
	for ; len(codes) > 0 && !b.s.pool.Stopped(); codes = codes[min(keys.BlockRows, len(codes)):] {
		block := codes[:min(keys.BlockRows, len(codes))]
		if short {
			t.Search(block, b.bounds)
		} else {
			keys.BisectWords(b.s.keys.Source(), block, lo, hi, b.bounds)
		}
	}
}

// collect copies what was found for the values from the places in the bins to the values.
func (b *binSearch) collect(places []uint64) error {
	if len(b.bounds) == 2 {
		for i, row := range b.first {
			b.first[i] = row<<32 | row
		}
	}
	return b.part.Collect(places, b.found, b.first, b.next, nil)
}
