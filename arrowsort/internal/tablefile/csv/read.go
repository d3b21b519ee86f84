package tablefile

import (
	"bytes"
	"context"
	"io"
	"strconv"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// csvBatch is the number of rows and csvBatchBytes about the number of bytes of text in a chunk of the table; the latter
// keeps the 32-bit offsets of strings.
const (
	csvBatch      = 1 << 20
	csvBatchBytes = 1 << 30
)

// readCSV reads comma-separated values with a header (RFC 4180). It reads the text twice: for the types, then for the
// values.
func readCSV(ctx context.Context, r io.Reader, in *Input, opts ReadOptions) error {
	if opts.MemoryLimit > 0 && in.Bytes > opts.MemoryLimit {
		return ErrMemory
	}
	opts.start()
	text := make([]byte, in.Bytes)
	if _, err := io.ReadFull(r, text); err != nil {
		return err
	}
	lines := newCSVLines(bytes.TrimPrefix(text, []byte(byteOrderMark)), opts.Delimiter)
	err := lines.checkUTF8()
	if err != nil {
		return err
	}
	if in.Schema, err = inferSchema(ctx, lines); err != nil {
		return err
	}
	chosen, err := opts.known(in.Schema)
	if err != nil {
		return err
	}
	columns := newCSVColumns(in.Schema)
	if opts.Verbatim {
		in.Typed = columns.verbatim(chosen)
	}
	in.Table, err = buildCSV(ctx, lines, columns, opts)
	return err
}

func inferSchema(ctx context.Context, lines csvLines) (*arrow.Schema, error) {
	var columns []inference
	header, err := lines.each(ctx, func(row []string) error {
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
	fields := make([]arrow.Field, len(header))
	for i, name := range header {
		fields[i] = arrow.Field{Name: name, Type: columns[i].dataType(), Nullable: true}
	}
	return arrow.NewSchema(fields, nil), nil
}

func buildCSV(ctx context.Context, lines csvLines, columns *csvColumns, opts ReadOptions) (arrow.Table, error) {
	schema := arrow.NewSchema(columns.fields, nil)
	b := array.NewRecordBuilder(opts.Allocator, schema)
	defer b.Release()
	var records []arrow.Record
	defer func() {
		for _, rec := range records {
			rec.Release()
		}
	}()
	rows, size := 0, 0
	_, err := lines.each(ctx, func(row []string) error {
		for i, from := range columns.from {
			if err := appendCSV(b.Field(i), row[from]); err != nil {
				return corrupt("column %q: %v", schema.Field(i).Name, err)
			}
			size += len(row[from])
		}
		if rows++; rows%csvBatch == 0 || size >= csvBatchBytes {
			records = append(records, b.NewRecord())
			size = 0
			if opts.Progress != nil {
				opts.Progress(rows, 0)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	records = append(records, b.NewRecord())
	return array.NewTableFromRecords(schema, records), nil
}

// appendCSV appends a value that was seen to read as the column's type.
func appendCSV(b array.Builder, value string) error {
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
		v, _ := parseBool(value)
		b.Append(v)
	case *array.Date32Builder:
		t, err := time.Parse(time.DateOnly, value)
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
