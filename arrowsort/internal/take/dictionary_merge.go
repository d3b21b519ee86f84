package take

import "github.com/apache/arrow/go/v15/arrow"

// indexMaps map the entries of dictionaries to the entries of the dictionary that unifies them. The gatherer owns the
// memory.
type indexMaps struct {
	of   [][]int32 // for each chunk, or each dictionary: the new index of each entry
	kept []uint64  // the positions of the entries of the unified dictionary
}

// merge numbers the total entries of several dictionaries in the order in which they first appear. Equal entries have
// one number.
func (g *gatherer) merge(typ arrow.DataType, dicts []chunk, total int) (*indexMaps, error) {
	indices, err := g.buffer(4 * total)
	if err != nil {
		return nil, err
	}
	table, err := g.newValueTable(typ, dicts, total)
	if err != nil {
		return nil, err
	}
	defer table.slots.Release()
	m := &indexMaps{of: make([][]int32, len(dicts))}
	remaining := as[int32](indices.Bytes())
	for d, dict := range dicts {
		m.of[d], remaining = remaining[:dict.length], remaining[dict.length:]
		for i := range dict.length {
			if i%blockRows == 0 && g.ctx.Err() != nil {
				return nil, g.ctx.Err()
			}
			m.of[d][i] = table.idOf(d, i)
		}
	}
	m.kept = table.positions
	return m, nil
}
