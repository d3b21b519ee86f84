// Package writer encodes columns as pages of Parquet: flat columns here, all others with pqarrow.
package writer

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	arrow18 "github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/allocators"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	convert "github.com/arrowsort/arrowsort/arrowsort/internal/arrow18"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/dictionary"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
	"github.com/arrowsort/arrowsort/arrowsort/internal/take"
	"github.com/arrowsort/arrowsort/internal/workers"
)

// hasNullType reports whether a nested field has a child of the null type. Arrow writes to the data of such a child
// whenever an array of its parent is made (array.Null.setData), so that no two goroutines may slice the parent.
func hasNullType(f arrow.Field) bool {
	nested, ok := arraydata.Storage(f.Type).(arrow.NestedType)
	return ok && slices.ContainsFunc(nested.Fields(), func(child arrow.Field) bool {
		return child.Type.ID() == arrow.NULL || hasNullType(child)
	})
}

// The default numbers of rows of a page, of at most about a megabyte, and of a row group. A reader that skips pages
// reads one page for one row.
const (
	DefaultPageRows     = 1 << 14
	DefaultRowGroupRows = 1 << 18
)

// Creator is created_by in footers.
const Creator = "arrowsort"

// Options are the options of an Encoder.
type Options struct {
	Allocator    memory.Allocator
	Threads      int                   // 0: GOMAXPROCS
	Codec        string                // of all columns, by name; empty: that of Stored, or else zstd
	Level        int                   // of the codec; 0: its default
	RowGroupRows int                   // 0: DefaultRowGroupRows
	PageRows     int                   // at most; 0: DefaultPageRows
	Schema       *arrow.Schema         // of the file; tables may have its text as dictionaries; nil: theirs
	Stored       []StoredColumn        // how the leaf columns were stored in the input; nil: not in Parquet
	Rows         []uint64              // row numbers, in order, of the rows that are written; nil: all
	Progress     func(done, total int) // called now and then, from one goroutine at a time; or nil
}

// A StoredColumn is how a leaf column of a Parquet file is stored.
type StoredColumn struct {
	Path       string
	Codec      compress.Compression
	Dictionary bool
	Logical    schema.LogicalType
	Type       parquet.Type
	Length     int // of values of fixed length
}

// An Encoder encodes the columns of row groups.
type Encoder struct {
	table      arrow.Table   // whose row groups are encoded
	before     int64         // rows of the tables before
	schema     *arrow.Schema // that the file is to have
	rows       int64         // of a row group
	options    []parquet.WriterProperty
	props      *parquet.WriterProperties // of the options
	columns    *arrow18.Schema           // of the tables, with the types that Parquet stores
	arrowProps pqarrow.ArrowWriterProperties
	codecs     map[string]compress.Compression // of the leaf columns
	leaves     []StoredColumn                  // of the leaf columns, see storedLeaves
	first      []int                           // dictionaryEncode of the first leaf column of each column
	opts       Options
	encoders   workers.Spares[*flatEncoder]
	files      workers.Spares[[]byte] // of columns that were written
	recycled   *allocators.Recycler   // for rows that are gathered
}

// NewEncoder returns an encoder of tables of a schema. A type that Parquet does not have is an error.
func NewEncoder(data *arrow.Schema, opts Options) (*Encoder, error) {
	if err := checkTypes(data); err != nil {
		return nil, err
	}
	e := &Encoder{schema: cmp.Or(opts.Schema, data), rows: int64(cmp.Or(opts.RowGroupRows, DefaultRowGroupRows)),
		opts: opts}
	e.arrowProps = pqarrow.NewArrowWriterProperties(pqarrow.WithAllocator(opts.Allocator))
	e.columns = convert.ToParquetSchema(arraydata.WithTypes(data, parquetType))
	latest := parquet.NewWriterProperties(parquet.WithVersion(parquet.V2_LATEST))
	sc, err := pqarrow.ToParquet(e.columns, latest, e.arrowProps)
	if err != nil {
		return nil, err
	}
	e.codecs, e.leaves = codecs(sc, opts), opts.storedLeaves(sc)
	for i := range sc.NumColumns() {
		if column := sc.ColumnRoot(i); i == 0 || column != sc.ColumnRoot(i-1) {
			e.first = append(e.first, i)
		}
	}
	e.options = e.writerOptions(sc)
	e.props = parquet.NewWriterProperties(e.options...)
	return e, nil
}

