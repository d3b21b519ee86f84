package rows

import (
	"encoding/binary"

	"github.com/arrowsort/arrowsort/keyencode"
)

// entry is the encoded entry of row i of a dictionary column.
func (k *chunk) entry(i int) []byte {
	if !k.valid(i) {
		return k.nullCode
	}
	return k.entries.Row(int(k.index(i)) - k.first)
}

func (k *chunk) putEntries(out []byte, at int, pos []int) {
	for i, p := range pos {
		entry := k.entry(at + i)
		copyFlipped(out[p:], entry, 0)
		if k.format == formatText {
			pos[i] = p + len(entry)
		}
	}
}

// index is the index of row i of a dictionary column.
func (k *chunk) index(i int) uint64 {
	at := k.Offset + i
	switch k.values.Kind {
	case keyencode.Int8, keyencode.Uint8:
		return uint64(k.Values[at])
	case keyencode.Int16, keyencode.Uint16:
		return uint64(binary.LittleEndian.Uint16(k.Values[2*at:]))
	case keyencode.Int32, keyencode.Uint32:
		return uint64(binary.LittleEndian.Uint32(k.Values[4*at:]))
	}
	return binary.LittleEndian.Uint64(k.Values[8*at:])
}
