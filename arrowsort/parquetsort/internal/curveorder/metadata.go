package curveorder

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/arrowsort/internal/curve"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/flagtext"
	"github.com/arrowsort/arrowsort/arrowsort/internal/keypath"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/dataset"
	"github.com/arrowsort/arrowsort/arrowsort/rows"
)

// The grid in the metadata of a file is, compressed by DEFLATE (RFC 1951), where numbers are those of
// encoding/binary.AppendUvarint:
//
//	rows of the sample
//	for each key:  number of cells
//	               for each cell: its rows of the sample
//	               for each cell but the first: length, bytes of its border as a row of package rows
//
// It takes some 2 KiB for a key of numbers, and at most 1,024 times 64 bytes for one of text.

// Metadata returns the order for the metadata of an output of some rows; nil when a key is not among the columns that
// are written.
func (o *Order) Metadata(ctx context.Context, p dataset.Projection) (*tablefile.CurveOrder, error) {
	written := make([]arrowsort.Key, len(p.Keys))
	for i, key := range p.Keys {
		var ok bool
		if written[i], ok = p.WrittenKey(key); !ok {
			return nil, nil
		}
	}
	in := adapter.OfSchema(p.WrittenSchema())
	axes, err := curve.Find(&in, pathsOf(written))
	if err != nil {
		return nil, err
	}
	data := binary.AppendUvarint(nil, uint64(o.grid.Rows))
	for i, columns := range axes {
		if data, err = appendAxis(ctx, data, columns, &o.grid.Axes[i]); err != nil {
			return nil, err
		}
	}
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return &tablefile.CurveOrder{Curve: o.Curve.String(), Keys: flagtext.KeyTexts(written), Grid: packed.Bytes()}, nil
}

// appendAxis appends the cells of a key.
func appendAxis(ctx context.Context, data []byte, columns []keypath.Column, a *curve.Axis) ([]byte, error) {
	data = binary.AppendUvarint(data, uint64(len(a.Ends)))
	start := uint32(0)
	for _, end := range a.Ends {
		data = binary.AppendUvarint(data, uint64(end-start))
		start = end
	}
	columns = slices.Clone(columns)
	borders := make([]arrow.Array, len(a.Borders))
	for i, border := range a.Borders { // large text of a file may be text in memory
		borders[i] = stored(border)
		columns[i].Type = borders[i].DataType()
	}
	converter, schema, err := converterOf(columns)
	if err != nil {
		return nil, err
	}
	record := array.NewRecord(schema, borders, int64(borders[0].Len()))
	defer record.Release()
	encoded, err := converter.Encode(ctx, record, rows.Options{Allocator: memory.NewGoAllocator(), Threads: 1})
	if err != nil {
		return nil, err
	}
	for i := range encoded.Len() {
		data = binary.AppendUvarint(data, uint64(len(encoded.Row(i))))
		data = append(data, encoded.Row(i)...)
	}
	return data, nil
}

// stored returns borders with the type that Parquet stores: it has no seconds, and dates are days. Values that the type
// cannot hold are an error of the writer.
func stored(border arrow.Array) arrow.Array {
	mem := memory.NewGoAllocator()
	switch a := border.(type) {
	case *array.Date64:
		days := array.NewDate32Builder(mem)
		return built(days, a, func(i int) { days.Append(arrow.Date32(a.Value(i) / (24 * 60 * 60 * 1000))) })
	case *array.Time32:
		if a.DataType().(*arrow.Time32Type).Unit == arrow.Second {
			ms := array.NewTime32Builder(mem, &arrow.Time32Type{Unit: arrow.Millisecond})
			return built(ms, a, func(i int) { ms.Append(a.Value(i) * 1000) })
		}
	case *array.Timestamp:
		if typ := a.DataType().(*arrow.TimestampType); typ.Unit == arrow.Second {
			ms := array.NewTimestampBuilder(mem, &arrow.TimestampType{Unit: arrow.Millisecond, TimeZone: typ.TimeZone})
			return built(ms, a, func(i int) { ms.Append(a.Value(i) * 1000) })
		}
	}
	return border
}

// built returns an array with the nulls of another, whose values add appends.
func built(b array.Builder, nulls arrow.Array, add func(i int)) arrow.Array {
	for i := range nulls.Len() {
		if nulls.IsNull(i) {
			b.AppendNull()
		} else {
			add(i)
		}
	}
	return b.NewArray()
}

