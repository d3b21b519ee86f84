package take

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/internal/buffers"
)

// dictionary gathers indices. The result shares the dictionary of the chunks when they have one and the same, and gets
// their unified dictionary otherwise.
func (g *gatherer) dictionary(col column, typ *arrow.DictionaryType) (*array.Data, error) {
	width := typ.IndexType.(arrow.FixedWidthDataType).Bytes()
	indices, err := g.values(col.chunks, width, col.sel)
	if err != nil {
		return nil, err
	}
	dict, maps, err := g.unify(typ, col.chunks)
	if err != nil {
		return nil, err
	}
	if maps != nil {
		if err := mapIndices(g, indices.Bytes(), width, col, maps); err != nil {
			return nil, err
		}
	}
	data := g.finish(col, nil, indices)
	data.SetDictionary(dict)
	return data, nil
}

func mapIndices(g *gatherer, indices []byte, width int, col column, maps *indexMaps) error {
	switch width {
	case 1:
		return mapAll(g, buffers.View[uint8](indices), col, maps)
	case 2:
		return mapAll(g, buffers.View[uint16](indices), col, maps)
	case 4:
		return mapAll(g, buffers.View[uint32](indices), col, maps)
	default:
		return mapAll(g, buffers.View[uint64](indices), col, maps)
	}
}

// mapAll turns indices into the dictionary of their chunk into indices into the unified one. An index that is not null
// is never negative, so that signed ones are read as unsigned. What lies under a null becomes 0.
func mapAll[I uint8 | uint16 | uint32 | uint64](g *gatherer, indices []I, col column, maps *indexMaps) error {
	return g.tiles(len(indices), func(lo, hi int, block []uint64) error {
		return eachBlock(col.sel, lo, hi, block, func(lo int, at []uint64) error {
			out := indices[lo : lo+len(at)]
			for i, p := range at {
				c := p >> rowBits
				to := maps.of[c]
				switch {
				case !col.valid[c].bit(p & rowMask):
					out[i] = 0
				case uint64(out[i]) < uint64(len(to)):
					out[i] = I(to[out[i]])
				default:
					return fmt.Errorf(
						"%w: index %d into the dictionary of chunk %d, which has %d entries", arraydata.ErrMalformed,
						out[i], c, len(to),
					)
				}
			}
			return nil
		})
	})
}

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
	remaining := buffers.View[int32](indices.Bytes())
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

// unify returns the dictionary of the result and, when the chunks have different ones, where their entries are in it.
// Equal entries become one, except those of unions and runs, which are concatenated. Chunks without rows do not count,
// unless there are no others.
func (g *gatherer) unify(typ *arrow.DictionaryType, chunks []chunk) (*array.Data, *indexMaps, error) {
	dicts, of := arraydata.DistinctDictionaries(len(chunks), func(i int) arrow.ArrayData {
		if chunks[i].length == 0 {
			return nil
		}
		return chunks[i].data.Dictionary()
	})
	switch {
	case len(dicts) == 1:
		return dicts[0].(*array.Data), nil, nil
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
	if limit := arraydata.IndexLimit(typ.IndexType); int64(dict.Len()) > limit {
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

// Unify returns the chunks of a column with one dictionary for all of them, at every level of the type, so that equal
// indices mean equal values. Everything else is shared with the chunks. The caller releases the arrays.
//
// Errors: those of Take, and ErrDictionary.
func Unify(ctx context.Context, typ arrow.DataType, chunks []arrow.Array, opts Options) (out []arrow.Array, err error) {
	defer arraydata.Guard(&err)
	g := newGatherer(ctx, opts, math.MaxInt32)
	defer g.release()
	views, err := viewChunks(typ, chunks)
	if err != nil {
		return nil, err
	}
	unified, err := g.unified(typ, views)
	if err != nil {
		return nil, err
	}
	for _, d := range unified {
		a, err := arraydata.MakeArray(d)
		if err != nil {
			arraydata.Release(out)
			return nil, err
		}
		out = append(out, a)
	}
	return out, nil
}

// unified is Unify for chunks. The data belongs to the chunks or to the gatherer.
func (g *gatherer) unified(typ arrow.DataType, chunks []chunk) ([]arrow.ArrayData, error) {
	out := make([]arrow.ArrayData, len(chunks))
	for i, c := range chunks {
		out[i] = c.data
	}
	if len(chunks) < 2 || !arraydata.HasDictionary(typ) {
		return out, nil
	}
	if t, ok := arraydata.Storage(typ).(*arrow.DictionaryType); ok {
		return out, g.unifyIndices(typ, t, chunks, out)
	}
	fields := arraydata.Storage(typ).(arrow.NestedType).Fields()
	nested := make([][]arrow.ArrayData, len(chunks)) // the children of each chunk
	for k, f := range fields {
		child, err := g.unified(f.Type, children(chunks, k))
		if err != nil {
			return nil, fmt.Errorf("field %q: %w", f.Name, err)
		}
		for i := range chunks {
			nested[i] = append(nested[i], child[i])
		}
	}
	for i, c := range chunks {
		out[i] = g.keep(array.NewData(typ, c.length, c.data.Buffers(), nested[i], c.data.NullN(), c.offset))
	}
	return out, nil
}

// unifyIndices makes chunks of a dictionary type share one dictionary.
func (g *gatherer) unifyIndices(
	typ arrow.DataType, t *arrow.DictionaryType, chunks []chunk, out []arrow.ArrayData,
) error {
	dict, maps, err := g.unify(t, chunks)
	if err != nil {
		return err
	}
	for i, c := range chunks {
		buffers := slices.Clone(c.data.Buffers())
		if maps != nil && c.length > 0 {
			if buffers[1], err = g.mappedIndices(t, chunks, i, maps); err != nil {
				return err
			}
		}
		out[i] = g.keep(array.NewDataWithDictionary(typ, c.length, buffers, c.data.NullN(), c.offset, dict))
	}
	return nil
}

// mappedIndices returns the indices of chunk i into the unified dictionary, at the offset where the chunk has its own.
func (g *gatherer) mappedIndices(
	t *arrow.DictionaryType, chunks []chunk, i int, maps *indexMaps,
) (*memory.Buffer, error) {
	c, width := chunks[i], t.IndexType.(arrow.FixedWidthDataType).Bytes()
	indices, err := c.values(1, width, 0)
	if err != nil {
		return nil, err
	}
	valid, _, err := validities(chunks, math.MaxInt)
	if err != nil {
		return nil, err
	}
	b, err := g.buffer((c.offset + c.length) * width)
	if err != nil {
		return nil, err
	}
	clear(b.Bytes()[:c.offset*width])
	mapped := b.Bytes()[c.offset*width:]
	copy(mapped, indices)
	return b, mapIndices(g, mapped, width, column{chunks: chunks, sel: wholeChunk{i, c.length}, valid: valid}, maps)
}
