// Package writer encodes columns as pages of Parquet: flat columns here, all others with pqarrow.
package writer

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort/internal/allocators"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	convert "github.com/arrowsort/arrowsort/arrowsort/internal/arrow18"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/dictionary"
	"github.com/arrowsort/arrowsort/arrowsort/internal/take"
	"github.com/arrowsort/arrowsort/internal/workers"
)

// An Encoder encodes the columns of row groups.
type Encoder struct {
	*properties
	schema   *arrow.Schema // that the file is to have
	rows     int64         // of a row group
	encoders workers.Spares[*flatEncoder]
	files    workers.Spares[[]byte] // of columns that were written
}

// NewEncoder returns an encoder of tables of a schema. A type that Parquet does not have is an error.
func NewEncoder(data *arrow.Schema, opts Options) (*Encoder, error) {
	if err := checkTypes(data); err != nil {
		return nil, err
	}
	p, err := newProperties(data, opts)
	if err == nil {
		err = p.checkEncodings(data)
	}
	if err != nil {
		return nil, err
	}
	return &Encoder{properties: p, schema: cmp.Or(opts.Schema, data),
		rows: int64(cmp.Or(opts.RowGroupRows, DefaultRowGroupRows))}, nil
}

// Encode encodes the columns of the row groups of a table in parallel, and uses them in their order on the caller's
// goroutine. The rows follow a number of others in the file.
func (e *Encoder) Encode(ctx context.Context, table arrow.Table, before int64, use func(EncodedColumn) error) error {
	table, err := dictionary.Unify(ctx, e.opts.Allocator, table)
	if err != nil {
		return err
	}
	defer table.Release()
	t := &tableEncoder{e, table, before, allocators.NewRecycler(e.opts.Allocator, 0)}
	defer t.recycled.Release()
	columns := e.RowGroups(table) * int(table.NumCols())
	report := workers.Progress(e.opts.Progress, columns)
	threads := e.opts.Threads
	if slices.ContainsFunc(table.Schema().Fields(), hasNestedNulls) {
		threads = 1
	}
	return workers.Ordered(ctx, columns, threads, t.encodeColumn, func(p EncodedColumn) error {
		defer report(1)
		defer e.files.Give(p.File)
		return use(p)
	})
}

// Rows returns the number of rows of a table that are written.
func (e *Encoder) Rows(table arrow.Table) int64 {
	if e.opts.Rows != nil {
		return int64(len(e.opts.Rows))
	}
	return table.NumRows()
}

// RowGroups returns the number of row groups of a table.
func (e *Encoder) RowGroups(table arrow.Table) int {
	rows := e.Rows(table)
	groups := rows / e.rows
	if rows%e.rows > 0 {
		groups++
	}
	return int(groups)
}

// A tableEncoder encodes the columns of the row groups of one table.
type tableEncoder struct {
	*Encoder
	table    arrow.Table
	before   int64                // rows of the tables before
	recycled *allocators.Recycler // for rows that are gathered
}

// encodeColumn encodes a column of a row group.
func (e *tableEncoder) encodeColumn(i int) (EncodedColumn, error) {
	column := i % int(e.table.NumCols())
	field := e.table.Schema().Field(column)
	first := int64(i/int(e.table.NumCols())) * e.rows
	n := min(e.rows, e.Rows(e.table)-first)
	rows, err := e.slice(e.table.Column(column).Data(), first, n)
	if err != nil {
		return EncodedColumn{}, fmt.Errorf("column %q: %w", field.Name, err)
	}
	defer rows.Release()
	rowName := func(row int) string { // in all of the file, from 0
		if e.opts.Rows != nil {
			return fmt.Sprintf("row %d of the input", e.opts.Rows[first+int64(row)])
		}
		return fmt.Sprintf("row %d of the output", e.before+first+int64(row))
	}
	if !arraydata.IsNested(field.Type) {
		if p, done, err := e.encodeFlat(column, field, rows, rowName); done || err != nil {
			return p, err
		}
	}
	file := bytes.NewBuffer(e.files.Take()[:0])
	if err := e.writePages(file, column, field, rows, rowName); err != nil {
		return EncodedColumn{}, err
	}
	defer e.files.Give(file.Bytes())
	p, err := parseEncoded(file.Bytes())
	if err != nil {
		return EncodedColumn{}, err
	}
	w := e.takeEncoder()
	defer e.encoders.Give(w)
	if p, err = w.rewritePages(p, e.files.Take()[:0], e.properties, e.first[column]); err != nil {
		return EncodedColumn{}, err
	}
	return p, p.check(field, n)
}

