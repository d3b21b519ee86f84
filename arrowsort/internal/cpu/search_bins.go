package cpu

import "slices"

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
	defer func() { s.free(bytesOf(b.bins)) }()
	for i := range b.shares {
		b.next = append(b.next, slices.Clone(b.shares[i].offsets)) // which the move counts up
	}
	codes := codeMover(b.src)
	if err := s.provide(codes, len(places)); err != nil {
		return err
	}
	defer s.free(codes.out)
	if err := b.move([]*mover{codes}); err != nil {
		return err
	}
	b.found = view[uint64](codes.out)
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
	return b.tiles(bins, boundsBatch, func(_, lo, hi int) {
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
	for range min(b.threads, len(tasks)) {
		t, err := b.newStrip(longest)
		if err != nil {
			return err
		}
		defer t.release(&b.buffers)
		b.strips = append(b.strips, t)
	}
	return b.run(len(tasks), func(worker, i int) {
		t := tasks[i]
		lo, hi := int(b.first[t.bin]), int(b.first[t.bin+1])
		b.searchRange(b.strips[worker], b.found[t.lo:t.hi], lo, hi)
	})
}

// searchRange replaces codes by their places among rows lo..hi-1.
func (b *binSearch) searchRange(t *sortedStrip, codes []uint64, lo, hi int) {
	short := t.fill(b.source(), lo, hi)
	for ; len(codes) > 0 && !b.stopped(); codes = codes[min(blockRows, len(codes)):] {
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
	return b.run(len(b.shares), func(_, item int) {
		share := &b.shares[item]
		for lo := share.lo; lo < share.hi && !b.stopped(); lo += placeRows {
			hi := min(lo+placeRows, share.hi)
			collectRanks(places[lo:hi], b.found, b.first, b.bins[lo:hi], b.next[item])
		}
	})
}
