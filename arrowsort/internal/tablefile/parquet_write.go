package tablefile

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	arrow18 "github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	convert "github.com/arrowsort/arrowsort/arrowsort/internal/arrow18"
	"github.com/arrowsort/arrowsort/arrowsort/internal/take"
)

// A parquetWriter encodes the columns of the row groups in parallel. Each is encoded as a Parquet file of its own in
// memory; the file gets their column chunks one after the other and a footer with the places where they landed.
type parquetWriter struct {
	encoder *columnEncoder
	out     stitcher
	rows    int64 // so far
}

func newParquetWriter(w io.Writer, schema *arrow.Schema, opts WriteOptions) (*parquetWriter, error) {
	e, err := newColumnEncoder(schema, opts)
	if err != nil {
		return nil, err
	}
	f := &parquetWriter{encoder: e, out: stitcher{w: w, fields: schema.NumFields()}}
	if f.out.footer, err = e.emptyFooter(); err != nil {
		return nil, err
	}
	return f, f.out.start()
}

// write writes row groups with the rows of a table.
func (f *parquetWriter) write(ctx context.Context, table arrow.Table) error {
	e := f.encoder
	table, err := unifyDictionaries(ctx, e.opts.Allocator, table)
	if err != nil {
		return err
	}
	defer table.Release()
	e.table, e.recycled = table, NewRecycler(e.opts.Allocator, 0)
	defer func() { e.table = nil }()
	defer e.recycled.Release()
	if n := len(f.out.footer.RowGroups) + e.groups(); n > math.MaxInt16 {
		return fmt.Errorf("%d row groups of %d rows are more than the %d of Parquet: raise the rows of a row group", n, e.rows, math.MaxInt16)
	}
	for int64(len(e.present)) < min(e.rows, e.total()) {
		e.present = append(e.present, 1)
	}
	e.before = f.rows
	f.rows += e.total()
	report := progress(e.opts.Progress, e.pieces())
	workers := threads(e.opts.Threads)
	if slices.ContainsFunc(table.Schema().Fields(), hasNullType) {
		workers = 1
	}
	return inOrder(ctx, e.pieces(), workers, e.encode, func(p piece) error {
		defer report()
		defer e.files.give(p.file)
		return f.out.append(p)
	})
}

// hasNullType reports whether a nested field has nulls of no type inside. Arrow writes to the data of such a child
// whenever an array of its parent is made (array.Null.setData), so that no two goroutines may slice the parent.
func hasNullType(f arrow.Field) bool {
	nested, ok := storageOf(f.Type).(arrow.NestedType)
	return ok && slices.ContainsFunc(nested.Fields(), func(child arrow.Field) bool {
		return child.Type.ID() == arrow.NULL || hasNullType(child)
	})
}

// finish writes the footer.
func (f *parquetWriter) finish() error {
	opts := &f.encoder.opts
	setSorting(f.out.footer, opts.Sorting)
	return f.out.finish(f.rows, opts.Layout)
}

// A columnEncoder encodes the columns of row groups.
type columnEncoder struct {
	table      arrow.Table   // whose row groups are encoded
	data       *arrow.Schema // of the tables, with the types that Parquet stores
	before     int64         // rows of the tables before
	schema     *arrow.Schema // that the file is to have
	rows       int64         // of a row group
	options    []parquet.WriterProperty
	props      *parquet.WriterProperties // of the options
	columns    *arrow18.Schema           // of data, as pqarrow has it
	lists      *arrow18.Schema           // of data with nested columns as they are written
	arrowProps pqarrow.ArrowWriterProperties
	codecs     map[string]compress.Compression // of the leaf columns
	opts       WriteOptions
	present    []int16 // definition levels of a column without nulls, for pqarrow
	encoders   spares[*flatEncoder]
	files      spares[[]byte] // of pieces that were written
	recycled   *Recycler      // for rows that are gathered
}

func newColumnEncoder(data *arrow.Schema, opts WriteOptions) (*columnEncoder, error) {
	if err := checkTypes(data); err != nil {
		return nil, err
	}
	e := &columnEncoder{data: withTypes(data, storedType), schema: data, rows: int64(opts.RowGroupRows), opts: opts}
	if opts.Schema != nil {
		e.schema = opts.Schema
	}
	if e.rows == 0 {
		e.rows = DefaultRowGroupRows
	}
	e.arrowProps = pqarrow.NewArrowWriterProperties(pqarrow.WithAllocator(opts.Allocator))
	var err error
	if e.columns, err = convert.ToSchema(e.data); err != nil {
		return nil, err
	}
	if e.lists, err = convert.ToSchema(withTypes(e.data, listType)); err != nil {
		return nil, err
	}
	latest := parquet.NewWriterProperties(parquet.WithVersion(parquet.V2_LATEST))
	sc, err := pqarrow.ToParquet(e.columns, latest, e.arrowProps)
	if err != nil {
		return nil, err
	}
	e.codecs = codecs(sc, opts)
	e.options = e.writerOptions(sc)
	e.props = parquet.NewWriterProperties(e.options...)
	return e, nil
}

// total is the number of rows that are written.
func (e *columnEncoder) total() int64 {
	if e.opts.Rows != nil {
		return int64(len(e.opts.Rows))
	}
	return e.table.NumRows()
}

// pageRows is the number of rows of a page at most.
func (e *columnEncoder) pageRows() int {
	if e.opts.PageRows > 0 {
		return e.opts.PageRows
	}
	return DefaultPageRows
}

