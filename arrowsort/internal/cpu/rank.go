package cpu

import (
	"context"
	"math"
	"slices"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/internal/workers"
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

// Ranks are the ranks of a group of ties at places first up to, but without, end of the sorted order, the group of a
// number, counted from 1: the rank of the first row, and how much greater that of each further row is. Average ranks
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

// Value is what is stored for a rank: the rank, or the bits of the float64 of a doubled one.
func (t Ties) Value(rank uint64) uint64 {
	if t == TiesAverage {
		return math.Float64bits(float64(rank) / 2)
	}
	return rank
}

// Rank ranks the rows of a job: RowNumbers of its result are the ranks, 8 bytes each, of the rows as they lie. It
// returns nil when a sort of row numbers is the better way: the rows are few or in order, or rows that tie in the
// leading words of their codes differ in further ones.
//
// The partition of a sort keeps the order of the rows within each bin. So the bins are sorted for the ranks of their
// rows, which stay at the rows' places in the partition, and these places are found again, row by row, by counting as
// the partition did: no row number is stored, and no row is looked up at random. Temp storage: 10 bytes per row, and 4
// for each row of a bin that is too long for one worker.
func Rank(ctx context.Context, job *engine.Job, ties Ties, mem engine.Allocator) (*engine.Result, error) {
	silent := *job
	silent.Progress = nil // of work that the sort of row numbers would do again
	s, err := newSorter(ctx, &silent, mem)
	if err != nil || s.rows <= smallRows || s.rows > math.MaxInt32 {
		return nil, err
	}
	defer s.release()
	if err := s.measure(); err != nil {
		return nil, err
	}
	if inOrder, reversed, err := s.sortedInput(); err != nil || inOrder || reversed || s.plan.Words() > 1 {
		return nil, err
	}
	s.advance = workers.Progress(job.Progress, s.total)
	s.advance(s.rows)
	return s.rank(ties)
}

func (s *sorter) rank(ties Ties) (*engine.Result, error) {
	p := s.newPartition(s.source(), s.rows, s.plan.Borders())
	if err := p.count(true); err != nil {
		return nil, err
	}
	places := make([][]uint32, len(p.shares))
	for i := range p.shares {
		places[i] = slices.Clone(p.shares[i].offsets) // which the move counts up
	}
	moved := codeMover(s.source())
	if err := s.provide(moved, s.rows); err != nil {
		return nil, err
	}
	if err := p.move([]*mover{moved}); err != nil {
		return nil, err
	}
	codes := view[uint64](moved.out)
	groups, err := p.rankBins(codes, ties)
	if err != nil {
		return nil, err
	}
	s.numbers = &mover{width: 8}
	if err := s.provide(s.numbers, s.rows); err != nil {
		return nil, err
	}
	if err := p.ranksOfRows(view[uint64](s.numbers.out), codes, p.ranksBefore(groups, ties), places, ties); err != nil {
		return nil, err
	}
	return s.result()
}

// rankBins replaces the codes of each bin by the ranks within the bin. It returns the groups of ties of each bin.
func (p *partition) rankBins(codes []uint64, ties Ties) (groups []int, err error) {
	groups = make([]int, p.binner.bins)
	bin := func(lo int) int { // that row lo lies in
		next, _ := slices.BinarySearch(p.starts, uint32(lo)+1)
		return next - 1
	}
	err = p.eachBin(8, false, func(f *binSorter, lo, hi int) {
		if lo == hi {
			return
		}
		order := f.sortIndices(codes[lo:hi])
		if order == nil {
			order = f.applied(nil, hi-lo)
		}
		groups[bin(lo)] = p.rankCodes(codes[lo:hi], order, ties)
	}, func(lo, hi int) error {
		groups[bin(lo)], err = p.rankLongBin(codes[lo:hi], ties)
		return err
	})
	return groups, err
}

// rankLongBin is rankBins for a bin that is too long for one worker: all of its rows tie, or a sample was misleading.
func (p *partition) rankLongBin(codes []uint64, ties Ties) (groups int, err error) {
	src := storedCodes{words: codes}
	_, tied, err := p.tied(src, len(codes))
	if err != nil {
		return 0, err
	}
	if tied {
		rank, step := ties.Ranks(0, len(codes), 1)
		return 1, p.tiles(len(codes), placeRows, func(_, lo, hi int) {
			for i := lo; i < hi; i++ {
				codes[i] = rank + uint64(i)*step
			}
		})
	}
	order, err := allocate[uint32](&p.buffers, len(codes))
	if err != nil {
		return 0, err
	}
	defer p.free(bytesOf(order))
	series(order, 0)
	if err := p.sortRows(src, order, 0); err != nil {
		return 0, err
	}
	return p.rankCodes(codes, order, ties), p.ctx.Err()
}

// rankCodes replaces codes by their ranks, given their order. It returns the number of groups of ties.
func (p *partition) rankCodes(codes []uint64, order []uint32, ties Ties) (groups int) {
	next := codes[order[0]]
	for first := 0; first < len(order) && (groups%placeRows != 0 || !p.stopped()); {
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

// ranksBefore are what the ranks within each bin lack to be those among all rows.
func (p *partition) ranksBefore(groups []int, ties Ties) []uint64 {
	ranks := make([]uint64, p.binner.bins)
	before := uint64(0)
	for bin := range ranks {
		switch ties {
		case TiesDense:
			ranks[bin] = before
			before += uint64(groups[bin])
		case TiesAverage:
			ranks[bin] = 2 * uint64(p.starts[bin])
		default:
			ranks[bin] = uint64(p.starts[bin])
		}
	}
	return ranks
}

// ranksOfRows copies ranks from the places in the bins to the rows. places are the first ones of each share in each
// bin; they are counted up.
func (p *partition) ranksOfRows(dst, ranks, before []uint64, places [][]uint32, ties Ties) error {
	return p.run(len(p.shares), func(_, item int) {
		share := &p.shares[item]
		for lo := share.lo; lo < share.hi && !p.stopped(); lo += placeRows {
			hi := min(lo+placeRows, share.hi)
			collectRanks(dst[lo:hi], ranks, before, p.bins[lo:hi], places[item])
			if ties == TiesAverage {
				for i, rank := range dst[lo:hi] {
					dst[lo+i] = ties.Value(rank)
				}
			}
		}
	})
}

//go:noinline
func collectRanks(dst, ranks, before []uint64, bins []uint16, places []uint32) {
	bins = bins[:len(dst)]
	before = before[:len(places)]
	for i, bin := range bins {
		place := places[bin]
		places[bin] = place + 1
		dst[i] = ranks[place] + before[bin]
	}
}
