package arrowsort

import (
	"cmp"
	"context"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A TieBreaker decides the ranks of rows that tie.
type TieBreaker uint8

// The zero value is TiesFirst.
const (
	// TiesFirst gives ties different ranks, in the order of the rows: the ranks are a permutation of 1 to n.
	TiesFirst = TieBreaker(cpu.TiesFirst)
	// TiesMin gives ties the smallest of these ranks.
	TiesMin = TieBreaker(cpu.TiesMin)
	// TiesMax gives ties the greatest of these ranks.
	TiesMax = TieBreaker(cpu.TiesMax)
	// TiesDense gives ties one rank, and the next rows in the order the next rank: ranks are 1 to the number of groups
	// of ties.
	TiesDense = TieBreaker(cpu.TiesDense)
)

// Rank returns the rank of every row of the data in the order of the keys: 1 for the first row of the sorted order, n
// for the last. Ties decides the ranks of rows that tie. Nulls and NaNs are ranked where the order puts them; nulls tie
// with nulls, NaNs with NaNs.
//
// The result has a rank for each row, in the order of the data; chunk borders are not visible. Keys, cancellation and
// errors are those of SortIndices. Arrow C++ calls it rank.
//
// Temporary memory is 10 to 18 bytes per row. For many unsorted rows it takes about as long on the CPU as SortIndices.
func Rank(ctx context.Context, data Data, keys []Key, ties TieBreaker, opts Options) (*array.Uint64, error) {
	if ties > TiesDense {
		return nil, fmt.Errorf("%w: tie breaker %d; give one of the TieBreaker constants", ErrOption, ties)
	}
	ranks, err := rank(ctx, "Rank", data, keys, cpu.Ties(ties), opts, arrow.PrimitiveTypes.Uint64)
	return arrayOf(array.NewUint64Data, ranks, err)
}

// RankAverage is Rank that gives ties the mean of the ranks that TiesFirst gives them, which may be half a rank.
// (RankAverage - 0.5) / n is rank_quantile of Arrow C++.
func RankAverage(ctx context.Context, data Data, keys []Key, opts Options) (*array.Float64, error) {
	ranks, err := rank(ctx, "RankAverage", data, keys, cpu.TiesAverage, opts, arrow.PrimitiveTypes.Float64)
	return arrayOf(array.NewFloat64Data, ranks, err)
}

func rank(
	ctx context.Context, name string, data Data, keys []Key, ties cpu.Ties, opts Options, typ arrow.DataType,
) (*array.Data, error) {
	c, err := newCall(ctx, operation{name, sortOptions}, data, keys, opts)
	if err != nil {
		return nil, err
	}
	defer c.work.Release()
	starts, err := c.groupsInOrder(ctx, ties)
	if err != nil {
		return nil, err
	}
	if starts != nil {
		return c.rankGroups(ctx, starts, nil, ties, typ)
	}
	ranks, sorted, err := c.ranksOrRows(ctx, ties)
	if err != nil {
		return nil, err
	}
	if ranks != nil {
		return adapter.RowNumbers(ranks, typ, c.opts.Allocator), nil
	}
	defer sorted.Release(c.opts.Allocator)
	return c.rankSorted(ctx, arrow.Uint32Traits.CastFromBytes(sorted.RowNumbers), ties, typ)
}

// ranksOrRows returns the ranks of the rows, or else their numbers in the sorted order, none where that is theirs.
func (c *call) ranksOrRows(ctx context.Context, ties cpu.Ties) (ranks, sorted *engine.Result, err error) {
	if c.opts.Engine != cpu.New() {
		sorted, err = c.sortedRows(ctx)
		return nil, sorted, err
	}
	if ranks, sorted, err = cpu.Rank(ctx, c.job(), ties, c.opts.Allocator); err == nil {
		c.report(cmp.Or(ranks, sorted))
	}
	return ranks, sorted, err
}

// sortedRows returns the row numbers of the sorted order, of 4 bytes.
func (c *call) sortedRows(ctx context.Context) (*engine.Result, error) {
	c.work.Job.RowNumbers = arrow.Uint32SizeBytes
	return c.run(ctx)
}

// groupsInOrder returns the groups of ties of rows that lie in the order of a single key, nil where they do not: one
// read of the key, which ends soon if the rows are in no order. Keys that have to be measured before they can be
// compared are left to ranksOrRows, and so are callers that want to know the plan or the progress of a sort.
func (c *call) groupsInOrder(ctx context.Context, ties cpu.Ties) (*bitmap, error) {
	job := &c.work.Job
	if ties == cpu.TiesFirst || len(job.Keys) != 1 || c.opts.Engine != cpu.New() || c.opts.OnPlan != nil ||
		c.opts.Progress != nil {
		return nil, nil
	}
	if _, comparable := keyencode.NewWordPlan(job.Columns, job.Keys[0]); !comparable {
		return nil, nil
	}
	return c.groupStarts(ctx, nil, 1)
}

// groupStarts returns a bitmap of the first place of each group of ties in the sorted order of rows, by the first keys
// of the job; the caller releases it. No rows are all of them as they lie: nil if these are not in order.
func (c *call) groupStarts(ctx context.Context, rows []uint32, keys int) (*bitmap, error) {
	n := len(rows)
	if n == 0 {
		n, rows = c.data.Rows, nil
	}
	m, err := newBitmap(n, c.opts.Allocator)
	if err != nil {
		return nil, err
	}
	job := c.work.Job
	job.Keys, job.Limit, job.Plan, job.Progress = job.Keys[:keys], 0, false, nil
	unsorted, err := cpu.MarkGroups(ctx, &job, rows, m.words, c.opts.Allocator)
	if err == nil && unsorted < 0 {
		_, err = m.index(ctx, c.opts.Threads)
	}
	if err != nil || unsorted >= 0 {
		m.release()
		return nil, err
	}
	return m, nil
}

// rankSorted ranks rows given in their sorted order; no rows are all of them as they lie.
func (c *call) rankSorted(ctx context.Context, rows []uint32, ties cpu.Ties, typ arrow.DataType) (*array.Data, error) {
	if ties == cpu.TiesFirst {
		return newNumbers(ctx, c.data.Rows, typ, c.opts.Allocator, func(ranks []uint64) error {
			return eachTile(ctx, len(ranks), c.opts.Threads, func(_, lo, hi int) {
				rankPlaces(ranks, rows, lo, hi, uint64(lo)+1, 1, ties)
			})
		})
	}
	starts, err := c.groupStarts(ctx, rows, len(c.work.Job.Keys))
	if err != nil {
		return nil, err
	}
	return c.rankGroups(ctx, starts, rows, ties, typ)
}

// rankGroups ranks rows given in their sorted order, as rankSorted does, and the groups of them that tie, which it
// releases.
func (c *call) rankGroups(
	ctx context.Context, starts *bitmap, rows []uint32, ties cpu.Ties, typ arrow.DataType,
) (*array.Data, error) {
	defer starts.release()
	return newNumbers(ctx, starts.rows, typ, c.opts.Allocator, func(ranks []uint64) error {
		return starts.each(ctx, c.opts.Threads, func(_, lo, hi int) {
			starts.eachGroup(lo, hi, func(lo, hi, number int) {
				rank, _ := ties.Ranks(lo, lo+1, number)
				next, _ := ties.Ranks(lo+1, lo+2, number+1)
				rankPlaces(ranks, rows, lo, hi, rank, next-rank, ties)
			}, func(lo, hi, first, end, number int) {
				rank, step := ties.Ranks(first, end, number)
				rankPlaces(ranks, rows, lo, hi, rank+uint64(lo-first)*step, step, ties)
			})
		})
	})
}

// rankPlaces writes the ranks of the rows at places lo..hi-1 of the sorted order: the first one, and each by a step
// greater than the one before.
func rankPlaces(ranks []uint64, rows []uint32, lo, hi int, rank, step uint64, ties cpu.Ties) {
	if len(rows) == 0 {
		for i := lo; i < hi; i++ {
			ranks[i] = ties.Value(rank)
			rank += step
		}
		return
	}
	for _, row := range rows[lo:hi] {
		ranks[row] = ties.Value(rank)
		rank += step
	}
}
