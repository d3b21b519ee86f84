package adapter

import (
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/take"
	"github.com/arrowsort/arrowsort/keyencode"
)

// dictionaryColumn is the raw column of a dictionary key: indices, and the rank of each entry by value among the
// entries of all dictionaries of the column.
func (w *JobBuilder) dictionaryColumn(
	typ *arrow.DictionaryType, views []view, key keyencode.Key,
) (keyencode.Column, error) {
	l, _ := layoutOf(typ.IndexType)
	l.kind = dictionaryKind(l.width)
	c, err := w.column(l, views)
	if err != nil {
		return c, err
	}
	distinct, of := dictionaries(views)
	ranks, err := w.ranks(typ.ValueType, distinct, key)
	if err != nil {
		return c, err
	}
	for i := range c.Chunks {
		c.Chunks[i].Ranks = ranks[of[i]]
	}
	return c, malformed(keyencode.ValidateKey(&c))
}

// dictionaries are the distinct dictionaries of the views, and which of them each view has.
func dictionaries(views []view) (distinct []arrow.ArrayData, of []int) {
	of = make([]int, len(views))
	for i, v := range views {
		d := v.data.Dictionary()
		at := len(distinct) - 1 // chunks that share a dictionary are neighbours as a rule
		if at < 0 || !take.Identical(distinct[at], d) {
			distinct = append(distinct, d)
			at++
		}
		of[i] = at
	}
	return distinct, of
}
