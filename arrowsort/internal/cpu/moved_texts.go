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
		key, ok := s.plan.StringKey(word)
		if !ok {
			return nil
		}
		g := slices.Index(s.job.Gather, key.Column)
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

// encodeRows writes one word of the codes of each of the given rows.
func (t *movedTexts) encodeRows(dst []uint64, word int, rows []uint32) {
	var texts [prefetchRows][]byte
	column := t.columns[word-1]
	moved := view[uint64](column.mover.out)[t.base:]
	for len(rows) > 0 {
		n := min(len(rows), len(texts))
		for i, r := range rows[:n] {
			texts[i] = column.text(moved[r])
		}
		t.plan.EncodeStrings(dst[:n], word, texts[:n])
		dst, rows = dst[n:], rows[n:]
	}
}
