package tablefile

import (
	"cmp"
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/allocators"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/csv"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/reader"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/writer"
	"github.com/arrowsort/arrowsort/internal/machine"
)

// ReadOptions are the options of Read and Scan. The zero value is right for files.
type ReadOptions struct {
	Format       Format               // Auto: by the file's name; an IPC stream for Pipe
	Stdin        io.Reader            // what Pipe reads; nil: os.Stdin
	Allocator    memory.Allocator     // nil: memory.DefaultAllocator
	Flat         *allocators.Recycler // for columns that a Scanner reads without pqarrow; nil: Allocator
	Threads      int                  // 0: GOMAXPROCS
	Dictionaries bool                 // strings that a Parquet file stores with a small dictionary become dictionaries
	Delimiter    rune                 // between the values of a line of CSV; 0: a comma, or a tab in .tsv
	CSV          *csv.Schema          // of CSV: Scan reads it, see InferCSV; Read and Inspect infer it
	MaxRow       int64                // bytes of a row of CSV; 0: any number
	Name         string               // the file's in errors; empty: its path
	Open         Opener               // of the files that Scan reads; nil: local ones
	// MemoryLimit is the bytes that the table may take. 0 is the machine's memory, and of a file no more than 1 GiB or,
	// if that is more, 1000 bytes for each of its bytes: a small file can declare any number of values.
	MemoryLimit int64
	Footer      int64      // bytes that the footer of a Parquet file may take in memory; 0: any number
	Ranges      []RowRange // of a Parquet file that are read, in ascending order; nil: all rows
	// Schema is passed the schema before the data of a Parquet or Arrow file, and between the two passes over CSV. Its
	// error ends the reading. The columns that it returns are read, all when it returns none.
	Schema   func(*arrow.Schema) (columns []int, err error)
	Start    func()                // called when reading begins: of a Parquet or Arrow file, after Schema
	Progress func(done, total int) // called now and then, from one goroutine at a time

	declaredLimit int64 // bytes that a footer may declare; 0: any number
	textLimit     int64 // bytes of text that compressed CSV may be decompressed to; 0: any number
	inBatches     bool  // a column chunk of a Parquet file is read in batches
}

// name returns the name of a file in errors.
func (o *ReadOptions) name(path string) string {
	return cmp.Or(o.Name, path)
}

// start calls Start, once.
func (o *ReadOptions) start() {
	if o.Start != nil {
		o.Start()
		o.Start = nil
	}
}

// begin passes the schema to Schema and then starts.
func (o *ReadOptions) begin(schema *arrow.Schema) (columns []int, err error) {
	if o.Schema != nil {
		columns, err = o.Schema(schema)
	}
	if err == nil {
		o.start()
	}
	return columns, err
}

// What the metadata of a Parquet file has.
type (
	Template      = parquet.Template
	RowGroup      = parquet.RowGroup
	RowRange      = reader.RowRange
	SortingColumn = parquet.SortingColumn
	FooterError   = parquet.FooterError
	Encodings     = writer.Encodings // by which columns are written
	ColumnBounds  = parquet.ColumnBounds
	GroupCounts   = parquet.GroupCounts
	LeafZones     = parquet.LeafZones
	PageExtent    = parquet.PageExtent
	BloomFilter   = writer.BloomFilter
	CurveOrder    = parquet.CurveOrder
	KeyOrder      = parquet.KeyOrder
	RowOrder      = parquet.RowOrder
)

// ParseBloomFilter reads COLUMN or COLUMN:FPP.
func ParseBloomFilter(text string) (BloomFilter, error) { return writer.ParseBloomFilter(text) }

// The numbers of rows of a Parquet page, unless they take more than about a megabyte, and of a row group when no others
// are asked for. A reader that skips pages reads one page for one row.
const (
	DefaultPageRows     = writer.DefaultPageRows
	DefaultRowGroupRows = writer.DefaultRowGroupRows
)

// parquet returns the options for a Parquet file.
func (o *ReadOptions) parquet() parquet.ReadOptions {
	return parquet.ReadOptions{Allocator: o.Allocator, Flat: o.Flat, Threads: o.Threads, Dictionaries: o.Dictionaries,
		Progress: o.Progress, DeclaredLimit: o.declaredLimit, Footer: o.Footer, InBatches: o.inBatches,
		Ranges: o.Ranges}
}

// parquet returns the options for a Parquet file.
func (o *WriteOptions) parquet() parquet.WriteOptions {
	return parquet.WriteOptions{
		EncodeOptions: parquet.EncodeOptions{
			Allocator: o.Allocator, Threads: o.Threads, Codec: o.Compression.Codec, Level: o.Compression.Level,
			RowGroupRows: o.RowGroupRows, PageRows: o.PageRows, PageVersion: o.PageVersion, Encodings: o.Encodings,
			BloomFilters: o.BloomFilters, Schema: o.Schema, Rows: o.Rows, Progress: o.Progress,
		},
		Template: o.Template, Order: o.Order, Curve: o.Curve,
	}
}

// WriteOptions are the options of Write and Create. The zero value is right.
type WriteOptions struct {
	Name         string                // of the file in errors; empty: its path
	Format       Format                // Auto: by the file's name; an IPC stream for Pipe
	Stdout       io.Writer             // what Pipe writes; nil: os.Stdout
	Create       Creator               // of files that are elsewhere; nil: local ones
	Allocator    memory.Allocator      // nil: memory.DefaultAllocator
	Threads      int                   // 0: GOMAXPROCS
	Compression  Compression           // how Parquet columns and IPC buffers are compressed
	RowGroupRows int                   // rows of a Parquet row group; 0: DefaultRowGroupRows
	PageRows     int                   // rows of a Parquet page at most; 0: DefaultPageRows
	PageVersion  int                   // of Parquet's data pages, 1 or 2; 0: 1
	Encodings    Encodings             // of Parquet's columns
	BloomFilters []BloomFilter         // of columns of a Parquet file
	Schema       *arrow.Schema         // of a Parquet file; tables may have its strings as dictionaries; nil: theirs
	Template     *Template             // of the Parquet file whose schema, metadata and compression are kept
	Delimiter    rune                  // between the values of a line of CSV; 0: a comma, or a tab in .tsv
	NoHeader     bool                  // CSV has no line of column names
	Order        RowOrder              // of the rows, for the metadata of a Parquet file
	Curve        *CurveOrder           // the same, where the rows follow a curve; nil: none
	Rows         []uint64              // row numbers, in order, of a table that becomes a Parquet file; nil: all rows
	Progress     func(done, total int) // called now and then, from one goroutine at a time
}

// name returns the name of the output in errors.
func (o *WriteOptions) name(path string) string {
	return cmp.Or(o.Name, path)
}

// What a file may take in memory when nobody has set a limit. A small file can declare any number of values.
const (
	leastLimit   = 1 << 30 // for any file
	limitPerByte = 1000    // for each byte of the file
)

// setAllocationLimit sets the limit for a file of a size, or of an unknown one, and makes the allocator keep it.
func (o *ReadOptions) setAllocationLimit(size int64) {
	if o.MemoryLimit == 0 {
		o.MemoryLimit = machine.Memory()
		if size >= 0 {
			o.declaredLimit = max(leastLimit, limitPerByte*size)
		}
		if o.declaredLimit > 0 && (o.MemoryLimit == 0 || o.declaredLimit < o.MemoryLimit) {
			o.MemoryLimit = o.declaredLimit
		}
	}
	o.Allocator = allocators.NewLimiter(cmp.Or(o.Allocator, memory.DefaultAllocator), o.MemoryLimit, ErrLimit)
}
