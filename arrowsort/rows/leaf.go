package rows

import (
	"encoding/binary"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A format is how the values of a leaf become bytes.
type format uint8

const (
	formatNone    format = iota // no bytes: the null type
	formatBool                  // one byte, of the class and the value
	formatWord                  // class, word: integers
	formatFloat                 // word, with numbers for NaN and null
	formatDecimal               // class, 16 or 32 bytes
	formatBytes                 // class, bytes: fixed-size binary
	formatText                  // class, escaped bytes, terminator
)

// The class byte, which comes before what Descending inverts.
const (
	classNullFirst = 0x00
	classValue     = 0x01 // booleans: false; true is one more
	classNullLast  = 0xff
)

// A leaf is a key without structs: where it is in the data, and its format.
type leaf struct {
	adapter.Leaf
	key      keyencode.Key // the order and null placement
	plain    arrow.DataType
	kind     keyencode.Kind
	width    int // bytes of a value in memory
	format   format
	bytes    int    // in a row; 0 for text
	flip     uint64 // the ones that values are inverted with
	mask     uint64 // the same, and the sign bit, of integers
	null     byte   // the class of null
	nullWord uint64 // of floats
	nullCode []byte // all bytes of a null
}

func newLeaf(column adapter.Leaf, key arrowsort.KeyColumn) leaf {
	l := leaf{Leaf: column, key: keyencode.Key{Order: key.Order, Nulls: key.Nulls}, plain: adapter.Plain(column.Type)}
	l.kind, l.width = adapter.Layout(l.plain)
	if key.Order == arrowsort.Descending {
		l.flip = ^uint64(0)
	}
	l.null = classNullFirst
	if key.Nulls == arrowsort.NullsAtEnd {
		l.null = classNullLast
	}
	l.format = formatOf(l.kind)
	switch l.format {
	case formatNone:
		return l
	case formatBool, formatText:
		l.nullCode = []byte{l.null}
	case formatFloat:
		l.nullWord = keyencode.NullWord(l.kind, l.key)
		word := binary.BigEndian.AppendUint64(nil, l.nullWord)
		l.nullCode = word[8-l.width:]
	default:
		l.nullCode = make([]byte, 1+l.width)
		l.nullCode[0] = l.null
	}
	l.mask = l.flip
	switch l.kind {
	case keyencode.Int8, keyencode.Int16, keyencode.Int32, keyencode.Int64:
		l.mask ^= 1 << (8*l.width - 1)
	}
	if l.format != formatText {
		l.bytes = len(l.nullCode)
	}
	return l
}

func formatOf(kind keyencode.Kind) format {
	switch kind {
	case keyencode.Null:
		return formatNone
	case keyencode.Bool:
		return formatBool
	case keyencode.Float16, keyencode.Float32, keyencode.Float64:
		return formatFloat
	case keyencode.Decimal128, keyencode.Decimal256:
		return formatDecimal
	case keyencode.FixedSizeBinary:
		return formatBytes
	case keyencode.Binary, keyencode.LargeBinary, keyencode.BinaryView:
		return formatText
	}
	return formatWord
}