// Encode encodes the columns of the row groups of a table in parallel, and uses them in their order on the caller's
// goroutine. The rows follow a number of others in the file.
func (e *Encoder) Encode(ctx context.Context, table arrow.Table, before int64, use func(EncodedColumn) error) error {
	table, err := dictionary.Unify(ctx, e.opts.Allocator, table)
	if err != nil {
		return err
	}
	defer table.Release()
	e.table, e.before, e.recycled = table, before, allocators.NewRecycler(e.opts.Allocator, 0)
	defer func() { e.table = nil }()
	defer e.recycled.Release()
	columns := e.RowGroups(table) * int(table.NumCols())
	report := workers.Progress(e.opts.Progress, columns)
	threads := e.opts.Threads
	if slices.ContainsFunc(table.Schema().Fields(), hasNullType) {
		threads = 1
	}
	return workers.Ordered(ctx, columns, threads, e.encodeColumn, func(p EncodedColumn) error {
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

// pageRows returns the number of rows of a page at most.
func (e *Encoder) pageRows() int {
	return cmp.Or(e.opts.PageRows, DefaultPageRows)
}

// encodeColumn encodes a column of a row group.
func (e *Encoder) encodeColumn(i int) (EncodedColumn, error) {
	column := i % int(e.table.NumCols())
	field := e.table.Schema().Field(column)
	first := int64(i/int(e.table.NumCols())) * e.rows
	n := min(e.rows, e.Rows(e.table)-first)
	rows, err := e.slice(e.table.Column(column).Data(), first, n)
	if err != nil {
		return EncodedColumn{}, fmt.Errorf("column %q: %w", field.Name, err)
	}
	defer rows.Release()
	if !arraydata.IsNested(field.Type) {
		if p, done, err := e.encodeFlat(column, rows, first); done || err != nil {
			return p, err
		}
	}
	p, err := e.encodeWith(e.first[column],
		func(out io.Writer) error { return e.writePages(out, column, rows, first) })
	if err != nil {
		return EncodedColumn{}, err
	}
	return p, p.check(field, n)
}

// slice returns some of the rows of a column that are written. The caller releases it.
func (e *Encoder) slice(column *arrow.Chunked, first, n int64) (*arrow.Chunked, error) {
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

// encodeWith encodes a column that write writes to a file in memory, one page for each chunk. leaf is the number of its
// first leaf column.
func (e *Encoder) encodeWith(leaf int, write func(out io.Writer) error) (EncodedColumn, error) {
	file := bytes.NewBuffer(e.files.Take()[:0])
	if err := write(file); err != nil {
		return EncodedColumn{}, err
	}
	defer e.files.Give(file.Bytes())
	p, err := parseEncoded(file.Bytes())
	if err != nil {
		return EncodedColumn{}, err
	}
	w := e.encoders.Take()
	if w == nil {
		w = new(flatEncoder)
	}
	defer e.encoders.Give(w)
	return w.rewritePages(p, e.files.Take()[:0], e, leaf)
}

// writePages writes the pages of a column with pqarrow.
func (e *Encoder) writePages(file io.Writer, column int, rows *arrow.Chunked, first int64) error {
	pages, values := pagesOf(rows, e.pageRows())
	defer pages.Release()
	stored := make([]arrow18.Array, 0, len(pages.Chunks()))
	defer func() { arraydata.Release(stored) }()
	field, nan := e.columns.Field(column), false
	for _, page := range pages.Chunks() {
		a, err := e.toPqarrow(e.table.Schema().Field(column), page, first)
		if err != nil {
			return err
		}
		nan = nan || hasNaN(a.Data())
		stored = append(stored, convert.ToArray(a, field.Type))
		a.Release()
		first += int64(page.Len())
	}
	options := append(slices.Clip(e.options), parquet.WithBatchSize(values))
	if nan {
		plain, err := e.withoutFloatDictionaries(column)
		if err != nil {
			return err
		}
		options = append(options, plain...)
	}
	props := parquet.NewWriterProperties(options...)
	w, err := pqarrow.NewFileWriter(arrow18.NewSchema([]arrow18.Field{field}, nil), file, props, e.arrowProps)
	if err != nil {
		return err
	}
	w.NewRowGroup()
	chunks := arrow18.NewChunked(field.Type, stored)
	defer chunks.Release()
	if err := w.WriteColumnChunked(chunks, 0, int64(rows.Len())); err != nil {
		return err
	}
	return w.Close()
}

// codecs returns the compressions of the leaf columns: one for all, or those of the input, or else zstd.
func codecs(sc *schema.Schema, opts Options) map[string]compress.Compression {
	byPath := make(map[string]compress.Compression)
	codec, chosen := page.Codecs[opts.Codec]
	if !chosen {
		codec = compress.Codecs.Zstd
	}
	for i := range sc.NumColumns() {
		byPath[sc.Column(i).Path()] = codec
	}
	if !chosen {
		for _, c := range opts.storedAs(sc) {
			byPath[c.Path] = c.Codec
		}
	}
	return byPath
}

// storedAs returns the stored columns under the names that they have in a schema for writing, which may name what is in
// a list otherwise.
func (o *Options) storedAs(sc *schema.Schema) []StoredColumn {
	columns := slices.Clone(o.Stored)
	if len(columns) == sc.NumColumns() {
		for i := range columns {
			columns[i].Path = sc.Column(i).Path()
		}
	}
	return columns
}

// dictionaryLimit is the number of bytes at which pqarrow gives up the dictionary of a column. Its hash table takes up
// to 32 bytes for each value of 4 bytes: 2 MiB in place of the 8 MiB that its own limit, 1 MiB, allows for each worker.
const dictionaryLimit = 256 << 10

// writerOptions are for pqarrow: dictionaries where the input's layout has them, or else everywhere, and a page for
// each batch of values, as large as it is. rewritePages compresses them.
func (e *Encoder) writerOptions(sc *schema.Schema) []parquet.WriterProperty {
	options := []parquet.WriterProperty{
		parquet.WithAllocator(e.opts.Allocator),
		parquet.WithVersion(parquet.V2_LATEST), // older ones have no nanoseconds
		parquet.WithDataPageVersion(parquet.DataPageV1),
		parquet.WithCreatedBy(Creator),
		parquet.WithDataPageSize(0),
		parquet.WithBatchSize(int64(e.pageRows())),
		parquet.WithStats(false),
		parquet.WithDictionaryPageSizeLimit(dictionaryLimit),
	}
	for _, c := range e.opts.storedAs(sc) {
		options = append(options, parquet.WithDictionaryFor(c.Path, c.Dictionary))
	}
	return options
}

// pagesOf cuts rows into chunks of at most some rows and about page.MaxBytes, each of which is to be a page. values
// are the most values of a leaf column that a chunk has. The caller releases the chunks.
func pagesOf(rows *arrow.Chunked, most int) (pages *arrow.Chunked, values int64) {
	var chunks []arrow.Array
	defer func() { arraydata.Release(chunks) }()
	for _, c := range rows.Chunks() {
		for row := 0; row < c.Len(); {
			page := pageFrom(c, row, most)
			chunks = append(chunks, page)
			row += page.Len()
			values = max(values, mostValues(page.Data()))
		}
	}
	return arrow.NewChunked(rows.DataType(), chunks), max(values, 1)
}

// pageFrom takes the rows of a page from a row on.
func pageFrom(a arrow.Array, row, most int) arrow.Array {
	rows := min(most, a.Len()-row)
	for rows > 1 && arraydata.ArrayBytes(a.Data(), a.Data().Offset()+row, rows) > page.MaxBytes {
		rows /= 2
	}
	return array.NewSlice(a, int64(row), int64(row+rows))
}

// mostValues returns at least the number of values of a leaf column, with the nulls that stand for lists without
// elements.
func mostValues(d arrow.ArrayData) int64 {
	n := int64(d.Len())
	for _, c := range d.Children() {
		n += mostValues(c)
	}
	return n
}
