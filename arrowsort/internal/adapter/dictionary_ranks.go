package adapter

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/keyencode"
)

// rankColumn writes the rank of each entry.
func (r *RawColumns) rankColumn(column keyencode.Column, key keyencode.Key, ranks []uint32) error {
	job := engine.Job{Rows: len(ranks), Columns: []keyencode.Column{column}, Keys: []keyencode.Key{key},
		RowNumbers: 4, Plan: true, Threads: r.threads}
	sorted, err := r.ranker.Sort(r.ctx, &job, r.mem)
	if err != nil {
		return err
	}
	defer sorted.Release(r.mem)
	rows := arrow.Uint32Traits.CastFromBytes(sorted.RowNumbers)
	plan := sorted.Plan.On(job.Columns)
	nulls := plan.Statistics(0).Nulls
	if key.Nulls == keyencode.NullsAtStart {
		rows = rows[nulls:]
	} else {
		rows = rows[:len(rows)-nulls]
	}
	return number(r.ctx, ranks, rows, plan)
}

// number writes the rank of each of the rows, which are in the order of the plan: 1 for the first, one more for each
// row that does not tie with its predecessor.
func number(ctx context.Context, ranks, rows []uint32, plan *keyencode.Plan) error {
	var codes [512]uint64
	rank, previous := uint32(0), uint64(0)
	for lo := 0; lo < len(rows); lo += len(codes) {
		if err := ctx.Err(); err != nil {
			return err
		}
		tile := rows[lo:min(lo+len(codes), len(rows))]
		if plan.Words() > 0 {
			plan.EncodeRows(codes[:len(tile)], 0, tile)
		}
		for i, row := range tile {
			if rank == 0 || codes[i] != previous || !tied(plan, codes[i], rows[lo+i-1], row) {
				rank++
			}
			ranks[row], previous = rank, codes[i]
		}
	}
	return nil
}

// tied reports whether two rows that have the same leading word agree in all others.
func tied(plan *keyencode.Plan, code uint64, a, b uint32) bool {
	if plan.Words() == 0 {
		return true
	}
	rows, codes := [2]uint32{a, b}, [2]uint64{}
	for word := plan.Next(0, code); word < plan.Words(); word = plan.Next(word, codes[0]) {
		plan.EncodeRows(codes[:], word, rows[:])
		if codes[0] != codes[1] {
			return false
		}
	}
	return true
}

// dictionaries returns the distinct dictionaries of slices, and which of them each slice has.
func dictionaries(parts []arraySlice) (distinct []arrow.ArrayData, of []int) {
	return arraydata.DistinctDictionaries(len(parts), func(i int) arrow.ArrayData { return parts[i].data.Dictionary() })
}
