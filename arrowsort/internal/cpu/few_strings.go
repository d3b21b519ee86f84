package cpu

import (
	"slices"
	"sync/atomic"

	"github.com/arrowsort/arrowsort/keyencode"
)

const (
	rowsOfString = 64      // rows for each distinct string, at least; as many for each sampled row
	fewEntries   = 1 << 16 // of the dictionaries of all workers, which are ranked by one of them
)

// fewStrings is a key column of which few strings are distinct, encoded by dictionaries: one for each worker. The ranks
// of their entries are the codes. So no string but the first of its kind is read again, wherever its row goes.
type fewStrings struct {
	indices      []uint16                      // of each row in the dictionary of its tile of placeRows rows
	worker       []int                         // of each tile
	dictionaries []*keyencode.StringDictionary // of each worker
}

// encodeFewStrings replaces the keys of which a sample shows that few strings are distinct, as long as that holds. The
// plan of the keys as they are is kept if it is asked for.
func (s *sorter) encodeFewStrings() error {
	if s.rows <= smallRows || s.out <= s.rows/4 {
		return nil
	}
	all := true // keys up to here
	for k, key := range s.job.Keys {
		few, err := s.newFewStrings(key.Column, all)
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

// newFewStrings encodes a column, nil if it has too many strings. One that is neither gathered nor among the leading
// keys is not worth it: few of its strings are compared.
func (s *sorter) newFewStrings(column int, leading bool) (*fewStrings, error) {
	c := &s.job.Columns[column]
	if !leading && !slices.Contains(s.job.Gather, column) || !keyencode.FewStrings(c, s.sampledStrings()) {
		return nil, nil
	}
	indices, err := allocate[uint16](&s.buffers, s.rows)
	if err != nil {
		return nil, err
	}
	few := &fewStrings{
		indices: indices, worker: make([]int, (s.rows+placeRows-1)/placeRows),
		dictionaries: make([]*keyencode.StringDictionary, s.threads),
	}
	for i := range few.dictionaries {
		few.dictionaries[i] = keyencode.NewStringDictionary(c, s.rows/rowsOfString)
	}
	var entries atomic.Int64
	err = s.tiles(s.rows, placeRows, func(worker, lo, hi int) {
		few.worker[lo/placeRows] = worker
		d := few.dictionaries[worker]
		for ; lo < hi && entries.Load() <= fewEntries && !s.stopped(); lo += blockRows {
			before := len(d.Rows)
			if !d.Encode(indices[lo:min(lo+blockRows, hi)], lo) {
				entries.Add(fewEntries + 1)
			}
			entries.Add(int64(len(d.Rows) - before))
		}
	})
	if err != nil {
		return nil, err
	}
	if entries.Load() > fewEntries {
		s.free(bytesOf(indices))
		return nil, nil
	}
	return few, nil
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
	job.Keys[k].Column = len(job.Columns)
	job.Columns = append(slices.Clip(job.Columns), few.column())
	s.job = &job
	if s.few == nil {
		s.few = map[int]*fewStrings{}
	}
	s.few[column] = few
}

// column are the ranks: a chunk for each tile, with the ranks of its dictionary.
func (f *fewStrings) column() keyencode.Column {
	ranks := keyencode.RankStrings(f.dictionaries)
	c := keyencode.Column{Kind: keyencode.Dictionary16, Chunks: make([]keyencode.Chunk, len(f.worker))}
	for i, w := range f.worker {
		tile := f.indices[i*placeRows : min((i+1)*placeRows, len(f.indices))]
		c.Chunks[i] = keyencode.Chunk{Rows: len(tile), Values: bytesOf(tile), Ranks: ranks[w]}
	}
	return c
}

// move lets a column's mover read the words of dictionary entries, in the place of those of its rows.
func (f *fewStrings) move(t *strings) {
	tables := make([][]uint64, len(f.dictionaries))
	for i, d := range f.dictionaries {
		tables[i] = make([]uint64, len(d.Rows))
		t.mover.take(bytesOf(tables[i]), d.Rows)
		tables[i][0] = t.null()
	}
	t.mover.fill = func(dst []byte, lo int) {
		for words := view[uint64](dst); len(words) > 0; {
			n := min(len(words), placeRows-lo%placeRows)
			table := tables[f.worker[lo/placeRows]]
			for i, index := range f.indices[lo : lo+n] {
				words[i] = table[index]
			}
			words, lo = words[n:], lo+n
		}
	}
	t.mover.take = func(dst []byte, rows []uint32) {
		words := view[uint64](dst)
		for i, r := range rows {
			words[i] = tables[f.worker[r/placeRows]][f.indices[r]]
		}
	}
}
