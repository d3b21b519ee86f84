package cpu

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/binsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/keys"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/partition"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/payload"
	"github.com/arrowsort/arrowsort/internal/arena"
	"github.com/arrowsort/arrowsort/internal/buffers"
)

// Ties is which ranks tied rows get.
type Ties uint8

const (
	TiesFirst   Ties = iota // different ones, in the order of the rows
	TiesMin                 // the smallest
	TiesMax                 // the greatest
	TiesDense               // the number of the group of ties
	TiesAverage             // the mean of the smallest and the greatest
)

// Ranks returns the ranks of a group of ties at places first up to, but without, end of the sorted order, the group of
// a number, counted from 1: the rank of the first row, and how much greater that of each further row is. Average ranks
// are doubled; Value makes them float64.
func (t Ties) Ranks(first, end, number int) (rank, step uint64) {
	switch t {
	case TiesMin:
		return uint64(first) + 1, 0
	case TiesMax:
		return uint64(end), 0
	case TiesDense:
		return uint64(number), 0
	case TiesAverage:
		return uint64(first) + 1 + uint64(end), 0
	}
	return uint64(first) + 1, 1
}

// Value returns what is stored for a rank: the rank, or the bits of the float64 of a doubled one.
func (t Ties) Value(rank uint64) uint64 {
	if t == TiesAverage {
		return math.Float64bits(float64(rank) / 2)
	}
	return rank
}

// Rank ranks the rows of a job: RowNumbers of ranks are the ranks, 8 bytes each, of the rows as they lie. Rows that are
// few, in order or nearly so are faster to sort than to rank. Then ranks is nil, and RowNumbers of sorted are the row
// numbers in the sorted order, 4 bytes each; none where the rows are in order as they lie.
//
// The partition is stable, so a row's place in it can be computed again by counting. Ranks are written in the order of
// the partition and then read back row by row: no random access, but to the keys of rows that tie in the leading words
// of their codes. Temp storage: 10 bytes per row, 4 more where codes take several words, and 4 for each row of a bin
// that is too long for one worker.
func Rank(
	ctx context.Context, job *engine.Job, ties Ties, mem engine.Allocator,
) (ranks, sorted *engine.Result, err error) {
	numbers := *job
	numbers.Gather, numbers.RowNumbers = nil, 4
	s, err := newMeasuredSorter(ctx, &numbers, mem, usualThresholds)
	if err != nil {
		return nil, nil, err
	}
	defer s.mem.Release()
	inOrder, reversed, err := s.sortedInput()
	switch {
	case err != nil:
		return nil, nil, err
	case inOrder:
		sorted, err = s.result()
		return nil, sorted, err
	case reversed:
		ranks, err = s.rankReversed(ties)
		return ranks, nil, err
	case s.rows <= keys.SmallRows:
		sorted, err = s.sort()
		return nil, sorted, err
	}
	if err := s.allocate(); err != nil {
		return nil, nil, err
	}
	if nearly, err := s.sortNearlySorted(); err != nil {
		return nil, nil, err
	} else if nearly {
		sorted, err = s.result()
		return nil, sorted, err
	}
	s.mem.Free(s.numbers.Out)
	ranks, err = s.rank(ties)
	return ranks, nil, err
}

// rankReversed is rank for rows that strictly descend.
func (s *sorter) rankReversed(ties Ties) (*engine.Result, error) {
	ranks, err := s.allocateRanks()
	if err != nil {
		return nil, err
	}
	err = s.pool.Tiles(s.rows, keys.TileRows, func(_, lo, hi int) {
		for row := lo; row < hi; row++ {
			place := s.rows - 1 - row
			rank, _ := ties.Ranks(place, place+1, place+1)
			ranks[row] = ties.Value(rank)
		}
	})
	if err != nil {
		return nil, err
	}
	return s.result()
}

// allocateRanks makes the ranks the numbers of the result.
func (s *sorter) allocateRanks() ([]uint64, error) {
	s.numbers = &payload.Mover{Width: 8}
	err := s.numbers.Allocate(s.mem, s.rows)
	return buffers.View[uint64](s.numbers.Out), err
}

func (s *sorter) rank(ties Ties) (*engine.Result, error) {
	p := s.newPartition(s.keys.Source(), s.rows, s.keys.Plan.Borders(), 0)
	if err := p.Count(true); err != nil {
		return nil, err
	}
	places := p.NextPlaces()
	codes, movers, err := s.movedCodes(nil)
	if err != nil {
		return nil, err
	}
	if err := p.Scatter(movers); err != nil {
		return nil, err
	}
	groups, err := s.rankBins(p, codes, ties)
	if err != nil {
		return nil, err
	}
	ranks, err := s.allocateRanks()
	if err != nil {
		return nil, err
	}
	var average func(ranks []uint64)
	if ties == TiesAverage {
		average = func(ranks []uint64) {
			for i, rank := range ranks {
				ranks[i] = ties.Value(rank)
			}
		}
	}
	if err := p.Collect(ranks, codes.words, ranksBefore(p.Starts, groups, ties), places, average); err != nil {
		return nil, err
	}
	return s.result()
}

