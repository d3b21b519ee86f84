package take

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// Unify returns the chunks of a column with one dictionary for all of them, at every level of the type, so that equal
// indices mean equal values. Everything else is shared with the chunks. The caller releases the arrays.
//
// Errors: those of Take, and ErrDictionary.
func Unify(ctx context.Context, typ arrow.DataType, chunks []arrow.Array, opts Options) (out []arrow.Array, err error) {
	g := newGatherer(ctx, opts, math.MaxInt32)
	defer g.release()
	err = contain(func() error {
		views, err := viewChunks(typ, chunks)
		if err != nil {
			return err
		}
		unified, err := g.unified(typ, views)
		if err != nil {
			return err
		}
		for _, d := range unified {
			out = append(out, array.MakeFromData(d))
		}
		return nil
	})
	return out, err
}

// HasDictionary reports whether a type has dictionaries at any level.
func HasDictionary(typ arrow.DataType) bool {
	switch t := Storage(typ).(type) {
	case *arrow.DictionaryType:
		return true
	case arrow.NestedType:
		return slices.ContainsFunc(t.Fields(), func(f arrow.Field) bool { return HasDictionary(f.Type) })
	}
	return false
}

// unified is Unify for chunks. The data belongs to the chunks or to the gatherer.
func (g *gatherer) unified(typ arrow.DataType, chunks []chunk) ([]arrow.ArrayData, error) {
	out := make([]arrow.ArrayData, len(chunks))
	for i, c := range chunks {
		out[i] = c.data
	}
	if len(chunks) < 2 || !HasDictionary(typ) {
		return out, nil
	}
	if t, ok := Storage(typ).(*arrow.DictionaryType); ok {
		return out, g.unifyIndices(typ, t, chunks, out)
	}
	fields := Storage(typ).(arrow.NestedType).Fields()
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

// A wholeChunk selects the rows of one chunk in their order.
type wholeChunk struct{ number, rows int }

func (w wholeChunk) len() int { return w.rows }

func (w wholeChunk) at(lo, hi int, buf []uint64) []uint64 {
	for i := range hi - lo {
		buf[i] = uint64(w.number)<<rowBits | uint64(lo+i)
	}
	return buf
}
