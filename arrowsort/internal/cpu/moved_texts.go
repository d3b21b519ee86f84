package cpu

import (
	"slices"

	"github.com/arrowsort/arrowsort/keyencode"
)

// movedTexts are the strings of rows from row base on, as the partition has moved them: the source of the words of
// their codes that follow the leading one.
type movedTexts struct {
	plan    *keyencode.Plan
	columns []*strings // of each word but the leading one
	base    int
}

// newMovedTexts returns nil if a word but the leading one is made from anything but strings of the result.
func (s *sorter) newMovedTexts() *movedTexts {
	t := &movedTexts{plan: s.plan}
	for word := 1; word < s.plan.Words(); word++ {
		column, _, ok := s.plan.StringWord(word)
		if !ok {
			return nil
		}
		g := slices.Index(s.job.Gather, column)
		if g < 0 {
			return nil
		}
		text := s.columns[g].text
		if text == nil || text.short || text.table != nil {
			return nil
		}
		t.columns = append(t.columns, text)
	}
	return t
}

// fetch reads the strings of a bin in their order, so that they come into the cache many lines at a time: those of ties
// are compared at random.
func (t *movedTexts) fetch(lo, hi int) {
	for i, c := range t.columns {
		if i > 0 && t.columns[i-1] == c {
			continue
		}
		moved := view[uint64](c.mover.out)
		first, last := int(moved[lo]>>c.lenBits), int(moved[hi-1]>>c.lenBits)
		if first < last && last < c.bases[0] {
			touch(c.near[first:last])
		}
	}
}

// find finds the strings that a word of each of the given rows holds bytes of.
func (t *movedTexts) find(dst [][]byte, word int, rows []uint32) {
	column := t.columns[word-1]
	moved := view[uint64](column.mover.out)[t.base:]
	for i, r := range rows {
		dst[i] = column.text(moved[r])
	}
}

// encodeRows writes one word of the codes of each of the given rows.
func (t *movedTexts) encodeRows(dst []uint64, word int, rows []uint32) {
	var texts [prefetchRows][]byte
	for len(rows) > 0 {
		n := min(len(rows), len(texts))
		t.find(texts[:n], word, rows[:n])
		t.plan.EncodeStrings(dst[:n], word, 0, texts[:n])
		dst, rows = dst[n:], rows[n:]
	}
}
