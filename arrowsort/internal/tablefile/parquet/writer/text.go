package writer

import (
	"encoding/binary"
	"hash/maphash"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/dictionary"
)

// textValues are the rows of a column of strings or bytes of any length.
type textValues[T int32 | int64] struct {
	offsets []T // of the rows, and behind the last
	data    []byte
}

var textSeed = maphash.MakeSeed()

// setText takes text, as a dictionary if it may and it is worth it.
func (v *flatValues) setText(a arrow.Array, useDictionary bool, s *Scratch) {
	data := []byte{} // an empty text is not nil
	if b := a.Data().Buffers()[2]; b != nil && b.Len() > 0 {
		data = b.Bytes()
	}
	switch a.DataType().ID() {
	case arrow.STRING, arrow.BINARY:
		takeText(v, textValues[int32]{arrow.GetOffsets[int32](a.Data(), 1), data}, useDictionary, s)
	default:
		takeText(v, textValues[int64]{arrow.GetOffsets[int64](a.Data(), 1), data}, useDictionary, s)
	}
}

func takeText[T int32 | int64](v *flatValues, t textValues[T], useDictionary bool, s *Scratch) {
	v.plain = t
	if !useDictionary {
		return
	}
	if s.stretch.allDiffer(v, func(row int) uint64 { return maphash.Bytes(textSeed, t.at(row)) }) {
		return
	}
	s.indices = slices.Grow(s.indices[:0], v.rows)[:v.rows]
	if first := s.textTable.number(t.at, v, s.indices, min(dictionary.MaxEntries, v.rows/rowsPerText)); first != nil {
		v.indices, v.count, s.entries = s.indices, len(first), s.entries[:0]
		for _, row := range first {
			s.entries = appendText(s.entries, t.at(int(row)))
		}
		v.entries = s.entries
	}
}

func appendText(out, text []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(out, uint32(len(text))), text...)
}

func (t textValues[T]) at(row int) []byte { return t.data[t.offsets[row]:t.offsets[row+1]] }

func (t textValues[T]) bytes(row, rows int) int {
	return int(t.offsets[row+rows]-t.offsets[row]) + 4*rows
}

func (t textValues[T]) appendTo(out []byte, v *flatValues, row, rows int) []byte {
	out = slices.Grow(out, t.bytes(row, rows))
	for i := row; i < row+rows; i++ {
		if v.validity == nil || v.valid(i) {
			out = appendText(out, t.at(i))
		}
	}
	return out
}
