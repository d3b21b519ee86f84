package writer

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"slices"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/bitutil"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
)

// numberValues are the rows of a column of numbers, as their bits. The bits of nulls are undefined.
type numberValues[T int32 | int64] []T

// writesFlat reports whether a flatEncoder writes a type: text, numbers that Parquet stores with the same width, and
// integers of 8 and 16 bits, which it stores in 32.
func writesFlat(typ arrow.DataType, physical parquet.Type) bool {
	switch t := typ.(type) {
	case *arrow.TimestampType:
		return physical == parquet.Types.Int64 && t.Unit != arrow.Second
	case *arrow.Time32Type:
		return physical == parquet.Types.Int32 && t.Unit != arrow.Second
	case *arrow.Int8Type, *arrow.Int16Type, *arrow.Uint8Type, *arrow.Uint16Type:
		return physical == parquet.Types.Int32
	}
	return page.FixedWidth(typ, physical) > 0 || page.IsByteArray(typ, physical)
}

func (n numberValues[T]) bytes(row, rows int) int { return rows * len(arrow.GetBytes([]T{0})) }

func (n numberValues[T]) appendTo(out []byte, v *flatValues, row, rows int) []byte {
	values := n[row : row+rows]
	if v.validity == nil {
		return append(out, arrow.GetBytes(values)...)
	}
	width, b := n.bytes(0, 1), arrow.GetBytes(values)
	for i := range values {
		if v.valid(row + i) {
			out = append(out, b[i*width:(i+1)*width]...)
		}
	}
	return out
}

// textValues are the rows of a column of strings or bytes of any length.
type textValues[T int32 | int64] struct {
	offsets []T // of the rows, and the end of the last
	data    []byte
}

var textSeed = maphash.MakeSeed()

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
	// setDictionary puts all rows in a dictionary of at most some entries, if it is smaller than they are.
	setDictionary(v *flatValues, s *encodeBuffers, most int)
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
