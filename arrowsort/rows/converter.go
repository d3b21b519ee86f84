package rows

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/arrowsort/internal/allocators"
	"github.com/arrowsort/arrowsort/arrowsort/internal/keypath"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A Field is a key of rows: a type, and how its values are ordered.
type Field struct {
	// Name is the name of the column in errors and in what Decode returns; it may be empty.
	Name string
	// Type is the type of the column.
	Type arrow.DataType
	// Order and Nulls are those of arrowsort.Key.
	Order arrowsort.Order
	Nulls arrowsort.NullPlacement
}

// A Converter turns key columns into rows of bytes and back. It does not change, and holds no data.
type Converter struct {
	schema  *arrow.Schema // of the data
	leaves  []leaf        // in the order of their bytes
	columns []node        // what Decode returns
	decoded *arrow.Schema // of that
}

// NewConverter returns the converter of data that has one column for each field, in their order, all of them keys. It
// fails with arrowsort.ErrNoKeys, ErrKeyType or ErrOption.
func NewConverter(fields ...Field) (*Converter, error) {
	columns := make([]arrow.Field, len(fields))
	keys := make([]arrowsort.Key, len(fields))
	for i, f := range fields {
		if f.Type != arrow.DataType(arrow.Null) && adapter.IsNil(f.Type) { // Arrow's null type is a nil pointer
			return nil, fmt.Errorf("%w: field %d has no type", arrowsort.ErrOption, i)
		}
		columns[i] = arrow.Field{Name: f.Name, Type: f.Type, Nullable: true}
		keys[i] = arrowsort.Key{At: arrowsort.Column(i), Order: f.Order, Nulls: f.Nulls}
	}
	return ForKeys(arrow.NewSchema(columns, nil), keys)
}

// ForKeys returns the converter of keys in data of a schema; they may be nested fields. As in arrowsort.Sort, a column
// that is a key twice counts once. It fails with arrowsort.ErrNoKeys, ErrColumn, ErrKeyType or ErrOption where Sort
// does.
func ForKeys(schema *arrow.Schema, keys []arrowsort.Key) (*Converter, error) {
	found, err := resolve(schema, keys)
	if err != nil {
		return nil, err
	}
	c := &Converter{schema: schema}
	fields := make([]arrow.Field, len(found))
	for i, key := range found {
		column := c.add(key)
		c.columns = append(c.columns, column)
		fields[i] = arrow.Field{Name: key.Name, Type: column.typ, Nullable: true}
	}
	c.decoded = arrow.NewSchema(fields, nil)
	return c, nil
}

// resolve finds the column of each key and checks that it can be sorted.
func resolve(schema *arrow.Schema, keys []arrowsort.Key) ([]keypath.Column, error) {
	if schema == nil {
		return nil, fmt.Errorf("%w: the schema is nil", arrowsort.ErrOption)
	}
	if len(keys) == 0 {
		return nil, arrowsort.ErrNoKeys
	}
	in := adapter.OfSchema(schema)
	found := make([]keypath.Column, len(keys))
	for i, k := range keys {
		var err error
		if found[i], err = keypath.Find(&in, i, keypath.Of(k.Path, k.At, k.Order, k.Nulls)); err != nil {
			return nil, err
		}
		if _, err := keypath.Expand(nil, found[i]); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// Schema returns the schema of the records of Decode: a column for each key.
func (c *Converter) Schema() *arrow.Schema { return c.decoded }

// A node is a column of the result of Decode, or a field of one: a leaf, or a struct of nodes.
type node struct {
	typ    arrow.DataType
	leaf   int // -1: a struct
	fields []node
}

// add makes the leaves of a key, but for those that there are already.
func (c *Converter) add(column keypath.Column) node {
	s, ok := adapter.StructOf(column.Type)
	if !ok {
		same := func(l leaf) bool { return slices.Equal(l.Path, column.Path) }
		i := slices.IndexFunc(c.leaves, same)
		if i < 0 {
			i = len(c.leaves)
			c.leaves = append(c.leaves, newLeaf(column))
		}
		return node{typ: c.leaves[i].plain, leaf: i}
	}
	n := node{typ: column.Type, leaf: -1, fields: make([]node, len(s.Fields()))}
	fields := slices.Clone(s.Fields())
	for i, f := range fields {
		field := column
		field.Leaf = adapter.Leaf{
			Path: append(slices.Clone(column.Path), i), Name: column.Name + "." + f.Name, Type: f.Type,
		}
		n.fields[i] = c.add(field)
		fields[i].Type = n.fields[i].typ
	}
	if plain := arrow.StructOf(fields...); !arrow.TypeEqual(plain, s) {
		n.typ = plain
	}
	return n
}

// ErrRow is returned when bytes to decode are not rows of the converter. It matches arrow.ErrInvalid.
var ErrRow = fmt.Errorf("arrowsort/rows: malformed row: %w", arrow.ErrInvalid)

// Options are the options of a call. The zero value is right for most callers.
type Options struct {
	// Allocator allocates results and temporary memory; nil is memory.DefaultAllocator. It is called from one
	// goroutine at a time by each call.
	Allocator memory.Allocator
	// Threads is the largest number of threads to use; 0 is GOMAXPROCS.
	Threads int
}

// resolved checks the options and fills in the defaults.
func (o Options) resolved(ctx context.Context) (Options, error) {
	if ctx == nil {
		return o, fmt.Errorf("%w: the context is nil; give context.Background()", arrowsort.ErrOption)
	}
	if o.Threads < 0 {
		return o, fmt.Errorf("%w: Options.Threads is %d; give 0 for GOMAXPROCS", arrowsort.ErrOption, o.Threads)
	}
	o.Allocator = allocators.Unzeroed(o.Allocator)
	return o, nil
}

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

func newLeaf(key keypath.Column) leaf {
	l := leaf{Leaf: key.Leaf, key: keyencode.Key{Order: key.Order, Nulls: key.Nulls}, plain: adapter.Plain(key.Type)}
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
