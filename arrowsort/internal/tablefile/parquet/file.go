// Package parquet reads and writes Parquet files: footer, schema, the declared order of the rows, and row groups, which
// are copied where their rows need no sorting.
//
// Package reader decodes columns, package writer encodes them, and package page reads and writes the bytes of pages. A
// file may come from anywhere: its whole footer is checked before anything relies on it. Nested columns, rare
// types and rare encodings are left to pqarrow.
package parquet

import (
	"fmt"
	"io"
	"math"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/allocators"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/reader"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/writer"
)

// A File is an open Parquet file and its footer.
type File struct {
	*reader.File
	Template *Template
	Footer   int64 // bytes that the footer takes in memory, about
	src      io.ReaderAt
	size     int64
	threads  int
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
	meta, tree, bytes, err := readMetadata(src, size, opts.Footer)
	if err != nil {
		return nil, err
	}
	props := parquet.NewReaderProperties(allocators.Small{Allocator: opts.Allocator})
	props.BufferedStreamEnabled = opts.InBatches
	// the allocator has the limit
	props.MaxCompressedPageSize, props.MaxUncompressedPageSize = math.MaxInt32, math.MaxInt32
	ranges := &rangeSource{Source: src, size: size}
	if a, ok := src.(page.Announcer); ok {
		opts.Announce = func(of []page.Range) { a.Announce(ranges.real(of)) }
	}
	r, err := file.NewParquetReader(ranges, file.WithReadProps(props), file.WithMetadata(meta))
	if err != nil {
		return nil, errkind.Corrupt("%v", err)
	}
	remarks, order := tree.remarks(meta), takeOrder(meta)
	if !(&Template{meta: meta}).CreatedHere() {
		order = nil // another program may have changed the rows
	}
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
	f := &File{Template: &Template{meta, remarks, order}, Footer: bytes, src: src, size: size, threads: opts.Threads}
	parts, err := f.keep(ranges, opts.Ranges)
	if err != nil {
		return nil, err
	}
	if f.File, err = openColumns(ranges, r, units, parts, opts); err != nil {
		return nil, err
	}
	return f, nil
}

// remarks returns a line for each thing that the footer lacks, and for each type in it that is unknown.
func (t *schemaTree) remarks(meta *metadata.FileMetaData) (lines []string) {
	for _, name := range t.unknown {
		lines = append(lines, fmt.Sprintf("column %q has a logical type that is unknown here: its values are read as "+
			"they are stored, and written without that type", name))
	}
	rows, unnamed := int64(0), false
	for _, group := range meta.RowGroups {
		rows += group.NumRows
		for _, c := range group.Columns {
			unnamed = unnamed || c.MetaData != nil && len(c.MetaData.Encodings) == 0
		}
	}
	if meta.NumRows == 0 && rows > 0 {
		lines = append(lines, fmt.Sprintf("the footer counts no rows, its row groups %d, which are read", rows))
	}
	if unnamed {
		lines = append(lines, "the footer names no encodings of some columns: those of their pages are taken")
	}
	return lines
}

// openColumns finds the columns of a file, with the types that they have in a table; units are those of timestamps of
// 96 bits, parts what is read of row groups.
func openColumns(src io.ReaderAt, r *file.Reader, units map[int]arrow.TimeUnit, parts [][]reader.ChunkPart,
	opts reader.Options) (*reader.File, error) {
	columns := r.MetaData().Schema.Root().NumFields()
	origin, err := arrowSchemaOfWriter(r.MetaData().KeyValueMetadata(), columns, opts.Allocator)
	if err != nil {
		return nil, err
	}
	leaves, err := openLeaves(r, origin, allocators.Small{Allocator: opts.Allocator})
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
	return reader.New(src, r, leaves, fields, arrowSchema(fields, origin, meta.KeyValueMetadata()), parts,
		opts), nil
}

// checkDeclared makes sure that a footer declares no more values than a file of its size may, before any work.
func checkDeclared(meta *metadata.FileMetaData, opts reader.Options) error {
	bytes := float64(0)
	for leaf := range meta.Schema.NumColumns() {
		bytes += reader.ColumnBytes(meta, leaf)
	}
	if opts.DeclaredLimit > 0 && bytes > float64(opts.DeclaredLimit) {
		return fmt.Errorf("%w: its %d rows take about %.0f bytes, a file of its size may take %d unless a larger "+
			"limit is set",
			errkind.ErrLimit, meta.NumRows, bytes, opts.DeclaredLimit)
	}
	return nil
}

// ReadOptions are the options of Open.
type ReadOptions = reader.Options

// EncodeOptions are those of WriteOptions that concern columns.
type EncodeOptions = writer.Options
