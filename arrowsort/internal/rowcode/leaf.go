package rowcode

import (
	"encoding/binary"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A format is the encoding of the values of a leaf.
type format uint8

const (
	formatNone    format = iota // no bytes: the null type
	formatBool                  // one byte, of the class and the value
	formatWord                  // class, word: integers
	formatFloat                 // word, with numbers for NaN and null
	formatDecimal               // class, 16 or 32 bytes
	formatBytes                 // class, bytes: fixed-size binary
	formatText                  // class, escaped bytes, terminator
	formatList                  // class, each element after a marker, terminator
	formatTuple                 // class, elements: fixed-size lists
	formatUnion                 // class, type code, value
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
	bytes    int      // in a row; 0 where that varies
	flip     uint64   // the ones that values are inverted with
	mask     uint64   // the same, and the sign bit, of integers
	null     byte     // the class of null
	nullWord uint64   // of floats
	nullCode []byte   // all bytes of a null
	inner    []Format // of lists the elements, of unions the values of each field
	marked   bool     // a list whose elements come after markers
	bare     bool     // a list or union without class and terminator, and without bytes for null
}

func newLeaf(at adapter.Leaf, key keyencode.Key) leaf {
	l := leaf{Leaf: at, key: key, plain: adapter.Plain(at.Type)}
	if at.Derived() {
		l.plain, _ = at.ValueType() // the leaf was checked
	}
	if key.Order == keyencode.Descending {
		l.flip = ^uint64(0)
	}
	l.null = classNullFirst
	if key.Nulls == keyencode.NullsAtEnd {
		l.null = classNullLast
	}
	if fields, nested := adapter.NestedFields(l.plain); nested {
		l.nest(fields)
		return l
	}
	l.kind, l.width = adapter.Layout(l.plain)
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

// nest makes a leaf of lists or unions. Their elements have its order and null placement.
func (l *leaf) nest(fields []arrow.Field) {
	l.nullCode = []byte{l.null}
	l.format = nestedFormat(l.plain)
	l.marked = l.format == formatList
	l.inner = make([]Format, len(fields))
	types := make([]arrow.DataType, len(fields))
	for i, f := range fields {
		at := adapter.Leaf{Name: l.Name + "." + f.Name, Type: f.Type}
		types[i] = l.inner[i].Add(at, l.key)
	}
	l.plain = adapter.WithFields(l.plain, types)
	if _, ok := arraydata.Storage(l.plain).(*arrow.MapType); ok {
		entry := &l.inner[0].columns[0]
		entry.required, entry.fields[0].required = true, true
	}
}

// varies reports whether rows have different numbers of bytes.
func (l *leaf) varies() bool { return l.format >= formatText }

// nested reports whether the values hold elements.
func (l *leaf) nested() bool { return l.format > formatText }

// A Format is the bytes of keys: their leaves, and the columns that these make up.
type Format struct {
	leaves  []leaf // in the order of their bytes
	columns []node // what Decode returns
}

// A node is a column of the result of Decode, or a field of one: a leaf, or a struct of nodes.
type node struct {
	typ    arrow.DataType
	leaf   int // -1: a struct
	fields []node

	required bool // never null: the entries of maps and their keys
}

// Add adds a key, whose type has an order, and returns the type that Decode returns it in. A leaf that is a key already
// has no further bytes. The leaf is a column of the data, or what an element is, which has no path.
func (f *Format) Add(column adapter.Leaf, key keyencode.Key) arrow.DataType {
	n := f.add(column, key)
	f.columns = append(f.columns, n)
	return n.typ
}

// add makes the leaves of a key, but for those that there are already.
func (f *Format) add(column adapter.Leaf, key keyencode.Key) node {
	s, ok := adapter.StructOf(column.Type)
	if !ok {
		i := slices.IndexFunc(f.leaves, func(l leaf) bool { return l.Same(column) })
		if i < 0 {
			i = len(f.leaves)
			f.leaves = append(f.leaves, newLeaf(column, key))
		}
		return node{typ: f.leaves[i].plain, leaf: i}
	}
	n := node{typ: column.Type, leaf: -1, fields: make([]node, len(s.Fields()))}
	fields := slices.Clone(s.Fields())
	for i, field := range fields {
		n.fields[i] = f.add(column.Field(i, field), key)
		fields[i].Type = n.fields[i].typ
	}
	if plain := arrow.StructOf(fields...); !arrow.TypeEqual(plain, s) {
		n.typ = plain
	}
	return n
}

// Leaves returns where the leaves are in the data.
func (f *Format) Leaves() []adapter.Leaf {
	leaves := make([]adapter.Leaf, len(f.leaves))
	for i := range f.leaves {
		leaves[i] = f.leaves[i].Leaf
	}
	return leaves
}

// bytes returns the bytes that each row takes; varies is true where that is only their least number.
func (f *Format) bytes() (n int, varies bool) {
	for i := range f.leaves {
		n += f.leaves[i].bytes
		varies = varies || f.leaves[i].varies()
	}
	return n, varies
}

// mayBeEmpty reports whether a row may have no bytes. Where none is empty, rows one after another compare as the list
// of them does: no row begins another one.
func (f *Format) mayBeEmpty() bool {
	n, varies := f.bytes()
	return n == 0 && !varies
}

// nullCode returns the bytes of a row whose keys are all null.
func (f *Format) nullCode() (code []byte) {
	for i := range f.leaves {
		code = append(code, f.leaves[i].nullCode...)
	}
	return code
}
