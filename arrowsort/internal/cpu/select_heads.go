package cpu

import (
	"context"
	"math/bits"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/binsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/keys"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/payload"
	"github.com/arrowsort/arrowsort/internal/arena"
	"github.com/arrowsort/arrowsort/internal/buffers"
)

// SortHeads sorts the row numbers of a job, 4 bytes each, and leaves out rows that are not among the first k of their
// group, where a sample shows that these are most. Rows are of one group if they tie in the first keys of the job, as
// many as groups says. Temp storage: 1/8 byte per row, 12 for each row that is not left out, and 1 MiB; else
// that of Sort.
func SortHeads(ctx context.Context, job *engine.Job, groups, k int, mem engine.Allocator) (*engine.Result, error) {
	numbers := *job
	numbers.Gather, numbers.RowNumbers = nil, 4
	s, err := newMeasuredSorter(ctx, &numbers, mem, usualThresholds)
	if err != nil {
		return nil, err
	}
	defer s.mem.Release()
	if s.rows <= keys.SmallRows || groups == len(job.Keys) {
		return s.sort()
	}
	if inOrder, reversed, err := s.sortedInput(); err != nil {
		return nil, err
	} else if inOrder || reversed {
		return s.sort()
	}
	rows, err := s.heads(groups, k)
	if err != nil {
		return nil, err
	}
	if rows == nil {
		return s.sort()
	}
	if err := s.sortList(s.keys.Source(), rows, 0); err != nil {
		return nil, err
	}
	s.numbers = &payload.Mover{Width: 4, Out: buffers.Bytes(rows)}
	s.wanted, s.out = len(rows), len(rows)
	return s.result()
}

// heads returns the rows that may be among the first k of their group, in their order; nil where leaving out the others
// would not pay.
func (s *sorter) heads(groups, k int) ([]uint32, error) {
	tails, err := s.tails(groups, k)
	if err != nil || tails == nil {
		return nil, err
	}
	marks, err := arena.Slice[uint64](s.mem, (s.rows+63)/64)
	if err != nil {
		return nil, err
	}
	defer s.mem.Free(buffers.Bytes(marks))
	ends := make([]int, (s.rows+keys.TileRows-1)/keys.TileRows) // the number of heads up to the end of each tile
	err = s.pool.Tiles(s.rows, keys.TileRows, func(_, lo, hi int) {
		ends[lo/keys.TileRows] = s.markHeads(marks, tails, lo, hi)
	})
	if err != nil {
		return nil, err
	}
	for i := 1; i < len(ends); i++ {
		ends[i] += ends[i-1]
	}
	rows, err := arena.Slice[uint32](s.mem, ends[len(ends)-1])
	if err != nil {
		return nil, err
	}
	return rows, s.pool.Tiles(s.rows, keys.TileRows, func(_, lo, hi int) {
		at := 0
		if lo > 0 {
			at = ends[lo/keys.TileRows-1]
		}
		for row := NextMark(marks, lo, hi); row < hi; row = NextMark(marks, row+1, hi) {
			rows[at] = uint32(row)
			at++
		}
	})
}

// markHeads marks the rows lo..hi-1 that are in none of the tails, and returns their number. lo is a multiple of 64.
func (s *sorter) markHeads(marks []uint64, tails *keys.SearchTable, lo, hi int) (heads int) {
	var block [keys.BlockRows]uint64
	src := s.keys.Source()
	for ; lo < hi && !s.pool.Stopped(); lo += len(block) {
		words := block[:min(len(block), hi-lo)]
		src.Encode(words, lo)
		tails.Search(words, keys.Bounds{false})
		for i := 0; i < len(words); i += 64 {
			mark := uint64(0)
			for j, place := range words[i:min(i+64, len(words))] {
				mark |= (^place & 1) << (j & 63) // even: between two tails
			}
			marks[(lo+i)/64] = mark
			heads += bits.OnesCount64(mark)
		}
	}
	return heads
}

// tails finds, in a sample, codes of rows that have k rows of their group before them: those above the k-th row of the
// group in the sample and below its last. It returns their ranges by the leading words, rising: the word before the
// first one and the last one of each; nil where these are not most rows.
func (s *sorter) tails(groups, k int) (*keys.SearchTable, error) {
	count := min(s.rows/16, binsort.MaxRows)
	sample, err := arena.Slice[uint32](s.mem, count)
	if err != nil {
		return nil, err
	}
	words, err := arena.Slice[uint64](s.mem, count)
	if err != nil {
		return nil, err
	}
	starts, err := arena.Slice[uint64](s.mem, (count+63)/64)
	if err != nil {
		return nil, err
	}
	keys.SpreadRows(sample, s.rows)
	if err := s.sortList(s.keys.Source(), sample, 0); err != nil {
		return nil, err
	}
	leading, err := s.keys.Leading(groups)
	if err != nil {
		return nil, err
	}
	_, err = leading.FirstUnsorted(s.pool, keys.NewList(leading.Source(), sample, 0), count, starts)
	if err != nil {
		return nil, err
	}
	s.keys.Source().EncodeRows(words, 0, sample)
	ranges := words[:0] // a group has two rows at least where it has a range
	left := 0           // rows of the sample in them
	for first := 0; first < count; {
		end := NextMark(starts, first+1, count)
		if end-first > k && words[end-1]-words[first+k-1] > 1 {
			ranges = append(ranges, words[first+k-1], words[end-1]-1)
			left += end - first - k
		}
		first = end
	}
	if left < count/2 {
		return nil, nil
	}
	tails, err := keys.NewSearchTable(s.mem, len(ranges))
	if err == nil {
		tails.FillCodes(ranges)
	}
	return tails, err
}
