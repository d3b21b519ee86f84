package take

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// indexMaps say where the entries of dictionaries are in the one that unifies them.
type indexMaps struct {
	of      [][]int32 // for each chunk, or each dictionary: the new index of each entry
	kept    []uint64  // the positions of the entries of the unified dictionary
	buffers []*memory.Buffer
}

func (m *indexMaps) release() {
	for _, b := range m.buffers {
		b.Release()
	}
	*m = indexMaps{}
}

// merge numbers the total entries of several dictionaries, equal ones alike, in the order in which they first appear.
func (g *gatherer) merge(typ arrow.DataType, dicts []chunk, total int) (_ *indexMaps, err error) {
	m := &indexMaps{of: make([][]int32, len(dicts))}
	defer func() {
		if err != nil {
			m.release()
		}
	}()
	positions, err := g.scratch(max(8*total, 1))
	if err != nil {
		return nil, err
	}
	m.buffers = append(m.buffers, positions)
	indices, err := g.scratch(max(4*total, 1))
	if err != nil {
		return nil, err
	}
	m.buffers = append(m.buffers, indices)
	m.kept = as[uint64](positions.Bytes())[:0:total]
	room := as[int32](indices.Bytes())
	numbers, null := map[string]int32{}, int32(-1)
	for d, dict := range dicts {
		entry, err := valuesOf(typ, dict)
		if err != nil {
			return nil, err
		}
		m.of[d], room = room[:dict.length], room[dict.length:]
		for i := range dict.length {
			number, known := int32(len(m.kept)), false
			if entry != nil {
				if key, valid := entry(i); !valid {
					if known = null >= 0; known {
						number = null
					}
					null = number
				} else if number, known = numbers[key]; !known {
					number = int32(len(m.kept))
					numbers[key] = number
				}
			}
			if !known {
				m.kept = append(m.kept, uint64(d)<<rowBits|uint64(i))
			}
			m.of[d][i] = number
		}
	}
	return m, nil
}
