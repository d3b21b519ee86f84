package take

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// dictionary gathers indices. The result shares the dictionary of the chunks when they have one and the same, and gets
// their unified dictionary otherwise.
func (g *gatherer) dictionary(col column, typ *arrow.DictionaryType) (*array.Data, error) {
	width := typ.IndexType.(arrow.FixedWidthDataType).Bytes()
	src, err := eachValues(col.chunks, width)
	if err != nil {
		return nil, err
	}
	indices, err := g.fixed(src, width, col.sel)
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

// IndexLimit returns the largest number of entries of a dictionary with indices of a type.
func IndexLimit(typ arrow.DataType) int64 {
	bits := typ.(arrow.FixedWidthDataType).BitWidth()
	if arrow.IsSignedInteger(typ.ID()) {
		bits--
	}
	return 1 << min(bits, 62) // more than there can be
}

func mapIndices(g *gatherer, indices []byte, width int, col column, maps *indexMaps) error {
	switch width {
	case 1:
		return mapAll(g, as[uint8](indices), col, maps)
	case 2:
		return mapAll(g, as[uint16](indices), col, maps)
	case 4:
		return mapAll(g, as[uint32](indices), col, maps)
	default:
		return mapAll(g, as[uint64](indices), col, maps)
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
						"%w: index %d into the dictionary of chunk %d, which has %d entries", errMalformed, out[i], c,
						len(to),
					)
				}
			}
			return nil
		})
	})
}
