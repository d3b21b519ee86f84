package take

import (
	"fmt"
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

const (
	viewBytes  = 16
	viewInline = 12 // the longest value that a view holds itself
)

// views gathers string or binary views. The bytes stay where they are: the result refers to the buffers of all chunks,
// each of them once.
func (g *gatherer) views(col column) (*array.Data, error) {
	src, err := eachValues(col.chunks, viewBytes)
	if err != nil {
		return nil, err
	}
	views, err := g.fixed(src, viewBytes, col.sel)
	if err != nil {
		return nil, err
	}
	buffers, numbers, same := shareBuffers(col.chunks)
	if len(buffers) > math.MaxInt32 {
		return nil, fmt.Errorf("%w: take: %s refers to %d buffers", arrow.ErrInvalid, col.typ, len(buffers))
	}
	if !same {
		if err := g.renumber(as[[4]uint32](views.Bytes()), col, numbers); err != nil {
			return nil, err
		}
	}
	return g.finish(col, nil, append([]*memory.Buffer{views}, buffers...)...), nil
}

// shareBuffers lists the data buffers of all chunks and returns the new numbers of those of each chunk. same says that
// they are the old ones.
func shareBuffers(chunks []chunk) (buffers []*memory.Buffer, numbers [][]uint32, same bool) {
	same = true
	known := map[*memory.Buffer]uint32{}
	for _, c := range chunks {
		var of []uint32
		for i, b := range c.data.Buffers()[2:] {
			number, ok := known[b]
			if !ok {
				number = uint32(len(buffers))
				known[b] = number
				buffers = append(buffers, b)
			}
			of = append(of, number)
			same = same && number == uint32(i)
		}
		numbers = append(numbers, of)
	}
	return buffers, numbers, same
}

// renumber writes the new numbers of buffers into the gathered views. What lies under a null refers to nothing and
// becomes zero.
func (g *gatherer) renumber(views [][4]uint32, col column, numbers [][]uint32) error {
	return g.tiles(len(views), func(lo, hi int, block []uint64) error {
		return eachBlock(col.sel, lo, hi, block, func(lo int, at []uint64) error {
			for i, p := range at {
				v := &views[lo+i]
				c := p >> rowBits
				switch {
				case !col.valid[c].bit(p & rowMask):
					*v = [4]uint32{}
				case v[0] <= viewInline:
				case v[2] < uint32(len(numbers[c])):
					v[2] = numbers[c][v[2]]
				default:
					return fmt.Errorf(
						"%w: a view of chunk %d refers to buffer %d of %d", errMalformed, c, v[2], len(numbers[c]),
					)
				}
			}
			return nil
		})
	})
}
