package tablefile

import (
	"context"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/allocators"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/csv"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/ipc"
)

// openBatches opens an Arrow file, of which src is an io.ReaderAt, or a stream of size bytes, negative when unknown.
func openBatches(format Format, src io.Reader, size int64, mem memory.Allocator) (*ipc.Reader, error) {
	if format == IPCFile {
		return ipc.OpenFile(src.(io.ReaderAt), size, mem)
	}
	return ipc.OpenStream(src, size, mem)
}

// ipcBatches are the record batches that have rows.
type ipcBatches struct {
	*ipc.Reader
	mem   memory.Allocator
	file  io.ReaderAt // nil: a pipe
	limit int64       // bytes of all batches; 0: none
	bytes int64       // of the batches so far

	announcer Announcer // to which a file is not announced yet; else nil
}

// announce announces the messages that are read.
func (b *ipcBatches) announce() {
	var ranges []Range
	for _, place := range b.Places() {
		ranges = append(ranges, Range{From: place[0], To: place[1]})
	}
	b.announcer.Announce(ranges)
	b.announcer = nil
}

func (b *ipcBatches) Next(context.Context) (arrow.Table, error) {
	if b.announcer != nil {
		b.announce()
	}
	for {
		rec, err := b.Reader.Next()
		if err != nil {
			return nil, allocators.Failure(b.mem, err)
		}
		for _, a := range rec.Columns() {
			b.bytes += arraydata.ArrayBytes(a.Data(), a.Data().Offset(), a.Len())
		}
		if b.limit > 0 && b.bytes > b.limit {
			return nil, fmt.Errorf("%w: its record batches take more than %d bytes, which is all that a file of its "+
				"size may unless a larger limit is set", ErrLimit, b.limit)
		}
		if rec.NumRows() > 0 {
			return array.NewTableFromRecords(b.Schema(), []arrow.Record{rec}), nil
		}
	}
}

func (b *ipcBatches) Close() { b.Release() }

// A batchWriter writes tables in record batches.
type batchWriter struct {
	out interface {
		Write(rec arrow.Record) error
		Close() error
	}
	most     int64 // rows of a batch
	progress func(done, total int)
	rows     int64 // so far
}

func (b *batchWriter) Write(_ context.Context, table arrow.Table) error {
	r := array.NewTableReader(table, b.most)
	defer r.Release()
	for done := 0; r.Next(); {
		if err := b.out.Write(r.Record()); err != nil {
			return err
		}
		b.rows += r.Record().NumRows()
		if done += int(r.Record().NumRows()); b.progress != nil {
			b.progress(done, int(table.NumRows()))
		}
	}
	return nil
}

func (b *batchWriter) Finish() error { return b.out.Close() }

func (b *batchWriter) Rows() int64 { return b.rows }

// abort closes a writer without writing the end of the file.
func (b *batchWriter) abort() {
	if out, ok := b.out.(*ipc.Writer); ok && out != nil {
		out.Abort()
	}
}

// source returns a CSV file.
func (o *ReadOptions) source(file io.ReaderAt, size int64) csv.Source {
	return csv.Source{Text: file, Size: size, Delimiter: o.Delimiter, MaxRow: o.MaxRow}
}

type csvBatches struct{ *csv.Reader }

func (c csvBatches) Next(ctx context.Context) (arrow.Table, error) {
	rec, err := c.Reader.Next(ctx)
	if err != nil {
		return nil, err
	}
	defer rec.Release()
	return array.NewTableFromRecords(rec.Schema(), []arrow.Record{rec}), nil
}

func (c csvBatches) Close() { c.Release() }
