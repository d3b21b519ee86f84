package adapter

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/keyencode"
)

// dictionaryColumn is the raw column of a dictionary key: indices, and the rank of each entry by value among the entries
// of all dictionaries of the column.
func (w *Work) dictionaryColumn(ctx context.Context, typ *arrow.DictionaryType, views []view, key keyencode.Key) (keyencode.Column, error) {
	l, _ := layoutOf(typ.IndexType)
	l.kind = dictionaryKind(l.width)
	c, err := w.column(l, views)
	if err != nil {
		return c, err
	}
	distinct, of := dictionaries(views)
	ranks, err := w.ranks(ctx, typ.ValueType, distinct, key)
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
		if at < 0 || !sameData(distinct[at], d) {
			distinct = append(distinct, d)
			at++
		}
		of[i] = at
	}
	return distinct, of
}

// sameData reports whether a and b are the same rows of the same memory.
func sameData(a, b arrow.ArrayData) bool {
	if a == b {
		return true
	}
	if a.Len() != b.Len() || a.Offset() != b.Offset() || len(a.Buffers()) != len(b.Buffers()) ||
		len(a.Buffers()) == 0 || len(a.Children()) > 0 || len(b.Children()) > 0 {
		return false
	}
	for i := range a.Buffers() {
		if a.Buffers()[i] != b.Buffers()[i] {
			return false
		}
	}
	return sameDictionary(a.Dictionary(), b.Dictionary())
}

// sameDictionary is sameData for the dictionary of a dictionary, which may be missing: Arrow then returns a typed nil.
func sameDictionary(a, b arrow.ArrayData) bool {
	x, _ := a.(*array.Data)
	y, _ := b.(*array.Data)
	if x == nil || y == nil {
		return x == y
	}
	return sameData(x, y)
}

// equalDictionaries reports whether two dictionaries have the same entries at the same places, or one memory.
func equalDictionaries(a, b arrow.ArrayData) bool {
	if sameData(a, b) {
		return true
	}
	if a.Len() != b.Len() {
		return false
	}
	x, y := array.MakeFromData(a), array.MakeFromData(b)
	defer x.Release()
	defer y.Release()
	return array.Equal(x, y)
}
