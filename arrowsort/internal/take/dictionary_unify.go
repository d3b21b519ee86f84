package take

import (
	"fmt"
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// unify returns the dictionary of the result and, when the chunks have different ones, where their entries are in it.
// Equal entries become one, except those of unions and runs, which are concatenated. Chunks without rows do not count,
// unless there are no others.
func (g *gatherer) unify(typ *arrow.DictionaryType, chunks []chunk) (*array.Data, *indexMaps, error) {
	dicts, of := dictionariesOf(chunks)
	switch {
	case len(dicts) == 1:
		return dicts[0], nil, nil
	case len(dicts) == 0:
		for _, c := range chunks {
			if d, ok := c.data.Dictionary().(*array.Data); ok && d != nil {
				return d, nil, nil
			}
		}
		empty, err := g.column(typ.ValueType, nil, positionList(nil))
		return empty, nil, err
	}
	entries, total := make([]chunk, len(dicts)), 0
	for i, d := range dicts {
		entries[i] = chunk{d, d.Offset(), d.Len()}
		total += d.Len()
	}
	if total > math.MaxInt32 {
		return nil, nil, fmt.Errorf("%w: dictionaries of %d entries", ErrDictionary, total)
	}
	m, err := g.merge(typ.ValueType, entries, total)
	if err != nil {
		return nil, nil, err
	}
	dict, err := g.column(typ.ValueType, entries, positionList(m.kept))
	if err != nil {
		return nil, nil, err
	}
	if limit := IndexLimit(typ.IndexType); int64(dict.Len()) > limit {
		return nil, nil, fmt.Errorf("%w: the chunks' dictionaries have %d different entries, %s indices number %d; "+
			"cast the column to a wider index type", ErrDictionary, dict.Len(), typ.IndexType, limit)
	}
	perChunk := make([][]int32, len(chunks))
	for i, d := range of {
		if d >= 0 {
			perChunk[i] = m.of[d]
		}
	}
	m.of = perChunk
	return dict, m, nil
}

// dictionariesOf is the different dictionaries of the chunks that have rows, and which of them each chunk has, -1 for
// one without rows.
func dictionariesOf(chunks []chunk) (dicts []*array.Data, of []int) {
	of = make([]int, len(chunks))
	for i, c := range chunks {
		of[i] = -1
		if c.length == 0 {
			continue
		}
		d := c.data.Dictionary().(*array.Data)
		for k, known := range dicts {
			// the first one stands for those read again with every batch
			if known == d || k == 0 && Identical(known, d) {
				of[i] = k
				break
			}
		}
		if of[i] < 0 {
			of[i] = len(dicts)
			dicts = append(dicts, d)
		}
	}
	return dicts, of
}
