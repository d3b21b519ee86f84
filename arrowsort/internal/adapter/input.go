package adapter

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/keyfunction"
	"github.com/arrowsort/arrowsort/arrowsort/internal/textorder"
)

// A Shape is a kind of data.
type Shape uint8

// The shapes.
const (
	Record Shape = iota
	Table
	Array
	Chunked
)

// An Input is a record, a table, an array or a chunked array, as columns. It borrows the arrays.
type Input struct {
	Shape   Shape
	Schema  *arrow.Schema // of a record or a table
	Rows    int
	Columns []Column

	few   [4]Column      // storage of few columns
	chunk [1]arrow.Array // of an array
}

// Open borrows data as columns. Data that is nil, or of another type, is an ErrOption.
func (in *Input) Open(data any) (err error) {
	if data != nil && IsNil(data) {
		return fmt.Errorf("%w: data of type %T is nil", errkind.ErrOption, data)
	}
	defer func() {
		if p := recover(); p != nil { // a type of data that is foreign to Arrow
			err = fmt.Errorf("%w: data of type %T cannot be read: %v", errkind.ErrOption, data, p)
		}
	}()
	switch x := data.(type) {
	case arrow.Record:
		in.Shape, in.Schema, in.Rows = Record, x.Schema(), int(x.NumRows())
		in.Columns = in.columns(int(x.NumCols()))
		arrays := x.Columns()
		for i, a := range arrays {
			in.Columns[i] = Column{Name: x.ColumnName(i), Type: a.DataType(), Chunks: arrays[i : i+1]}
		}
	case arrow.Table:
		in.Shape, in.Schema, in.Rows = Table, x.Schema(), int(x.NumRows())
		in.Columns = in.columns(int(x.NumCols()))
		for i := range in.Columns {
			c := x.Column(i)
			in.Columns[i] = Column{Name: c.Name(), Type: c.DataType(), Chunks: c.Data().Chunks()}
		}
	case *arrow.Chunked:
		in.Shape, in.Rows = Chunked, x.Len()
		in.Columns = in.columns(1)
		in.Columns[0] = Column{Type: x.DataType(), Chunks: x.Chunks()}
	case arrow.Array:
		in.Shape, in.Rows = Array, x.Len()
		in.chunk[0] = x
		in.Columns = in.columns(1)
		in.Columns[0] = Column{Type: x.DataType(), Chunks: in.chunk[:]}
	default:
		return fmt.Errorf("%w: data of type %T is not an arrow.Record, arrow.Table, arrow.Array or *arrow.Chunked",
			errkind.ErrOption, data)
	}
	return nil
}

func (in *Input) columns(n int) []Column {
	if n <= len(in.few) {
		return in.few[:n]
	}
	return make([]Column, n)
}

// OfSchema returns a record of a schema without rows.
func OfSchema(schema *arrow.Schema) Input {
	in := Input{Schema: schema, Columns: make([]Column, schema.NumFields())}
	for i := range in.Columns {
		f := schema.Field(i)
		in.Columns[i] = Column{Name: f.Name, Type: f.Type}
	}
	return in
}

// HasNames reports whether the columns have names: those of a record and a table do.
func (in *Input) HasNames() bool { return in.Shape == Record || in.Shape == Table }

// A Column is a column of an input. Its chunks may hold more rows than the input, which Arrow allows; the rest is not
// read.
type Column struct {
	Name   string
	Type   arrow.DataType
	Chunks []arrow.Array
}

// Label returns the name of a column in errors and plans: its own, or its position when it has none.
func (in *Input) Label(column int) string {
	if name := in.Columns[column].Name; name != "" {
		return name
	}
	return "#" + strconv.Itoa(column)
}

// A Leaf is a column that is a sort key by itself: a column of the input, or a field within its structs.
type Leaf struct {
	Path      []int // the column's position in the input, then the position of each field below it
	Name      string
	Type      arrow.DataType
	Function  keyfunction.Function // of its values; resolved. A random one has no path, and the type of its values
	Collation textorder.Collation  // of text; resolved
}

// A derivation is what turns the values of a column into those of its key: a function, then an order of text.
type derivation struct {
	Function  keyfunction.Function
	Collation textorder.Collation
}

// Derived reports whether a key has other values than its column: those of a function or a collation.
func (l Leaf) Derived() bool { return l.derivation() != derivation{} }

func (l Leaf) derivation() derivation { return derivation{l.Function, l.Collation} }

// ValueType returns the type of the values of a key: of its column, or those that a function or a collation makes of
// them. It fails where the column has a type that they do not take.
func (l Leaf) ValueType() (arrow.DataType, error) {
	if l.Function.IsRandom() || !l.Derived() {
		return l.Type, nil
	}
	typ, err := keyfunction.Result(l.Function, Plain(l.Type))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: key %s: the column has type %s, and %w; cast it, or leave the function out",
			errkind.ErrOption, l.Name, l.Type, err)
	case l.Collation == textorder.Bytes || l.Function != keyfunction.None && typ.ID() == arrow.NULL:
		return typ, nil
	case l.Function != keyfunction.None && l.Function != keyfunction.Lower:
		return nil, fmt.Errorf("%w: key %s is no text, which the collation %s orders; leave it out",
			errkind.ErrOption, l.Name, l.Collation)
	case !IsText(typ):
		return nil, fmt.Errorf("%w: key %s has type %s, and the collation %s orders text; leave it out",
			errkind.ErrOption, l.Name, l.Type, l.Collation)
	}
	return arrow.BinaryTypes.StringView, nil
}

// Same reports whether two leaves of an input are the same key, apart from direction and null placement.
func (l Leaf) Same(other Leaf) bool {
	return slices.Equal(l.Path, other.Path) && l.derivation() == other.derivation()
}

// Field returns a field of the structs of a leaf.
func (l Leaf) Field(i int, f arrow.Field) Leaf {
	l.Path, l.Name, l.Type = append(slices.Clone(l.Path), i), l.Name+"."+f.Name, f.Type
	return l
}

// Slice returns rows from..to-1 of an array, see arraydata.Slice. It fails for a malformed array.
func Slice(a arrow.Array, from, to int64) (slice arrow.Array, err error) {
	defer arraydata.Guard(&err)
	return arraydata.Slice(a, from, to), nil
}

// SliceRecord is Slice for all columns of a record.
func SliceRecord(rec arrow.Record, from, to int64) (slice arrow.Record, err error) {
	defer arraydata.Guard(&err)
	columns := make([]arrow.Array, 0, rec.NumCols())
	defer func() { ReleaseAll([][]arrow.Array{columns}) }()
	for _, a := range rec.Columns() {
		columns = append(columns, arraydata.Slice(a, from, to))
	}
	return array.NewRecord(rec.Schema(), columns, to-from), nil
}

// ReleaseAll releases the arrays of all columns.
func ReleaseAll(columns [][]arrow.Array) {
	for _, chunks := range columns {
		arraydata.Release(chunks)
	}
}

// IsNil reports whether x is nil, or an interface that holds a nil pointer.
func IsNil(x any) bool {
	v := reflect.ValueOf(x)
	return x == nil || v.Kind() == reflect.Pointer && v.IsNil()
}

// Repeated returns two positions of one and the same value, if there is one; ok is false if not.
func Repeated[T any](values []T) (first, second int, ok bool) {
	seen := map[any]int{}
	for i, v := range values {
		if !reflect.ValueOf(v).Comparable() {
			continue
		}
		if at, again := seen[v]; again {
			return at, i, true
		}
		seen[v] = i
	}
	return 0, 0, false
}
