package adapter

import (
	"context"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/keyencode"
)

// ranks returns the dense rank of each entry among the entries of all dictionaries, from 1 on; 0 for a null entry.
func (r *RawColumns) ranks(typ arrow.DataType, dictionaries []arrow.ArrayData, key keyencode.Key) ([][]uint32, error) {
	return r.ranksOfBoth(typ, dictionaries, nil, nil, key)
}

// ranksOfBoth ranks the dictionaries of two columns together. Their types have the same values.
func (r *RawColumns) ranksOfBoth(
	a arrow.DataType, left []arrow.ArrayData, b arrow.DataType, right []arrow.ArrayData, key keyencode.Key,
) ([][]uint32, error) {
	total := 0
	for _, d := range slices.Concat(left, right) {
		total += d.Len()
	}
	buf, err := r.zeros(4 * total)
	if err != nil {
		return nil, err
	}
	ranks := arrow.Uint32Traits.CastFromBytes(buf)
	if total > 0 && arraydata.Storage(a).ID() != arrow.NULL { // null entries are 0
		column, err := r.columnOfBoth(a, entryParts(left), b, entryParts(right), key.Ranking())
		if err == nil {
			err = r.rankColumn(column, key.Ranking(), ranks)
		}
		if err != nil {
			return nil, fmt.Errorf("ranking the dictionary: %w", err)
		}
	}
	var split [][]uint32
	for _, d := range slices.Concat(left, right) {
		split = append(split, ranks[:d.Len():d.Len()])
		ranks = ranks[d.Len():]
	}
	return split, nil
}

// entryParts returns all entries of the dictionaries that have some.
func entryParts(dictionaries []arrow.ArrayData) (parts []arraySlice) {
	for _, d := range dictionaries {
		if d.Len() > 0 {
			parts = append(parts, newSlice(d, d.Len()))
		}
	}
	return parts
}

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

// dictionaryColumn returns the raw column of a dictionary key: indices, and the rank of each entry by value among the
// entries of all dictionaries of the column.
func (r *RawColumns) dictionaryColumn(
	typ *arrow.DictionaryType, parts []arraySlice, key keyencode.Key,
) (keyencode.Column, error) {
	l, _ := layoutOf(typ.IndexType)
	l.kind = dictionaryKind(l.width)
	c, err := r.column(l, parts)
	if err != nil {
		return c, err
	}
	distinct, of := dictionaries(parts)
	ranks, err := r.ranks(typ.ValueType, distinct, key)
	if err != nil {
		return c, err
	}
	for i := range c.Chunks {
		c.Chunks[i].Ranks = ranks[of[i]]
	}
	return c, malformed(keyencode.ValidateKey(&c))
}

// dictionaries returns the distinct dictionaries of slices, and which of them each slice has.
func dictionaries(parts []arraySlice) (distinct []arrow.ArrayData, of []int) {
	return arraydata.DistinctDictionaries(len(parts), func(i int) arrow.ArrayData { return parts[i].data.Dictionary() })
}
