package rows

import (
	"bytes"
	"context"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/arrowsort/internal/allocators"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/keypath"
	"github.com/arrowsort/arrowsort/arrowsort/internal/rowcode"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A Field is a key of rows: a type, and how its values are ordered.
type Field struct {
	// Name is the name of the column in errors and in what Decode returns; it may be empty.
	Name string
	// Type is the type of the column.
	Type arrow.DataType
	// Order, Nulls, Function and Collation are those of arrowsort.Key. Rows of a function, and of text with a
	// collation, cannot be decoded.
	Order     arrowsort.Order
	Nulls     arrowsort.NullPlacement
	Function  arrowsort.Function
	Collation arrowsort.Collation
}

// A Converter turns key columns into rows of bytes and back. It does not change, and holds no data.
type Converter struct {
	schema  *arrow.Schema // of the data
	format  rowcode.Format
	leaves  []adapter.Leaf
	decoded *arrow.Schema // of what Decode returns
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
		keys[i] = arrowsort.Key{At: arrowsort.Column(i), Order: f.Order, Nulls: f.Nulls,
			Function: f.Function, Collation: f.Collation}
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
		plain := c.format.Add(key.Leaf, keyencode.Key{Order: key.Order, Nulls: key.Nulls})
		fields[i] = arrow.Field{Name: key.Name, Type: plain, Nullable: true}
	}
	c.leaves = c.format.Leaves()
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
		err := keypath.WithoutRandom("rows", k.Function)
		if err == nil {
			key := keypath.Of(k.Path, k.At, k.Order, k.Nulls, k.Function, k.Collation)
			found[i], err = keypath.Find(&in, i, key)
		}
		if err != nil {
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

// ErrRow is returned when bytes to decode are not rows of the converter. It matches arrow.ErrInvalid.
var ErrRow = rowcode.ErrRow

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

// Encode returns the rows of the keys of a record, a table, an array or a chunked array, which must have the columns
// that the converter was made for. Columns that are no keys may be anything. The caller releases the rows.
//
// It fails with arrowsort.ErrColumn or ErrOption when a column is missing or has another type, with arrow.ErrInvalid
// when the buffers of an array contradict each other, with an error that matches engine.ErrMemory, or with the
// context's, as a rule within 50 ms of its end.
func (c *Converter) Encode(ctx context.Context, data arrowsort.Data, opts Options) (*Rows, error) {
	opts, err := opts.resolved(ctx)
	if err != nil {
		return nil, err
	}
	in, err := c.input(data)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	encoded, err := c.format.Encode(ctx, &in, rowcode.Options(opts))
	if err != nil {
		return nil, err
	}
	return &Rows{*encoded}, nil
}

// AppendRow appends the bytes of one row to dst and returns the longer slice. The data and the errors are as those of
// Encode; a row that is not in the data is arrowsort.ErrIndex. Temporary memory comes from Go. For many rows use
// Encode: each call of AppendRow prepares all key columns.
func (c *Converter) AppendRow(dst []byte, data arrowsort.Data, row int) ([]byte, error) {
	in, err := c.input(data)
	if err != nil {
		return dst, err
	}
	if row < 0 || row >= in.Rows {
		return dst, fmt.Errorf("%w: row %d of %d", arrowsort.ErrIndex, row, in.Rows)
	}
	one, held, err := c.rowOf(&in, row)
	defer func() { adapter.ReleaseAll([][]arrow.Array{held}) }()
	if err != nil {
		return dst, err
	}
	return c.format.AppendRow(dst, &one)
}

// Decode returns the keys of rows: a record of the schema Schema, one column for each key, structs as structs. The
// caller releases it.
//
// It fails with arrowsort.ErrOption when a key has a function or a collation, as rows have the place in the order only;
// with ErrRow when a row is not what Encode of this converter makes, whatever its bytes are; with
// arrowsort.ErrOffsets when the strings or the elements of a column are 2^31 or more and its type has 32-bit offsets or
// views; with an error that matches engine.ErrMemory; or with the context's, as a rule within 50 ms of its end.
func (c *Converter) Decode(ctx context.Context, rows *Rows, opts Options) (arrow.Record, error) {
	opts, err := opts.resolved(ctx)
	if err != nil {
		return nil, err
	}
	if rows == nil {
		return nil, fmt.Errorf("%w: the rows to decode are nil", arrowsort.ErrOption)
	}
	for _, leaf := range c.leaves {
		if leaf.Function != "" {
			return nil, fmt.Errorf("%w: rows with key %s do not hold its column; encode it without a function",
				arrowsort.ErrOption, leaf.Name)
		}
		if leaf.Collation != arrowsort.Bytes {
			return nil, fmt.Errorf("%w: rows with key %s do not hold its text but its place in the order %s; "+
				"encode it without a collation", arrowsort.ErrOption, leaf.Name, leaf.Collation)
		}
	}
	data, err := c.format.Decode(ctx, &rows.encoded, rowcode.Options(opts))
	if err != nil {
		return nil, err
	}
	defer arraydata.Release(data)
	columns := make([]arrow.Array, len(data))
	for i, d := range data {
		columns[i] = array.MakeFromData(d)
		defer columns[i].Release()
	}
	return array.NewRecord(c.decoded, columns, int64(rows.Len())), nil
}

// Rows are rows of bytes in one buffer: row i lies from offset i up to offset i+1. They cost 8 bytes per row besides
// the rows themselves. They are not changed.
type Rows struct{ encoded rowcode.Rows }

// NewRows borrows rows that came from elsewhere: n+1 offsets of n rows in data, the first of which need not be 0. It
// fails with arrowsort.ErrOption when there is no offset, and when offsets fall or leave the data.
func NewRows(data []byte, offsets []int64) (*Rows, error) {
	if len(offsets) == 0 {
		return nil, fmt.Errorf("%w: no offsets of rows; give one more than there are rows", arrowsort.ErrOption)
	}
	last := int64(0)
	for i, o := range offsets {
		if o < last || o > int64(len(data)) {
			return nil, fmt.Errorf("%w: offset %d of rows is %d, after %d, in %d bytes",
				arrowsort.ErrOption, i, o, last, len(data))
		}
		last = o
	}
	return &Rows{rowcode.Rows{Data: data, Offsets: offsets}}, nil
}

// Len returns the number of rows.
func (r *Rows) Len() int { return r.encoded.Len() }

// Row returns the bytes of row i, which are borrowed: valid until Release, and not to be written.
func (r *Rows) Row(i int) []byte { return r.encoded.Row(i) }

// Compare compares rows i and j: -1, 0 or +1, as bytes.Compare.
func (r *Rows) Compare(i, j int) int { return bytes.Compare(r.Row(i), r.Row(j)) }

// Bytes returns all rows, one after the other, borrowed.
func (r *Rows) Bytes() []byte { return r.encoded.Data }

// Offsets returns the offsets of the rows in Bytes and the end of the last one, borrowed.
func (r *Rows) Offsets() []int64 { return r.encoded.Offsets }

// Release gives the memory of encoded rows back to the allocator. The rows must not be used any more; a second Release
// does nothing.
func (r *Rows) Release() { r.encoded.Release() }
