package writer

import (
	"cmp"
	"math"
	"slices"

	arrow18 "github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	convert "github.com/arrowsort/arrowsort/arrowsort/internal/arrow18"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
)

// storedLeaves returns the stored columns by the number of the leaf columns of a schema for writing; nil where there is
// none.
func (o *Options) storedLeaves(sc *schema.Schema) []*StoredColumn {
	leaves := make([]*StoredColumn, sc.NumColumns())
	for i := range leaves {
		at := i
		if len(o.Stored) != len(leaves) { // else paths may name what is in a list otherwise
			path := sc.Column(i).Path()
			at = slices.IndexFunc(o.Stored, func(c StoredColumn) bool { return c.Path == path })
		}
		if at >= 0 {
			leaves[i] = &o.Stored[at]
		}
	}
	return leaves
}

// width returns the bytes of a value at most.
func (c *StoredColumn) width() int {
	switch c.Type {
	case parquet.Types.FixedLenByteArray:
		return c.Length
	case parquet.Types.ByteArray:
		return math.MaxInt32
	}
	return c.Type.ByteSize()
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
	PageVersion  int                   // of data pages, 1 or 2; 0: 1
	Encodings    Encodings             // of the values of flat columns
	Schema       *arrow.Schema         // of the file; tables may have its text as dictionaries; nil: theirs
	Stored       []StoredColumn        // how the leaf columns were stored in the input; nil: not in Parquet
	BloomFilters []BloomFilter         // of columns
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

// properties are how columns are written. They do not change.
type properties struct {
	opts    Options
	columns *arrow18.Schema          // of the tables, with the types that Parquet stores
	options []parquet.WriterProperty // of writer
	writer  *parquet.WriterProperties
	arrow   pqarrow.ArrowWriterProperties
	codecs  map[string]compress.Compression // of the leaf columns, by path
	leaves  []*StoredColumn                 // of the leaf columns, see storedLeaves
	first   []int                           // number of the first leaf column of each column
	bloom   []float64                       // of the leaf columns, see bloomFilters

	dictionaries []bool // of the leaf columns, see appendDictionaries
}

// newProperties returns the properties of tables of a schema.
func newProperties(data *arrow.Schema, opts Options) (*properties, error) {
	p := &properties{opts: opts, arrow: pqarrow.NewArrowWriterProperties(pqarrow.WithAllocator(opts.Allocator)),
		columns: convert.ToParquetSchema(arraydata.WithTypes(data, parquetType))}
	latest := parquet.NewWriterProperties(parquet.WithVersion(parquet.V2_LATEST))
	sc, err := pqarrow.ToParquet(p.columns, latest, p.arrow)
	if err != nil {
		return nil, err
	}
	for i := range sc.NumColumns() {
		if i == 0 || sc.ColumnRoot(i) != sc.ColumnRoot(i-1) {
			p.first = append(p.first, i)
		}
	}
	p.leaves = opts.storedLeaves(sc)
	p.codecs, p.options = p.columnCodecs(sc), p.writerOptions(sc)
	p.writer = parquet.NewWriterProperties(p.options...)
	for _, f := range cmp.Or(opts.Schema, data).Fields() {
		p.dictionaries = appendDictionaries(p.dictionaries, roundTripType(f.Type))
	}
	p.bloom, err = opts.bloomFilters(sc, p.first)
	return p, err
}

// secondPages reports whether data pages are of the second version.
func (o *Options) secondPages() bool { return o.PageVersion == 2 }

// pageRows returns the number of rows of a page at most.
func (p *properties) pageRows() int {
	return cmp.Or(p.opts.PageRows, DefaultPageRows)
}

// columnCodecs returns the compressions of the leaf columns: one for all, or those of the input, or else zstd.
func (p *properties) columnCodecs(sc *schema.Schema) map[string]compress.Compression {
	byPath := make(map[string]compress.Compression)
	codec, chosen := page.Codecs[p.opts.Codec]
	for i, leaf := range p.leaves {
		switch {
		case chosen:
		case leaf != nil:
			codec = leaf.Codec
		default:
			codec = compress.Codecs.Zstd
		}
		byPath[sc.Column(i).Path()] = codec
	}
	return byPath
}

// dictionaryLimit is the number of bytes at which pqarrow gives up the dictionary of a column. Its hash table takes up
// to 32 bytes for each value of 4 bytes: 2 MiB in place of the 8 MiB that its own limit, 1 MiB, allows for each worker.
const dictionaryLimit = 256 << 10

// writerOptions are for pqarrow: dictionaries where the input has them, or else everywhere, and a page for
// each batch of values, as large as it is. rewritePages compresses them.
func (p *properties) writerOptions(sc *schema.Schema) []parquet.WriterProperty {
	options := []parquet.WriterProperty{
		parquet.WithAllocator(p.opts.Allocator),
		parquet.WithVersion(parquet.V2_LATEST), // older ones have no nanoseconds
		parquet.WithDataPageVersion(parquet.DataPageV1),
		parquet.WithCreatedBy(Creator),
		parquet.WithDataPageSize(0),
		parquet.WithBatchSize(int64(p.pageRows())),
		parquet.WithStats(false),
		parquet.WithDictionaryPageSizeLimit(dictionaryLimit),
	}
	for i, leaf := range p.leaves {
		if leaf != nil {
			options = append(options, parquet.WithDictionaryFor(sc.Column(i).Path(), leaf.Dictionary))
		}
	}
	return options
}

// columnSchema returns the Parquet schema of a file with one of the columns only.
func (p *properties) columnSchema(column int) (*schema.Schema, error) {
	return pqarrow.ToParquet(arrow18.NewSchema([]arrow18.Field{p.columns.Field(column)}, nil), p.writer, p.arrow)
}

// plainLeaves returns options for a column without dictionaries of the values that are encoded here.
func (p *properties) plainLeaves(column int) (options []parquet.WriterProperty, err error) {
	sc, err := p.columnSchema(column)
	if err != nil {
		return nil, err
	}
	for i := range sc.NumColumns() {
		leaf, stored := sc.Column(i), p.leaves[p.first[column]+i]
		typ := leaf.PhysicalType()
		if stored.holdsDecimals(leaf) {
			typ = stored.Type
		}
		if encodesLeaf(typ) {
			options = append(options, parquet.WithDictionaryFor(leaf.Path(), false))
		}
	}
	return options, nil
}
