package cpu

import (
	"slices"

	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/binsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/keys"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/partition"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/payload"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/scatter"
	"github.com/arrowsort/arrowsort/internal/arena"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// sortColumns partitions all movers by the leading bits of the codes, straight into the result, and sorts each bin in
// cache. No other copy of the columns exists.
func (s *sorter) sortColumns() error {
	codes, added, err := s.codesAfterScatter()
	if err != nil {
		return err
	}
	movers := append(s.movers(), added...)
	// codes that move are made for the count and for the move: with bins that are kept, not a third time
	_, encoded := codes.(movedRows)
	p := s.newPartition(s.keys.Source(), s.rows, s.keys.Plan.Borders(), 0)
	texts := s.textsToMove()
	combines := p.Combines(movers)
	if err := p.Count(encoded || combines || texts != nil); err != nil {
		return err
	}
	for _, t := range texts {
		bytes, err := moveBytes(s.pool, s.mem, t, p, combines)
		if err != nil {
			return err
		}
		if bytes != nil {
			s.moved = append(s.moved, bytes)
		}
	}
	if err := p.Scatter(movers); err != nil {
		return err
	}
	p.Release()
	for _, c := range s.moved {
		s.mem.Free(c.buffers)
	}
	return s.sortBins(p, codes, s.movers())
}

// textsToMove returns the columns whose bytes are worth moving: long strings, if all rows are wanted.
func (s *sorter) textsToMove() (texts []*payload.Strings) {
	if s.rows < s.movedStrings || s.wanted < s.rows {
		return nil
	}
	for _, c := range s.columns {
		if t := c.Strings; t != nil && t.Long() && t.InputBytes() <= s.rows*movedLength {
			texts = append(texts, t)
		}
	}
	return texts
}

// codesAfterScatter returns the codes of moved rows. If the result holds all key columns, codes are computed from them;
// otherwise codes move as one more column, and row numbers where rows may tie in the leading words. These are added to
// the movers of the result, and not sorted.
func (s *sorter) codesAfterScatter() (codes keys.Source, added []*payload.Mover, err error) {
	if columns, ok := s.movedKeys(); ok {
		return keys.NewInput(s.keys.Plan.On(columns)), nil, nil
	}
	return s.movedCodes(s.numbers)
}

// movedCodes returns a mover of codes and, where rows may tie in the leading words, one of row numbers: the given one,
// or one that is added if that is nil.
func (s *sorter) movedCodes(numbers *payload.Mover) (c movedRows, added []*payload.Mover, err error) {
	codes := payload.NewCodes(s.keys.Source())
	if err := codes.Allocate(s.mem, s.rows); err != nil {
		return c, nil, err
	}
	added = append(added, codes)
	c = movedRows{words: buffers.View[uint64](codes.Out), src: s.keys.Source()}
	if s.keys.Plan.Words() == 1 {
		return c, added, nil
	}
	if c.strings = s.newMovedStrings(); c.strings != nil {
		return c, added, nil
	}
	if numbers == nil {
		if numbers, err = payload.NewRowNumbers(4); err != nil {
			return c, nil, err
		}
		if err := numbers.Allocate(s.mem, s.rows); err != nil {
			return c, nil, err
		}
		added = append(added, numbers)
	}
	if numbers.Width == 4 {
		c.rows4 = buffers.View[uint32](numbers.Out)
	} else {
		c.rows8 = buffers.View[uint64](numbers.Out)
	}
	return c, added, nil
}

// movedKeys returns the job's columns as they lie in the result, if codes can be made from them: each key is part of
// the result, of fixed width and without nulls. An only key may have nulls, since no bin holds nulls and values.
func (s *sorter) movedKeys() ([]keyencode.Column, bool) {
	columns := make([]keyencode.Column, len(s.keys.Columns))
	for _, key := range s.keys.Keys {
		column, ok := s.movedKey(key.Column)
		if !ok {
			return nil, false
		}
		columns[key.Column] = column
	}
	return columns, true
}

// movedKey is movedKeys for one column, or for the indices that move in its place.
func (s *sorter) movedKey(column int) (moved keyencode.Column, ok bool) {
	for g, i := range s.job.Gather {
		c := s.columns[g]
		switch {
		case s.movesAsIndices(g, column):
			indices := s.keys.Dictionaries[i].Indices
			chunk := indices.Chunks[0]
			chunk.Values = c.Strings.Mover.Out
			return keyencode.Column{Kind: indices.Kind, Chunks: []keyencode.Chunk{chunk}}, true
		case i != column:
		case c.Values != nil && c.Bits == nil && movable(c.Kind):
			chunk := keyencode.Chunk{Rows: s.rows, Validity: c.Validity, Values: c.Values.Out}
			return keyencode.Column{Kind: c.Kind, Width: c.Width, Chunks: []keyencode.Chunk{chunk}}, true
		}
	}
	return moved, false
}

// movable reports whether values of a kind mean the same wherever they lie: a view or an index needs its chunk.
func movable(k keyencode.Kind) bool {
	return k >= keyencode.Int8 && k <= keyencode.FixedSizeBinary
}

// sortBins sorts every bin in place: the codes of its rows give an order, the order permutes every mover. Values of 4
// bytes that are all of the result are sorted alone.
func (s *sorter) sortBins(p *partition.Partition, src keys.Source, movers []*payload.Mover) error {
	short := func(f *binsort.Sorter, lo, hi int) { f.SortBin(s.keys.Plan, src, movers, lo, hi) }
	if values, flip := s.onlyValues(); values != nil {
		short = func(f *binsort.Sorter, lo, hi int) { f.SortValues(values[lo:hi], flip) }
	}
	return s.eachBin(p, payload.Widest(movers), s.keys.Plan.Words() > 1, short,
		func(lo, hi int) error { return s.sortOversizedColumns(src, movers, lo, hi) })
}

// onlyValues returns the values of the result if it is one key of integers of 4 bytes without nulls, and nothing else,
// and the bits to invert so that they order as unsigned numbers.
func (s *sorter) onlyValues() (values []uint32, flip uint32) {
	if s.numbers != nil || len(s.keys.Keys) != 1 || len(s.columns) != 1 {
		return nil, 0
	}
	key, c := s.keys.Keys[0], s.columns[0]
	if s.job.Gather[0] != key.Column || c.Bits != nil || c.Validity != nil {
		return nil, 0
	}
	switch c.Kind {
	case keyencode.Int32:
		flip = 1 << 31
	case keyencode.Uint32:
	default:
		return nil, 0
	}
	if key.Order == keyencode.Descending {
		flip = ^flip
	}
	return buffers.View[uint32](c.Values.Out), flip
}

// sortOversizedColumns sorts a bin that is too long for one worker: its row numbers are sorted by all workers, and
// every mover is gathered through a copy.
func (s *sorter) sortOversizedColumns(src keys.Source, movers []*payload.Mover, lo, hi int) error {
	n := hi - lo
	src = src.From(lo)
	if row, err := s.keys.FirstUnsorted(s.pool, src, n, nil); err != nil || row < 0 {
		return err
	}
	order, err := arena.Slice[uint32](s.mem, n)
	if err != nil {
		return err
	}
	buffers.Series(order, 0)
	if err := s.sortList(src, order, 0); err != nil {
		return err
	}
	for _, l := range movers {
		copied, err := s.mem.Bytes(n * l.Width)
		if err != nil {
			return err
		}
		out := l.Out[lo*l.Width : hi*l.Width]
		err = s.pool.Tiles(n, l.StepRows(), func(_, a, b int) { copy(copied[a*l.Width:b*l.Width], out[a*l.Width:]) })
		if err == nil {
			err = s.pool.Tiles(n, l.StepRows(), func(_, a, b int) {
				scatter.Gather(out[a*l.Width:b*l.Width], copied, order[a:b], l.Width)
			})
		}
		s.mem.Free(copied)
		if err != nil {
			return err
		}
	}
	s.mem.Free(buffers.Bytes(order))
	return nil
}

// movedStrings finds the strings of rows that have moved, from row base on. They give the second and further words of
// the code.
type movedStrings struct {
	plan    *keyencode.Plan
	columns []*payload.Strings // of each word but the leading one
	base    int
}

// newMovedStrings returns nil if a word but the leading one is made from anything but strings of the result.
func (s *sorter) newMovedStrings() *movedStrings {
	t := &movedStrings{plan: s.keys.Plan}
	for word := 1; word < s.keys.Plan.Words(); word++ {
		column, _, ok := s.keys.Plan.StringWord(word)
		if !ok {
			return nil
		}
		g := slices.Index(s.job.Gather, column)
		if g < 0 {
			return nil
		}
		text := s.columns[g].Strings
		if text == nil || !text.Long() {
			return nil
		}
		t.columns = append(t.columns, text)
	}
	return t
}

// find finds the strings that a word of each of the given rows holds bytes of.
func (t *movedStrings) find(dst [][]byte, word int, rows []uint32) {
	column := t.columns[word-1]
	moved := buffers.View[uint64](column.Mover.Out)[t.base:]
	for i, r := range rows {
		dst[i] = column.Text(moved[r])
	}
}

// encodeRows writes one word of the codes of each of the given rows.
func (t *movedStrings) encodeRows(dst []uint64, word int, rows []uint32) {
	var texts [payload.PrefetchRows][]byte
	for len(rows) > 0 {
		n := min(len(rows), len(texts))
		t.find(texts[:n], word, rows[:n])
		t.plan.EncodeStrings(dst[:n], word, 0, texts[:n])
		dst, rows = dst[n:], rows[n:]
	}
}

// movesAsIndices reports whether a column of the result, by its place there, moves as the indices that are the given
// column. Strings of fixed width and views move as they are.
func (s *sorter) movesAsIndices(place, column int) bool {
	d := s.keys.Dictionaries[s.job.Gather[place]]
	return d != nil && d.Column == column && s.columns[place].Strings != nil
}

// movedRows are rows that the partition has moved with their leading words and, when rows may tie in those, with what
// their further words are made from: strings, or row numbers (4 or 8 bytes wide) in a source.
type movedRows struct {
	words   []uint64
	strings *movedStrings
	rows4   []uint32
	rows8   []uint64
	src     keys.Source
}

func (s movedRows) Encode(dst []uint64, lo int) { copy(dst, s.words[lo:]) }

// Words returns the leading words of rows lo..hi-1.
func (s movedRows) Words(lo, hi int) []uint64 { return s.words[lo:hi] }

// Strings finds the strings that a word of the given rows holds bytes of, if they have moved.
func (s movedRows) Strings(dst [][]byte, word int, rows []uint32) bool {
	if s.strings != nil {
		s.strings.find(dst, word, rows)
	}
	return s.strings != nil
}

func (s movedRows) EncodeRows(dst []uint64, word int, rows []uint32) {
	if word == 0 {
		for i, r := range rows {
			dst[i] = s.words[r]
		}
		return
	}
	if s.strings != nil {
		s.strings.encodeRows(dst, word, rows)
		return
	}
	for i, r := range rows {
		if s.rows4 != nil {
			rows[i] = s.rows4[r]
		} else {
			rows[i] = uint32(s.rows8[r])
		}
	}
	s.src.EncodeRows(dst, word, rows)
}

func (s movedRows) From(base int) keys.Source {
	s.words = s.words[base:]
	if s.strings != nil {
		s.strings = &movedStrings{s.strings.plan, s.strings.columns, s.strings.base + base}
	}
	if s.rows4 != nil {
		s.rows4 = s.rows4[base:]
	}
	if s.rows8 != nil {
		s.rows8 = s.rows8[base:]
	}
	return s
}
