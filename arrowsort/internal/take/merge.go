package take

import (
	"unsafe"

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
		entry, err := entriesOf(typ, dict)
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

// entriesOf reads the entries of a flat dictionary: their bytes, where they lie, and whether they are valid. It is nil for a type with children
// or dictionaries of its own.
func entriesOf(typ arrow.DataType, dict chunk) (func(i int) (key string, valid bool), error) {
	read, err := bytesOf(Storage(typ), dict)
	if read == nil || err != nil {
		return nil, err
	}
	valid, _, err := validities([]chunk{dict}, dict.length)
	return func(i int) (string, bool) {
		if !valid[0].bit(uint64(i)) {
			return "", false
		}
		b := read(i)
		return unsafe.String(unsafe.SliceData(b), len(b)), true // keys live no longer than the chunks, which are not written to
	}, err
}

// bytesOf reads the valid values of a chunk of a flat type as bytes.
func bytesOf(layout arrow.DataType, c chunk) (func(i int) []byte, error) {
	switch t := layout.(type) {
	case *arrow.NullType:
		return func(int) []byte { return nil }, nil
	case *arrow.BooleanType:
		b, err := c.bits(1)
		truth := map[bool][]byte{false: {0}, true: {1}}
		return func(i int) []byte { return truth[b.bit(uint64(i))] }, err
	case *arrow.StringType, *arrow.BinaryType:
		return stringsOf[int32](c)
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		return stringsOf[int64](c)
	case *arrow.StringViewType, *arrow.BinaryViewType:
		views, err := c.values(1, viewBytes, 0)
		return func(i int) []byte { return viewed(c, views[i*viewBytes:][:viewBytes]) }, err
	case *arrow.DictionaryType, arrow.NestedType:
		return nil, nil
	case arrow.FixedWidthDataType:
		width := t.Bytes()
		values, err := c.values(1, width, 0)
		return func(i int) []byte { return values[i*width:][:width] }, err
	}
	return nil, nil
}

func stringsOf[O offset](c chunk) (func(i int) []byte, error) {
	b, err := c.values(1, int(unsafe.Sizeof(O(0))), 1)
	offsets, bytes := as[O](b), c.bytes(2)
	return func(i int) []byte { return bytes[offsets[i]:offsets[i+1]] }, err
}

// viewed is the bytes of a view.
func viewed(c chunk, view []byte) []byte {
	words := as[uint32](view)
	if n := words[0]; n <= viewInline {
		return view[4 : 4+n]
	}
	start := uint64(words[3])
	return c.bytes(2 + int(words[2]))[start : start+uint64(words[0])]
}
