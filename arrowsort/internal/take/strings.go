package take

import (
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow/array"
)

// strings gathers strings or binary values with offsets of either width.
func strings[O offset](g *gatherer, col column) (*array.Data, error) {
	src, bytes := make([]extents[O], len(col.chunks)), make([][]byte, len(col.chunks))
	for i, c := range col.chunks {
		offsets, err := c.values(1, int(unsafe.Sizeof(O(0))), 1)
		if err != nil {
			return nil, err
		}
		bytes[i] = c.bytes(2)
		src[i] = extents[O]{offsets: as[O](offsets), elements: len(bytes[i])}
	}
	selection, offsets, sources, err := lengths(g, col, src)
	if err != nil {
		return nil, err
	}
	defer sources.Release()
	data, err := g.fixed(bytes, 1, selection)
	if err != nil {
		return nil, err
	}
	return g.finish(col, nil, offsets, data), nil
}
