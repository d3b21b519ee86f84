package parquet

import (
	"fmt"
	"io"
	"math"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/fileerror"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/reader"
)

// A File is an open Parquet file and its footer.
type File struct {
	*reader.File
	Layout  *Layout
	src     io.ReaderAt
	size    int64
	threads int
}

// Batches reads the rows in batches of about a number of bytes in memory.
func (f *File) Batches(bytes int64) *reader.Batches {
	return reader.NewBatches(f.File, bytes)
}

// Source is the bytes of a Parquet file.
type Source interface {
	io.ReaderAt
	io.Seeker
}

// Open opens a Parquet file of size bytes. It checks all that its footer declares before anything relies on it.
func Open(src Source, size int64, opts reader.Options) (*File, error) {
	if err := checkMagic(src, size); err != nil {
		return nil, err
	}
	if err := checkSchemaTree(src, size); err != nil {
		return nil, err
	}
	props := parquet.NewReaderProperties(opts.Allocator)
	props.BufferedStreamEnabled = opts.InBatches
	// the allocator has the limit
	props.MaxCompressedPageSize, props.MaxUncompressedPageSize = math.MaxInt32, math.MaxInt32
	r, err := file.NewParquetReader(src, file.WithReadProps(props))
	if err != nil {
		return nil, fileerror.Corrupt("%v", err)
	}
	meta := r.MetaData()
	if err := checkFooter(meta, size); err != nil {
		return nil, err
	}
	if err := checkEncodings(meta); err != nil {
		return nil, err
	}
	if err := checkDeclared(meta, opts); err != nil {
		return nil, err
	}
	units, err := int96AsBytes(src, meta, opts.Allocator)
	if err != nil {
		return nil, err
	}
	columns, err := openColumns(src, r, units, opts)
	if err != nil {
		return nil, err
	}
	return &File{File: columns, Layout: &Layout{meta: meta}, src: src, size: size,
		threads: opts.Threads}, nil
}

// openColumns finds the columns of a file, with the types that they have in a table; units are those of timestamps of 96
// bits.
func openColumns(src io.ReaderAt, r *file.Reader, units map[int]arrow.TimeUnit,
	opts reader.Options) (*reader.File, error) {
	columns := r.MetaData().Schema.Root().NumFields()
	origin, err := originSchema(r.MetaData().KeyValueMetadata(), columns, opts.Allocator)
	if err != nil {
		return nil, err
	}
	leaves, err := openLeaves(r, origin, opts.Allocator)
	if err != nil {
		return nil, err
	}
	meta, manifest := r.MetaData(), *leaves.Manifest
	if leaves.Manifest.Fields, err = leafFields(&manifest, meta.Schema.NumColumns()); err != nil {
		return nil, err
	}
	fields, err := newFileFields(&manifest, origin, meta.Schema, units)
	if err != nil {
		return nil, err
	}
	return reader.New(src, r, leaves, fields, arrowSchema(fields, origin, meta.KeyValueMetadata()), opts), nil
}

// checkDeclared makes sure that a footer declares no more values than a file of its size may, before any work.
func checkDeclared(meta *metadata.FileMetaData, opts reader.Options) error {
	bytes := float64(0)
	for leaf := range meta.Schema.NumColumns() {
		bytes += reader.ColumnBytes(meta, leaf)
	}
	if opts.Declared > 0 && bytes > float64(opts.Declared) {
		return fmt.Errorf("%w: its %d rows take about %.0f bytes, a file of its size may take %d unless a larger "+
			"limit is set",
			fileerror.ErrMemory, meta.NumRows, bytes, opts.Declared)
	}
	return nil
}
