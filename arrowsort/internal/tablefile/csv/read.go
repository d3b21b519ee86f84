// Package csv reads and writes comma-separated values with a header (RFC 4180). The type of a column is inferred.
package csv

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
)

// MaxBatchBytes is the largest size of a record batch; it keeps the 32-bit offsets of strings.
const MaxBatchBytes = 1 << 30

// A Reader reads the rows of a file as record batches.
type Reader struct {
	rows    *rows
	columns []column // from is their place in the file
	batch   int64    // bytes of a record batch, about
	fixed   int64    // bytes of a row, but for the text of strings
	size    int64    // of the file
	mem     memory.Allocator
	builder *array.RecordBuilder
}

// NewReader reads the header of a file whose types were inferred. The caller releases the reader.
func NewReader(source Source, schema *Schema, batchBytes int64, mem memory.Allocator) (*Reader, error) {
	rows, at, err := schema.open(source)
	if err != nil {
		return nil, err
	}
	place := make([]int, len(at))
	for i, a := range at {
		place[a] = i
	}
	r := &Reader{rows: rows, batch: min(max(batchBytes, 1), MaxBatchBytes), size: source.Size, mem: mem}
	var columns []column
	for _, c := range schema.selected() {
		columns = append(columns, column{place[c.from], c.field, c.typ})
	}
	r.read(columns)
	return r, nil
}

// SelectColumns limits reading to some columns, by their positions in the schema. It precedes Next.
func (r *Reader) SelectColumns(columns []int) {
	var chosen []column
	for _, c := range columns {
		chosen = append(chosen, r.columns[c])
	}
	r.builder.Release()
	r.read(chosen)
}

// read prepares for reading some columns.
func (r *Reader) read(columns []column) {
	r.columns, r.fixed = columns, 0
	var fields []arrow.Field
	for _, c := range columns {
		fields = append(fields, c.field)
		r.fixed += fixedBytes(c.field.Type)
	}
	r.builder = array.NewRecordBuilder(r.mem, arrow.NewSchema(fields, nil))
}

// Next returns the next record batch, which the caller releases; io.EOF after the last.
func (r *Reader) Next(ctx context.Context) (arrow.Record, error) {
	n := 0
	for bytes := int64(0); bytes < r.batch; n++ {
		row, err := r.rows.next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		bytes += r.fixed
		for i, c := range r.columns {
			value := row[c.from]
			if c.field.Type.ID() == arrow.STRING {
				bytes += int64(len(value))
			}
			if value == "" {
				r.builder.Field(i).AppendNull()
			} else if err := c.typ.appends(r.builder.Field(i), value); err != nil {
				return nil, errorf("the file changed while it was read: row %d, counted from 0, has %.60q in "+
					"column %q, where all values were of type %s", r.rows.n-1, value, c.field.Name, c.field.Type)
			}
		}
	}
	if n == 0 {
		return nil, io.EOF
	}
	return r.builder.NewRecord(), nil
}

// Share returns the share of the file that was read, from 0 to 1.
func (r *Reader) Share() float64 { return float64(r.rows.read) / float64(max(r.size, 1)) }

// Release releases the memory of the reader.
func (r *Reader) Release() { r.builder.Release() }

// byteOrderMark may precede UTF-8 and is no part of it.
const byteOrderMark = "\xef\xbb\xbf"

// A Source is the text of a CSV file. It is read more than once, a buffer at a time.
type Source struct {
	Text      io.ReaderAt
	Size      int64
	Delimiter rune
	MaxRow    int64 // bytes of a row, about; one with more is an error; 0: any number
}

// open returns the text without a byte order mark.
func (s Source) open() (*sourceReader, error) {
	var mark [len(byteOrderMark)]byte
	n, err := s.Text.ReadAt(mark[:], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	start := int64(0)
	if string(mark[:n]) == byteOrderMark {
		start = int64(n)
	}
	return &sourceReader{io.NewSectionReader(s.Text, start, s.Size-start), s.Size - start}, nil
}

// A sourceReader fails where a file ends before its size: it was cut meanwhile.
type sourceReader struct {
	*io.SectionReader
	remaining int64
}

func (r *sourceReader) Read(p []byte) (int, error) {
	n, err := r.SectionReader.Read(p)
	if r.remaining -= int64(n); err == io.EOF && r.remaining > 0 {
		err = errkind.Corrupt("the file ends %d bytes before the end that it had when it was opened", r.remaining)
	}
	return n, err
}

// errorf returns the error of text that is not CSV, an errkind.ErrCorrupt with another text, which names the line or
// the column, and what is wrong with it: people write CSV.
func errorf(format string, args ...any) error {
	return errkind.Reword(errkind.ErrCorrupt, fmt.Sprintf(format, args...))
}
