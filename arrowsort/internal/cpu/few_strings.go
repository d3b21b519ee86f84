package cpu

import (
	"slices"
	"sync/atomic"

	"github.com/arrowsort/arrowsort/keyencode"
)

// fewStrings is a key column of which few strings are distinct, encoded by dictionaries: one for each worker. The ranks
// of their entries are the codes. So no string but the first of its kind is read again, wherever its row goes.
type fewStrings struct {
	indices      []uint16                      // of each row in the dictionary of its tile of placeRows rows
	worker       []int                         // of each tile
	dictionaries []*keyencode.StringDictionary // of each worker; nil where it had no tile
	words        [][]uint64                    // what moves for each entry of each dictionary: see strings
}

// encodeFewStrings replaces the keys of which a sample shows that few strings are distinct, as long as that holds.
func (s *sorter) encodeFewStrings() error {
	if s.rows < s.stringRows || s.job.Plan {
		return nil
	}
	for k, key := range s.job.Keys {
		c := &s.job.Columns[key.Column]
		if !keyencode.FewStrings(c, sampledRows(s.rows)) {
			continue
		}
		few, err := s.newFewStrings(c)
		if err != nil {
			return err
		}
		if few != nil {
			s.replaceKey(k, few)
		}
	}
	return nil
}

// newFewStrings encodes a column, nil if it has too many strings.
func (s *sorter) newFewStrings(c *keyencode.Column) (*fewStrings, error) {
	indices, err := allocate[uint16](&s.buffers, s.rows)
	if err != nil {
		return nil, err
	}
	few := &fewStrings{
		indices: indices, worker: make([]int, (s.rows+placeRows-1)/placeRows),
		dictionaries: make([]*keyencode.StringDictionary, s.threads),
	}
	for i := range few.dictionaries {
		few.dictionaries[i] = keyencode.NewStringDictionary(c, s.rows/64)
	}
	var tooMany atomic.Bool
	err = s.tiles(s.rows, placeRows, func(worker, lo, hi int) {
		few.worker[lo/placeRows] = worker
		if !tooMany.Load() && !few.dictionaries[worker].Encode(indices[lo:hi], lo) {
			tooMany.Store(true)
		}
	})
	if err != nil {
		return nil, err
	}
	if tooMany.Load() {
		s.free(bytesOf(indices))
		return nil, nil
	}
	return few, nil
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
	f.words = make([][]uint64, len(f.dictionaries))
	for i, d := range f.dictionaries {
		f.words[i] = make([]uint64, len(d.Rows))
		t.mover.take(bytesOf(f.words[i]), d.Rows)
		f.words[i][0] = t.null()
	}
	t.mover.fill = func(dst []byte, lo int) {
		for words := view[uint64](dst); len(words) > 0; {
			n := min(len(words), placeRows-lo%placeRows)
			table := f.words[f.worker[lo/placeRows]]
			for i, index := range f.indices[lo : lo+n] {
				words[i] = table[index]
			}
			words, lo = words[n:], lo+n
		}
	}
	t.mover.take = func(dst []byte, rows []uint32) {
		words := view[uint64](dst)
		for i, r := range rows {
			words[i] = f.words[f.worker[r/placeRows]][f.indices[r]]
		}
	}
}
