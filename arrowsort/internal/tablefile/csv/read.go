// Package csv reads and writes comma-separated values with a header (RFC 4180). The type of a column is inferred.
package csv

import (
	"bytes"
	"context"
	"strconv"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/fileerror"
)

// batchRows is the number of rows and batchBytes about the number of bytes of text in a chunk of the table; the latter
// keeps the 32-bit offsets of strings.
const (
	batchRows  = 1 << 20
	batchBytes = 1 << 30
)

// A Reader makes a table of a text whose types it has inferred.
type Reader struct {
	lines  lines
	fields []arrow.Field
	from   []int // where their values are in a line
}

// NewReader infers the types of the columns, for which it reads the whole text. The reader keeps the text.
func NewReader(ctx context.Context, text []byte, delimiter rune) (*Reader, error) {
	l := newLines(bytes.TrimPrefix(text, []byte(byteOrderMark)), delimiter)
	if err := l.checkUTF8(); err != nil {
		return nil, err
	}
	var columns []inference
	header, err := l.each(ctx, func(row []string) error {
		if columns == nil {
			columns = make([]inference, len(row))
		}
		for i, value := range row {
			columns[i].add(value)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if columns == nil {
		columns = make([]inference, len(header))
	}
	r := &Reader{lines: l}
	for i, name := range header {
		r.fields = append(r.fields, arrow.Field{Name: name, Type: columns[i].dataType(), Nullable: true})
		r.from = append(r.from, i)
	}
	return r, nil
}

// Schema returns the schema of the table that Read returns.
func (r *Reader) Schema() *arrow.Schema { return arrow.NewSchema(r.fields, nil) }

// Verbatim makes text of the columns with values that can be written in several ways, as 2.50 and 2.5. Those of them
// that are chosen are appended after all columns, with their types. It returns the positions of the chosen columns.
func (r *Reader) Verbatim(chosen []int) (typed []int) {
	for _, i := range chosen {
		at := i
		if !writtenOneWay(r.fields[i].Type) {
			at = len(r.fields)
			r.fields, r.from = append(r.fields, r.fields[i]), append(r.from, i)
		}
		typed = append(typed, at)
	}
	for i, from := range r.from {
		if i == from && !writtenOneWay(r.fields[i].Type) {
			r.fields[i].Type = arrow.BinaryTypes.String
		}
	}
	return typed
}

// writtenOneWay reports whether all values of one of the types are written as they were read.
func writtenOneWay(typ arrow.DataType) bool {
	switch typ.ID() {
	case arrow.INT64, arrow.UINT64, arrow.DATE32, arrow.STRING:
		return true
	}
	return false
}

// Read returns the table. Progress, unless nil, is passed the number of rows that were read and 0: their total is
// unknown.
func (r *Reader) Read(ctx context.Context, mem memory.Allocator, progress func(done, total int)) (arrow.Table, error) {
	b := array.NewRecordBuilder(mem, r.Schema())
	defer b.Release()
	var records []arrow.Record
	defer func() {
		for _, rec := range records {
			rec.Release()
		}
	}()
	rows, size := 0, 0
	_, err := r.lines.each(ctx, func(row []string) error {
		for i, from := range r.from {
			if err := appendValue(b.Field(i), row[from]); err != nil {
				return fileerror.Corrupt("column %q: %v", r.fields[i].Name, err)
			}
			size += len(row[from])
		}
		if rows++; rows%batchRows == 0 || size >= batchBytes {
			records = append(records, b.NewRecord())
			size = 0
			if progress != nil {
				progress(rows, 0)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	records = append(records, b.NewRecord())
	return array.NewTableFromRecords(b.Schema(), records), nil
}

// appendValue appends a value that was seen to read as the column's type.
func appendValue(b array.Builder, value string) error {
	if value == "" {
		b.AppendNull()
		return nil
	}
	switch b := b.(type) {
	case *array.Int64Builder:
		n, err := parseInt(value)
		b.Append(n)
		return err
	case *array.Uint64Builder:
		n, err := parseUint(value)
		b.Append(n)
		return err
	case *array.Float64Builder:
		x, err := strconv.ParseFloat(value, 64)
		b.Append(x)
		return err
	case *array.BooleanBuilder:
		v, err := parseBool(value)
		b.Append(v)
		return err
	case *array.Date32Builder:
		t, err := parseDate(value)
		b.Append(arrow.Date32FromTime(t))
		return err
	case *array.TimestampBuilder:
		t, _, err := parseTime(value)
		b.Append(arrow.Timestamp(t.UnixMicro()))
		return err
	case *array.StringBuilder:
		b.Append(value)
	}
	return nil
}