func (e *columnEncoder) groups() int { return int((e.total() + e.rows - 1) / e.rows) }
func (e *columnEncoder) pieces() int { return e.groups() * int(e.table.NumCols()) }

// encode encodes a column of a row group.
func (e *columnEncoder) encode(i int) (piece, error) {
	columns := int(e.table.NumCols())
	first := int64(i/columns) * e.rows
	n := min(e.rows, e.total()-first)
	rows, err := e.slice(e.table.Column(i%columns).Data(), first, n)
	if err != nil {
		return piece{}, fmt.Errorf("column %q: %w", e.table.Schema().Field(i%columns).Name, err)
	}
	defer rows.Release()
	if err := e.checkStorable(e.table.Schema().Field(i%columns), rows, first); err != nil {
		return piece{}, err
	}
	field := e.data.Field(i % columns)
	stored, err := e.stored(rows, field.Type)
	if err != nil {
		return piece{}, fmt.Errorf("column %q: %w", field.Name, err)
	}
	defer stored.Release()
	p, err := e.encodeRows(i%columns, stored)
	if err != nil {
		return piece{}, fmt.Errorf("column %q: %w", field.Name, err)
	}
	return p, p.check(field, n)
}

func (e *columnEncoder) encodeRows(column int, rows *arrow.Chunked) (piece, error) {
	if isNested(rows.DataType()) {
		return e.encodeWith(func(out io.Writer) error { return e.writeNested(out, column, rows) })
	}
	return e.encodeFlat(column, rows)
}

// slice is some of the rows of a column that are written. The caller releases it.
func (e *columnEncoder) slice(column *arrow.Chunked, first, n int64) (*arrow.Chunked, error) {
	if e.opts.Rows == nil {
		return array.NewChunkedSlice(column, first, first+n), nil
	}
	opts := take.Options{Allocator: e.recycled, Threads: 1, Split: true}
	arrays, err := take.Take(context.Background(), column.DataType(), column.Chunks(), e.opts.Rows[first:first+n], opts)
	if err != nil {
		return nil, err
	}
	defer releaseAll(arrays)
	return arrow.NewChunked(column.DataType(), arrays), nil
}

// encodeWith encodes rows that are written to a file in memory, one page for each chunk.
func (e *columnEncoder) encodeWith(write func(out io.Writer) error) (piece, error) {
	file := bytes.NewBuffer(e.files.take()[:0])
	if err := write(file); err != nil {
		return piece{}, err
	}
	defer e.files.give(file.Bytes())
	p, err := parsePiece(file.Bytes())
	if err != nil {
		return piece{}, err
	}
	w := e.encoders.take()
	if w == nil {
		w = new(flatEncoder)
	}
	defer e.encoders.give(w)
	return w.repack(p, e.files.take()[:0], e)
}

func isNested(typ arrow.DataType) bool {
	if ext, ok := typ.(arrow.ExtensionType); ok {
		return isNested(ext.StorageType())
	}
	_, nested := typ.(arrow.NestedType)
	return nested
}

// writeNested leaves the levels of a nested column to pqarrow.
func (e *columnEncoder) writeNested(file io.Writer, column int, rows *arrow.Chunked) error {
	pages, values := pagesOf(rows, e.pageRows())
	defer pages.Release()
	lists, err := listWriter{e.opts.Allocator}.chunked(pages)
	if err != nil {
		return err
	}
	defer lists.Release()
	props := parquet.NewWriterProperties(append(e.options[:len(e.options):len(e.options)], parquet.WithBatchSize(values))...)
	field := e.lists.Field(column)
	w, err := pqarrow.NewFileWriter(arrow18.NewSchema([]arrow18.Field{field}, nil), file, props, e.arrowProps)
	if err != nil {
		return err
	}
	w.NewRowGroup()
	converted := convert.ToChunked(lists, field.Type)
	defer converted.Release()
	if err := w.WriteColumnChunked(converted, 0, int64(rows.Len())); err != nil {
		return err
	}
	return w.Close()
}

// codecs are the compressions of the leaf columns: one for all, or those of the input's layout, or else zstd.
func codecs(sc *schema.Schema, opts WriteOptions) map[string]compress.Compression {
	byPath := make(map[string]compress.Compression)
	codec, chosen := parquetCodecs[opts.Compression.Codec]
	if !chosen {
		codec = compress.Codecs.Zstd
	}
	for i := range sc.NumColumns() {
		byPath[sc.Column(i).Path()] = codec
	}
	if opts.Layout != nil && !chosen {
		for _, c := range opts.Layout.columnsOf(sc) {
			byPath[c.path] = c.codec
		}
	}
	return byPath
}

// writerOptions are for pqarrow: dictionaries where the input's layout has them, or else everywhere, and a page for
// each batch of values, as large as it is. Compression is left to a pageWriter.
func (e *columnEncoder) writerOptions(sc *schema.Schema) []parquet.WriterProperty {
	options := []parquet.WriterProperty{
		parquet.WithAllocator(e.opts.Allocator),
		parquet.WithVersion(parquet.V2_LATEST), // older ones have no nanoseconds
		parquet.WithDataPageVersion(parquet.DataPageV1),
		parquet.WithCreatedBy(creator),
		parquet.WithDataPageSize(0),
		parquet.WithBatchSize(int64(e.pageRows())),
		parquet.WithStats(false),
	}
	if e.opts.Layout != nil {
		for _, c := range e.opts.Layout.columnsOf(sc) {
			options = append(options, parquet.WithDictionaryFor(c.path, c.dictionary))
		}
	}
	return options
}
