package writer

import (
	"encoding/binary"
	"math/bits"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
)

// flatValues are the rows of a flat column in a row group: their values, or text that is in a dictionary, with indices
// into one where their pages hold those.
type flatValues struct {
	rows     int
	validity []byte // nil: all valid
	offset   int    // of the first row in the bitmap
	nulls    int

	plain   plainValues // nil: text that is in a dictionary
	indices []int32     // into a dictionary, if there is one; anything for a null
	entries []byte      // of the dictionary, plain
	count   int         // how many those are
}

// plainValues are values that can be written without a dictionary: numbers or texts.
type plainValues interface {
	// bytes are those that rows take at most.
	bytes(row, rows int) int
	// appendTo appends the rows that are not null.
	appendTo(out []byte, v *flatValues, row, rows int) []byte
}

// rowsOf returns the rows of an array without the values.
func rowsOf(a arrow.Array) *flatValues {
	v := &flatValues{rows: a.Len(), offset: a.Data().Offset(), nulls: a.NullN()}
	if v.nulls > 0 {
		v.validity = a.NullBitmapBytes()
	}
	return v
}

func (v *flatValues) valid(row int) bool {
	return v.validity == nil || bitutil.BitIsSet(v.validity, v.offset+row)
}

// width returns the bits of an index.
func (v *flatValues) width() int { return max(1, bits.Len(uint(max(1, v.count)-1))) }

func appendText(out, text []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(out, uint32(len(text))), text...)
}

// A few stretches of rows show most columns that gain nothing from a dictionary, before all values are numbered: nearly
// all values of a stretch differ. Values of a column that gains, in random order, repeat more often.
const (
	stretches    = 3
	stretchRows  = 1 << 12
	distinctFrom = stretchRows - stretchRows/100 // of a stretch; in no order numberEntries values have fewer
	stretchBits  = 14
)

// distinctSample is a set of hashes.
type distinctSample [1 << stretchBits]uint64

// mostlyDistinct reports whether nearly all values of each stretch differ, by their hashes.
func (t *distinctSample) mostlyDistinct(v *flatValues, hashAt func(row int) uint64) bool {
	if v.rows < 2*stretches*stretchRows {
		return false
	}
	for s := range stretches {
		first := s * (v.rows - stretchRows) / (stretches - 1)
		if t.distinct(v, first, hashAt) < distinctFrom {
			return false
		}
	}
	return true
}

// distinct counts the values of a stretch from a row on; a null is none.
func (t *distinctSample) distinct(v *flatValues, first int, hashAt func(row int) uint64) (n int) {
	clear(t[:])
	for row := first; row < first+stretchRows; row++ {
		if !v.valid(row) {
			continue
		}
		h := hashAt(row) | 1 // 0 is an empty slot
		slot := h >> (64 - stretchBits)
		for t[slot] != 0 && t[slot] != h {
			slot = (slot + 1) % uint64(len(t))
		}
		if t[slot] == 0 {
			t[slot] = h
			n++
		}
	}
	return n
}
