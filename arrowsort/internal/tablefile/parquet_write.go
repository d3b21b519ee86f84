package tablefile

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/apache/arrow/go/v15/parquet/metadata"
	"github.com/apache/arrow/go/v15/parquet/pqarrow"
)

// writeParquet writes row groups in parallel. Each is encoded as a Parquet file of its own in memory; the file gets their
// column chunks one after the other and a footer with the places where they landed. At most two row groups per thread
// are in memory.
func writeParquet(ctx context.Context, w io.Writer, table arrow.Table, opts WriteOptions) error {
	table, err := array.UnifyTableDicts(opts.Allocator, table)
	if err != nil {
		return err
	}
	defer table.Release()
	e := &groupEncoder{table: table, rows: int64(opts.RowGroupRows), props: writerProperties(opts), opts: opts}
	if e.rows == 0 {
		e.rows = DefaultRowGroupRows
	}
	if e.groups() > math.MaxInt16 {
		return fmt.Errorf("%d row groups of %d rows are more than Parquet allows, %d: raise the rows of a row group", e.groups(), e.rows, math.MaxInt16)
	}
	empty, err := e.encode(-1)
	if err != nil {
		return err
	}
	out := &stitcher{w: w, footer: empty.footer}
	if err := out.start(); err != nil {
		return err
	}
	report := progress(opts.Progress, e.groups())
	err = inOrder(ctx, e.groups(), threads(opts.Threads), e.encode, func(group encodedGroup) error {
		defer report()
		return out.append(group)
	})
	if err != nil {
		return err
	}
	return out.finish(table, opts.Layout)
}

// An encodedGroup is a Parquet file with at most one row group.
type encodedGroup struct {
	file   []byte
	footer *metadata.FileMetaData
}

type groupEncoder struct {
	table arrow.Table
	rows  int64 // of a row group
	props *parquet.WriterProperties
	opts  WriteOptions
}

func (e *groupEncoder) groups() int { return int((e.table.NumRows() + e.rows - 1) / e.rows) }

// encode encodes a row group; -1 is none, a file with nothing but a footer.
func (e *groupEncoder) encode(group int) (encodedGroup, error) {
	var file bytes.Buffer
	arrowProps := pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema(), pqarrow.WithAllocator(e.opts.Allocator))
	w, err := pqarrow.NewFileWriter(e.table.Schema(), &file, e.props, arrowProps)
	if err != nil {
		return encodedGroup{}, err
	}
	if group >= 0 {
		w.NewRowGroup()
		first := int64(group) * e.rows
		n := min(e.rows, e.table.NumRows()-first)
		for i := range int(e.table.NumCols()) {
			if err := w.WriteColumnChunked(e.table.Column(i).Data(), first, n); err != nil {
				return encodedGroup{}, fmt.Errorf("column %q: %w", e.table.Schema().Field(i).Name, err)
			}
		}
	}
	if err := w.Close(); err != nil {
		return encodedGroup{}, err
	}
	encoded, err := parseGroup(file.Bytes())
	if err == nil && group >= 0 {
		err = e.checkRows(encoded, group)
	}
	return encoded, err
}

// checkRows makes sure that no column was left out: pqarrow writes nothing for an array that it does not understand.
func (e *groupEncoder) checkRows(encoded encodedGroup, group int) error {
	want := min(e.rows, e.table.NumRows()-int64(group)*e.rows)
	for _, c := range encoded.footer.RowGroups[0].Columns {
		if n := c.MetaData.NumValues; n < want {
			return fmt.Errorf("column %q: Parquet cannot hold its type, %d of %d rows were written", c.MetaData.PathInSchema[0], n, want)
		}
	}
	return nil
}

// writerProperties are the columns' compression and encoding: those of the input's layout, or else zstd and
// dictionaries.
func writerProperties(opts WriteOptions) *parquet.WriterProperties {
	codec, chosen := parquetCodecs[opts.Compression.Codec]
	if !chosen {
		codec = compress.Codecs.Zstd
	}
	props := []parquet.WriterProperty{
		parquet.WithAllocator(opts.Allocator),
		parquet.WithVersion(parquet.V2_LATEST), // older ones have no nanoseconds
		parquet.WithCreatedBy("arrowsort"),
		parquet.WithCompression(codec),
	}
	if opts.Compression.Level != 0 {
		props = append(props, parquet.WithCompressionLevel(opts.Compression.Level))
	}
	if opts.Layout != nil {
		for _, c := range opts.Layout.columns() {
			props = append(props, parquet.WithDictionaryFor(c.path, c.dictionary))
			if !chosen {
				props = append(props, parquet.WithCompressionFor(c.path, c.codec))
			}
		}
	}
	return parquet.NewWriterProperties(props...)
}
