package cpu

import (
	"slices"
	"sync/atomic"

	"github.com/arrowsort/arrowsort/internal/arena"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/keyencode"
)

const (
	rowsOfString = 64        // rows for each distinct string, at least; as many for each sampled row
	fewEntries   = 1<<16 - 1 // of the dictionaries of all workers, which are ranked by one of them
)

// fewStrings is a column of which few strings are distinct. Their ranks are the codes of a key, and rows of variable
// length move as their ranks, too. So no string but one of its kind is read again, wherever its row goes.
type fewStrings struct {
	ranks    keyencode.Column // of each row, from 1 on; 0 is null
	rows     []uint32         // a row of each rank
	position int              // of ranks among the columns, where they are a key's
}

// encodeFewStrings replaces the keys of which a sample shows that few strings are distinct, as long as that holds. The
// plan of the keys as they are is kept if it is asked for.
func (s *sorter) encodeFewStrings() error {
	if s.rows <= smallRows || s.out <= s.rows/4 {
		return nil
	}
	all := true // keys up to here
	for k, key := range s.job.Keys {
		if !all && !slices.Contains(s.job.Gather, key.Column) {
			continue // few of its strings are compared
		}
		few, err := s.newFewStrings(key.Column)
		if err != nil {
			return err
		}
		if all = all && few != nil; few == nil {
			continue
		}
		if s.job.Plan && s.described == nil {
			if err := s.measureAll(); err != nil {
				return err
			}
			s.described = s.plan
		}
		s.replaceKey(k, few)
	}
	return nil
}

// newFewStrings encodes a column, nil if it has too many strings.
func (s *sorter) newFewStrings(column int) (*fewStrings, error) {
	c := &s.job.Columns[column]
	if !keyencode.FewStrings(c, s.sampledStrings()) {
		return nil, nil
	}
	ranks, err := arena.Slice[uint16](s.mem, s.rows)
	if err != nil {
		return nil, err
	}
	dictionaries := make([]*keyencode.StringDictionary, s.pool.Threads)
	for i := range dictionaries {
		dictionaries[i] = keyencode.NewStringDictionary(c, s.rows/rowsOfString)
	}
	workers := make([]int, (s.rows+placeRows-1)/placeRows) // of each tile
	var entries atomic.Int64
	err = s.pool.Tiles(s.rows, placeRows, func(worker, lo, hi int) {
		workers[lo/placeRows] = worker
		d := dictionaries[worker]
		for ; lo < hi && entries.Load() <= fewEntries && !s.pool.Stopped(); lo += blockRows {
			before := len(d.Rows)
			if !d.Encode(ranks[lo:min(lo+blockRows, hi)], lo) {
				entries.Add(fewEntries + 1)
			}
			entries.Add(int64(len(d.Rows) - before))
		}
	})
	if err != nil {
		return nil, err
	}
	if entries.Load() > fewEntries {
		s.mem.Free(buffers.Bytes(ranks))
		return nil, nil
	}
	of, rows := keyencode.RankStrings(dictionaries)
	null := make([]bool, len(workers))
	err = s.pool.Tiles(s.rows, placeRows, func(_, lo, hi int) {
		null[lo/placeRows] = replaceIndices(ranks[lo:hi], of[workers[lo/placeRows]])
	})
	return newRanks(ranks, rows, slices.Contains(null, true)), err
}

// replaceIndices replaces indices by ranks, and reports whether some are those of null.
func replaceIndices(indices []uint16, ranks []uint16) (null bool) {
	least := uint16(1)
	for i, index := range indices {
		rank := ranks[index]
		indices[i], least = rank, min(least, rank)
	}
	return least == 0
}

// newRanks makes a column of ranks: numbers or, where some rows are null, indices of a dictionary.
func newRanks(ranks []uint16, rows []uint32, nullable bool) *fewStrings {
	chunk := keyencode.Chunk{Rows: len(ranks), Values: buffers.Bytes(ranks)}
	f := &fewStrings{ranks: keyencode.Column{Kind: keyencode.Uint16}, rows: rows}
	if nullable {
		f.ranks.Kind, chunk.Ranks = keyencode.Dictionary16, make([]uint32, len(rows))
		buffers.Series(chunk.Ranks, 0)
	}
	f.ranks.Chunks = []keyencode.Chunk{chunk}
	return f
}

// sampledStrings are rows of a sample: fewer than for codes, since each of them costs more.
func (s *sorter) sampledStrings() []uint32 {
	rows := sampledRows(s.rows)
	step := max(1, len(rows)*rowsOfString/s.rows)
	some := rows[:0]
	for i := 0; i < len(rows); i += step {
		some = append(some, rows[i])
	}
	return some
}

// replaceKey makes the ranks of strings the column of a key.
func (s *sorter) replaceKey(k int, few *fewStrings) {
	job := *s.job
	column := job.Keys[k].Column
	job.Keys = slices.Clone(job.Keys)
	few.position = len(job.Columns)
	job.Keys[k].Column = few.position
	job.Columns = append(slices.Clip(job.Columns), few.ranks)
	s.job = &job
	if s.few == nil {
		s.few = map[int]*fewStrings{}
	}
	s.few[column] = few
}

// movesAsRanks reports whether a column of the result, by its place there, moves as the ranks that are the given
// column. Strings of fixed width and views move as they are.
func (s *sorter) movesAsRanks(place, column int) bool {
	few := s.few[s.job.Gather[place]]
	return few != nil && few.position == column && s.columns[place].text != nil
}

// move lets a column move as ranks, whose words are in a table.
func (f *fewStrings) move(t *strings) {
	t.table = make([]uint64, len(f.rows))
	t.mover.take(buffers.Bytes(t.table), f.rows)
	t.table[0] = t.null()
	t.mover = fixedMover(newChunked(&f.ranks))
}
