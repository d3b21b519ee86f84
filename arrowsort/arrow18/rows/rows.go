// Package rows turns the key columns of data of Arrow Go v18 into rows of bytes that compare as the keys do, and back:
// package arrowsort/rows for data of v18. The bytes are the same, so rows of both versions of Arrow compare with each
// other; docs/rows.md describes them.
//
// Functions are safe for concurrent calls; so are Converter and Rows.
package rows

import (
	"context"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	v15 "github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/arrow18/internal/bridge"
	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	convert "github.com/arrowsort/arrowsort/arrowsort/internal/arrow18"
	"github.com/arrowsort/arrowsort/arrowsort/rows"
)

// A Field is a key column of NewConverter.
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

// Options are the options of Encode and Decode: those of arrowsort/rows. Allocator takes allocators of v18, too, since
// they have the same methods; nil is memory.DefaultAllocator of v18.
type Options = rows.Options

// coreOptions returns the options for arrowsort/rows.
func coreOptions(opts Options) rows.Options {
	opts.Allocator = bridge.Allocator(opts.Allocator)
	return opts
}

// Rows are rows of bytes in one buffer, those of arrowsort/rows.
type Rows = rows.Rows

// ErrRow is returned by Decode for bytes that are not those of a row. It matches arrow.ErrInvalid of both versions as
// an error of Decode.
var ErrRow = rows.ErrRow

// NewRows borrows rows that came from elsewhere: n+1 offsets of n rows in data. It is that of arrowsort/rows.
func NewRows(data []byte, offsets []int64) (*Rows, error) {
	r, err := rows.NewRows(data, offsets)
	return r, bridge.Translate(err)
}

// A Converter encodes and decodes rows of some key columns. It is not changed.
type Converter struct {
	core   *rows.Converter
	schema *arrow.Schema
}

// NewConverter returns a converter of data whose first columns are the fields, which are the keys, the most significant
// first. An array or chunked array has one.
func NewConverter(fields ...Field) (*Converter, error) {
	columns := make([]rows.Field, len(fields))
	for i, f := range fields {
		columns[i] = rows.Field{Name: f.Name, Order: f.Order, Nulls: f.Nulls, Function: f.Function,
			Collation: f.Collation}
		if f.Type != arrow.DataType(arrow.Null) && adapter.IsNil(f.Type) { // Arrow's null type is a nil pointer
			return nil, bridge.Translate(fmt.Errorf("%w: field %d has no type", arrowsort.ErrOption, i))
		}
		typ, err := bridge.Layout(bridge.Label(f.Name, i), f.Type)
		if err != nil {
			return nil, bridge.Translate(err)
		}
		columns[i].Type = typ
	}
	return converter(rows.NewConverter(columns...))
}

// ForKeys returns a converter of the keys of data with a schema. Columns that are no keys may have any type.
func ForKeys(schema *arrow.Schema, keys []arrowsort.Key) (*Converter, error) {
	if schema == nil {
		return converter(rows.ForKeys(nil, keys))
	}
	core, err := bridge.Schema(schema)
	if err != nil {
		return nil, bridge.Translate(err)
	}
	return converter(rows.ForKeys(core, keys))
}

func converter(core *rows.Converter, err error) (*Converter, error) {
	if err != nil {
		return nil, bridge.Translate(err)
	}
	return &Converter{core: core, schema: convert.ToSchema(core.Schema())}, nil
}

// Schema returns the schema of what Decode returns: the columns of the keys, with values in place of dictionaries and
// runs, and without metadata.
func (c *Converter) Schema() *arrow.Schema { return c.schema }

// Encode returns the rows of the keys of a record, a table, an array or a chunked array, which must have the columns
// that the converter was made for. The caller releases the rows. The errors are those of arrowsort/rows.
func (c *Converter) Encode(ctx context.Context, data arrowsort.Data, opts Options) (*Rows, error) {
	core, err := bridge.Borrow(data, nil)
	if err != nil {
		return nil, bridge.Translate(err)
	}
	defer core.Release()
	encoded, err := c.core.Encode(ctx, core, coreOptions(opts))
	return encoded, bridge.Translate(err)
}

// AppendRow appends the bytes of one row to dst and returns the longer slice. The data and the errors are as those of
// Encode; a row that is not in the data is arrowsort.ErrIndex. For many rows use Encode.
func (c *Converter) AppendRow(dst []byte, data arrowsort.Data, row int) ([]byte, error) {
	core, err := bridge.Borrow(data, nil)
	if err != nil {
		return dst, bridge.Translate(err)
	}
	defer core.Release()
	dst, err = c.core.AppendRow(dst, core, row)
	return dst, bridge.Translate(err)
}

// Decode returns the key columns of rows, which the caller releases: the values that went in, but -0.0 as +0.0, NaN as
// the canonical quiet NaN, and a struct whose fields are all null, or that has none, as a null struct. Bytes that are
// not those of a row are ErrRow.
func (c *Converter) Decode(ctx context.Context, encoded *Rows, opts Options) (arrow.RecordBatch, error) {
	core, err := c.core.Decode(ctx, encoded, coreOptions(opts))
	if err != nil {
		return nil, bridge.Translate(err)
	}
	defer core.Release()
	return toRecord(core, c.schema), nil
}

// toRecord returns a record of the core with the types of the schema, and the same memory.
func toRecord(core v15.Record, schema *arrow.Schema) arrow.RecordBatch {
	columns := make([]arrow.Array, core.NumCols())
	for i, c := range core.Columns() {
		columns[i] = convert.ToArray(c, schema.Field(i).Type)
		defer columns[i].Release()
	}
	return array.NewRecordBatch(schema, columns, core.NumRows())
}