// slice returns some of the rows of a column that are written. The caller releases it.
func (e *tableEncoder) slice(column *arrow.Chunked, first, n int64) (*arrow.Chunked, error) {
	if e.opts.Rows == nil {
		return array.NewChunkedSlice(column, first, first+n), nil
	}
	opts := take.Options{Allocator: e.recycled, Threads: 1, Split: true}
	arrays, err := take.Take(context.Background(), column.DataType(), column.Chunks(), e.opts.Rows[first:first+n], opts)
	if err != nil {
		return nil, err
	}
	defer arraydata.Release(arrays)
	return arrow.NewChunked(column.DataType(), arrays), nil
}

// encodeFlat encodes rows of a column that is not nested by a flatEncoder; false for those that it does not write.
func (e *Encoder) encodeFlat(column int, field arrow.Field, rows *arrow.Chunked,
	rowName func(row int) string) (p EncodedColumn, ok bool, err error) {
	sc, err := e.columnSchema(column)
	if err != nil {
		return p, false, err
	}
	if !writesFlat(parquetType(field.Type), sc.Column(0).PhysicalType()) {
		return p, false, nil
	}
	a := rows.Chunk(0)
	if len(rows.Chunks()) > 1 {
		if a, err = array.Concatenate(rows.Chunks(), e.opts.Allocator); err != nil { // text of more than 2 GiB
			return p, false, nil
		}
		defer a.Release()
	}
	w := e.takeEncoder()
	defer e.encoders.Give(w)
	choice := e.flatChoice(field, e.first[column])
	v := dictionaryValues(field, a, choice.dictionary, &w.encodeBuffers)
	if v == nil {
		if a, err = toPqarrow(field, a, e.opts.Allocator, rowName); err != nil {
			return p, false, err
		}
		defer a.Release()
		v = newValues(a, &w.encodeBuffers)
	}
	p, err = w.encode(e.files.Take()[:0], v, choice, sc, e.properties)
	if falsePositives := e.bloom[e.first[column]]; falsePositives > 0 && err == nil {
		p.Filters = [][]byte{v.bloomFilter(sc.Column(0), falsePositives)}
	}
	return p, true, err
}

// EmptyFooter returns the footer of a file with all columns and no rows.
func (e *Encoder) EmptyFooter() (*metadata.FileMetaData, error) {
	var file bytes.Buffer
	w, err := pqarrow.NewFileWriter(e.columns, &file, e.writer, e.arrow)
	if err != nil {
		return nil, err
	}
	origin, err := EncodeSchema(convert.ToSchema(arraydata.WithTypes(e.schema, roundTripType)))
	if err != nil {
		return nil, err
	}
	if err := w.AppendKeyValueMetadata(ArrowSchemaKey, origin); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	p, err := parseEncoded(file.Bytes())
	if err == nil {
		err = e.decimalsAsStored(p.Footer, 0)
	}
	return p.Footer, err
}

// takeEncoder returns an encoder, whose memory is used again if it is given back.
func (e *Encoder) takeEncoder() *flatEncoder {
	if w := e.encoders.Take(); w != nil {
		return w
	}
	return new(flatEncoder)
}

// hasNestedNulls reports whether a nested field has a child of the null type. Arrow writes to the data of such a child
// whenever an array of its parent is made (array.Null.setData), so that no two goroutines may slice the parent.
func hasNestedNulls(f arrow.Field) bool {
	isNull := func(storage arrow.DataType) bool { return storage.ID() == arrow.NULL }
	return arraydata.IsNested(f.Type) && arraydata.Any(f.Type, isNull)
}
