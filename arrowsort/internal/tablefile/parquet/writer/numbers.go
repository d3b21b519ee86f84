package writer

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
)

// numeric is a type that Parquet stores as it lies in memory.
type numeric interface {
	int32 | uint32 | int64 | uint64 | float32 | float64
}

// numberValues are the rows of a column of numbers; anything for a null.
type numberValues[T numeric] []T

// storesNumbers says whether a type is stored in Parquet as its value, or one of less than 32 bits as that of 32.
func storesNumbers(typ arrow.DataType, physical parquet.Type) bool {
	switch t := typ.(type) {
	case *arrow.TimestampType:
		return physical == parquet.Types.Int64 && t.Unit != arrow.Second
	case *arrow.Time32Type:
		return physical == parquet.Types.Int32 && t.Unit != arrow.Second
	case *arrow.Int8Type, *arrow.Int16Type, *arrow.Uint8Type, *arrow.Uint16Type:
		return physical == parquet.Types.Int32
	case *arrow.DictionaryType:
		return false
	}
	return page.StoredWidth(typ, physical) > 0
}

// setNumbers takes numbers, as a dictionary if they may and it is worth it.
func (v *flatValues) setNumbers(a arrow.Array, useDictionary bool, s *Scratch) {
	b, d := a.Data().Buffers()[1].Bytes(), a.Data()
	switch a.DataType().ID() {
	case arrow.INT8:
		s.wide = widen(s.wide, arrow.GetValues[int8](d, 1))
	case arrow.INT16:
		s.wide = widen(s.wide, arrow.GetValues[int16](d, 1))
	case arrow.UINT8:
		s.wide = widen(s.wide, arrow.GetValues[uint8](d, 1))
	case arrow.UINT16:
		s.wide = widen(s.wide, arrow.GetValues[uint16](d, 1))
	case arrow.UINT32:
		setNumbers[uint32, int32](v, b, useDictionary, s)
		return
	case arrow.UINT64:
		setNumbers[uint64, int64](v, b, useDictionary, s)
		return
	case arrow.FLOAT32:
		setNumbers[float32, int32](v, b, useDictionary, s)
		return
	case arrow.FLOAT64:
		setNumbers[float64, int64](v, b, useDictionary, s)
		return
	case arrow.INT32, arrow.DATE32, arrow.TIME32:
		setNumbers[int32, int32](v, b, useDictionary, s)
		return
	default:
		setNumbers[int64, int64](v, b, useDictionary, s)
		return
	}
	takeNumbers[int32, int32](v, arrow.GetBytes(s.wide), useDictionary, s)
}

// widen makes values of 32 bits.
func widen[T int8 | int16 | uint8 | uint16](wide []int32, values []T) []int32 {
	wide = wide[:0]
	for _, x := range values {
		wide = append(wide, int32(x))
	}
	return wide
}

// setNumbers takes the values of a buffer, which are T and, for a dictionary, told apart by their bits.
func setNumbers[T numeric, Bits int32 | int64](v *flatValues, b []byte, useDictionary bool, s *Scratch) {
	width := len(arrow.GetBytes([]T{0}))
	takeNumbers[T, Bits](v, b[v.offset*width:][:v.rows*width], useDictionary, s)
}

func takeNumbers[T numeric, Bits int32 | int64](v *flatValues, b []byte, useDictionary bool, s *Scratch) {
	v.plain = numberValues[T](arrow.GetData[T](b))
	if !useDictionary {
		return
	}
	rows := arrow.GetData[Bits](b)
	if s.stretch.allDiffer(v, func(row int) uint64 { return hash(int64(rows[row])) }) {
		return
	}
	s.indices = slices.Grow(s.indices[:0], v.rows)[:v.rows]
	entries := enumerate(&s.integers, rows, v, s.indices, mostNumbers(v.rows, v.plain.bytes(0, 1)))
	if entries == nil {
		return
	}
	v.indices, v.count, s.entries = s.indices, len(entries), s.entries[:0]
	for _, x := range entries {
		one := [1]Bits{Bits(x)}
		s.entries = append(s.entries, arrow.GetBytes(one[:])...)
	}
	v.entries = s.entries
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

// bounds are the least and the greatest of rows, of which some are there; none with a NaN, which some readers take for
// the greatest value and others for none. Of the zeros the one is the least, the other the greatest, as Parquet wants.
func (n numberValues[T]) bounds(v *flatValues, row, rows, present int) (low, high []byte) {
	var least, greatest T
	ok := false
	values := n[row : row+rows]
	if present == rows {
		least, greatest, ok = extremes(values)
	} else {
		for i, x := range values {
			if !v.valid(row + i) {
				continue
			}
			if x != x {
				return nil, nil
			}
			if !ok {
				least, greatest, ok = x, x, true
			}
			least, greatest = min(least, x), max(greatest, x)
		}
	}
	if !ok {
		return nil, nil
	}
	return lowest(least), highest(greatest)
}

// extremes are the least and the greatest value, if there are values and none is NaN.
func extremes[T cmp.Ordered](values []T) (least, greatest T, ok bool) {
	if len(values) == 0 {
		return least, greatest, false
	}
	least, greatest = values[0], values[0]
	for _, x := range values {
		if x != x {
			return least, greatest, false
		}
		if x < least {
			least = x
		}
		if x > greatest {
			greatest = x
		}
	}
	return least, greatest, true
}

// lowest is a least value as bytes.
func lowest[T numeric](x T) []byte {
	switch f := any(x).(type) {
	case float64:
		if f == 0 {
			return binary.LittleEndian.AppendUint64(nil, math.Float64bits(math.Copysign(0, -1)))
		}
	case float32:
		if f == 0 {
			return binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(math.Copysign(0, -1))))
		}
	}
	return slices.Clone(arrow.GetBytes([]T{x}))
}

// highest is a greatest value as bytes.
func highest[T numeric](x T) []byte {
	if x == 0 {
		x = 0 // not the negative one
	}
	return slices.Clone(arrow.GetBytes([]T{x}))
}