// rankBins replaces the leading words of the codes of each bin by the ranks within the bin. It returns the groups of
// ties of each bin.
func (s *sorter) rankBins(p *partition.Partition, src movedRows, ties Ties) ([]int, error) {
	groups := make([]int, p.Classifier.Bins)
	bin := func(lo int) int { // that row lo lies in
		next, _ := slices.BinarySearch(p.Starts, uint32(lo)+1)
		return next - 1
	}
	err := s.eachBin(p, 8, s.keys.Plan.Words() > 1, func(f *binsort.Sorter, lo, hi int) {
		if lo < hi {
			groups[bin(lo)] = s.rankBin(f, src, lo, hi, ties)
		}
	}, func(lo, hi int) error {
		n, err := s.rankOversizedBin(src.From(lo), src.words[lo:hi], ties)
		groups[bin(lo)] = n
		return err
	})
	return groups, err
}

// rankBin is rankBins for the rows lo..hi-1 of one bin.
func (s *sorter) rankBin(f *binsort.Sorter, src movedRows, lo, hi int, ties Ties) (groups int) {
	order := f.Order(s.keys.Plan, src, lo, hi-lo)
	if order == nil {
		order = f.Own(nil, hi-lo)
	}
	if !f.Tied {
		return rankCodes(src.words[lo:hi], order, ties)
	}
	var starts [binsort.MaxRows / 64]uint64
	s.keys.FirstUnsortedIn(s.pool, keys.NewList(src.From(lo), order, 0), 0, len(order), starts[:])
	return s.rankGroups(src.words[lo:hi], order, starts[:], ties)
}

// rankCodes replaces codes of one word by their ranks, given their order. It returns the number of groups of ties.
func rankCodes(codes []uint64, order []uint32, ties Ties) (groups int) {
	next := codes[order[0]]
	for first := 0; first < len(order); {
		code, end := next, first+1
		for ; end < len(order); end++ {
			if next = codes[order[end]]; next != code {
				break
			}
		}
		groups++
		rank, step := ties.Ranks(first, end, groups)
		for _, row := range order[first:end] {
			codes[row] = rank
			rank += step
		}
		first = end
	}
	return groups
}

// rankOversizedBin is rankBin for a bin that is too long for one worker: all of its rows tie, or a sample was
// misleading.
func (s *sorter) rankOversizedBin(src keys.Source, words []uint64, ties Ties) (groups int, err error) {
	_, tied, err := s.allEqual(src, len(words))
	if err != nil {
		return 0, err
	}
	if tied && s.keys.Plan.Words() == 1 {
		rank, step := ties.Ranks(0, len(words), 1)
		return 1, s.pool.Tiles(len(words), keys.TileRows, func(_, lo, hi int) {
			for i := lo; i < hi; i++ {
				words[i] = rank + uint64(i)*step
			}
		})
	}
	order, err := arena.Slice[uint32](s.mem, len(words))
	if err != nil {
		return 0, err
	}
	defer s.mem.Free(buffers.Bytes(order))
	buffers.Series(order, 0)
	if err := s.sortOversizedBin(src, order, 0); err != nil {
		return 0, err
	}
	starts, err := arena.Slice[uint64](s.mem, (len(words)+63)/64)
	if err != nil {
		return 0, err
	}
	defer s.mem.Free(buffers.Bytes(starts))
	if _, err := s.keys.FirstUnsorted(s.pool, keys.NewList(src, order, 0), len(order), starts); err != nil {
		return 0, err
	}
	return s.rankGroups(words, order, starts, ties), s.pool.Ctx.Err()
}

// rankGroups writes the ranks of rows given in their order, with a mark at the start of each group of ties. It returns
// the number of groups.
func (s *sorter) rankGroups(ranks []uint64, order []uint32, starts []uint64, ties Ties) (groups int) {
	for first := 0; first < len(order) && (groups%keys.TileRows != 0 || !s.pool.Stopped()); {
		end := NextMark(starts, first+1, len(order))
		groups++
		rank, step := ties.Ranks(first, end, groups)
		for ; first < end && (end-first <= keys.TileRows || !s.pool.Stopped()); first += keys.TileRows {
			for _, row := range order[first:min(first+keys.TileRows, end)] {
				ranks[row] = rank
				rank += step
			}
		}
		first = end
	}
	return groups
}

// NextMark returns the first place of lo..hi-1 that is marked, hi for none.
func NextMark(marks []uint64, lo, hi int) int {
	for lo < hi {
		if w := marks[lo/64] >> (lo % 64); w != 0 {
			return min(lo+bits.TrailingZeros64(w), hi)
		}
		lo = lo&^63 + 64
	}
	return hi
}

// NextUnmarked returns the first place of lo..hi-1 that is not marked, hi for none.
func NextUnmarked(marks []uint64, lo, hi int) int {
	for lo < hi {
		if w := ^marks[lo/64] >> (lo % 64); w != 0 {
			return min(lo+bits.TrailingZeros64(w), hi)
		}
		lo = lo&^63 + 64
	}
	return hi
}

// ranksBefore returns the number to add to the ranks within each bin: that of the ranks before the bin.
func ranksBefore(starts []uint32, groups []int, ties Ties) []uint64 {
	ranks := make([]uint64, len(groups))
	before := uint64(0)
	for bin := range ranks {
		switch ties {
		case TiesDense:
			ranks[bin] = before
			before += uint64(groups[bin])
		case TiesAverage:
			ranks[bin] = 2 * uint64(starts[bin])
		default:
			ranks[bin] = uint64(starts[bin])
		}
	}
	return ranks
}