// converterOf returns the converter of the borders of a key, which are a record of a schema.
func converterOf(columns []keypath.Column) (*rows.Converter, *arrow.Schema, error) {
	fields, keys := make([]arrow.Field, len(columns)), make([]rows.Field, len(columns))
	for i, c := range columns {
		typ := curve.BorderType(c.Type)
		fields[i] = arrow.Field{Type: typ, Nullable: true}
		keys[i] = rows.Field{Name: c.Name, Type: typ, Order: c.Order, Nulls: c.Nulls}
	}
	converter, err := rows.NewConverter(keys...)
	return converter, arrow.NewSchema(fields, nil), err
}

// Declared returns the order along a curve that the metadata of a file with a schema name, and its keys.
func Declared(ctx context.Context, named *tablefile.CurveOrder, schema *arrow.Schema) (*Order, []arrowsort.Key, error) {
	o := &Order{}
	for _, c := range []arrowsort.Curve{arrowsort.Hilbert, arrowsort.ZOrder} {
		if c.String() == named.Curve {
			o.Curve = c
		}
	}
	if o.Curve == 0 {
		return nil, nil, errkind.Unsupported("the metadata name the curve %q, which", named.Curve)
	}
	keys := make([]arrowsort.Key, len(named.Keys))
	for i, text := range named.Keys {
		var err error
		if keys[i], err = flagtext.KeyIn(text, schema); err != nil {
			return nil, nil, errkind.Corrupt("the metadata of the curve: %v", err)
		}
	}
	in := adapter.OfSchema(schema)
	axes, err := curve.Find(&in, pathsOf(keys))
	if err == nil {
		err = curve.CheckKeys(o.Curve, len(keys))
	}
	if err == nil {
		o.grid, err = parseGrid(ctx, named.Grid, axes)
	}
	if err != nil {
		return nil, nil, errkind.Corrupt("the metadata of the curve: %v", err)
	}
	return o, keys, nil
}

// parseGrid reads a grid of keys.
func parseGrid(ctx context.Context, packed []byte, axes [][]keypath.Column) (*curve.Grid, error) {
	const most = 1 << 26 // more than any grid takes
	r := gridReader{}
	var err error
	if r.data, err = io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), most)); err != nil {
		return nil, err
	}
	g := &curve.Grid{Rows: int(r.number(math.MaxInt32)), Axes: make([]curve.Axis, len(axes))}
	for i, columns := range axes {
		if err := r.axis(ctx, &g.Axes[i], columns, g.Rows); err != nil {
			return nil, err
		}
	}
	if len(r.data) > 0 {
		return nil, errGrid
	}
	return g, r.err
}

var errGrid = errors.New("its grid is malformed")

// A gridReader reads a grid from the beginning of data.
type gridReader struct {
	data []byte
	err  error // the first; then numbers are 0
}

// number reads a number up to most.
func (r *gridReader) number(most uint64) uint64 {
	n, size := binary.Uvarint(r.data)
	if size <= 0 || n > most || r.err != nil {
		r.err = errGrid
		return 0
	}
	r.data = r.data[size:]
	return n
}

// axis reads the cells of a key.
func (r *gridReader) axis(ctx context.Context, a *curve.Axis, columns []keypath.Column, sample int) error {
	cells := int(r.number(uint64(min(sample, len(r.data)))))
	end := uint64(0)
	for range cells {
		end += r.number(uint64(sample) - end)
		a.Ends = append(a.Ends, uint32(end))
	}
	if end != uint64(sample) || r.err != nil {
		return errGrid
	}
	var borders []byte
	offsets := []int64{0}
	for range cells - 1 {
		n := r.number(uint64(len(r.data)))
		if n > uint64(len(r.data)) {
			return errGrid
		}
		borders, r.data = append(borders, r.data[:n]...), r.data[n:]
		offsets = append(offsets, int64(len(borders)))
	}
	converter, _, err := converterOf(columns)
	if err != nil {
		return err
	}
	encoded, err := rows.NewRows(borders, offsets)
	if err != nil {
		return err
	}
	for i := 1; i < encoded.Len(); i++ {
		if encoded.Compare(i-1, i) >= 0 {
			return fmt.Errorf("%w: its borders do not rise", errGrid)
		}
	}
	record, err := converter.Decode(ctx, encoded, rows.Options{Allocator: memory.NewGoAllocator(), Threads: 1})
	if err != nil {
		return err
	}
	a.Borders = record.Columns()
	return nil
}
