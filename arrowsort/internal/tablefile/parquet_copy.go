package tablefile

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet/schema"
)

// ErrNotSorted is what ends CopySorted when the rows are not in order.
var ErrNotSorted = errors.New("the rows are not in order")

// CopySorted writes a copy of a Parquet file whose rows are in an order, opts.Sorting: the same pages, with the order and a page index in
// the metadata. It reads every page for that, so that a broken one is found, and calls check meanwhile, which makes sure of the order: its
// error ends the copying. Nothing is written, and it is false, for a file with columns whose pages it cannot read, and after an error. Of
// the options it uses Sorting, Threads and Progress. Errors name the file.
func CopySorted(ctx context.Context, from, to string, opts WriteOptions, check func(ctx context.Context) error) (size int64, ok bool, err error) {
	err = contain(func() error {
		size, ok, err = copySorted(ctx, from, to, opts, check)
		return err
	})
	if err != nil {
		return 0, false, inFile(to, "standard output", err)
	}
	return size, ok, nil
}

func copySorted(ctx context.Context, from, to string, opts WriteOptions, check func(ctx context.Context) error) (int64, bool, error) {
	file, err := os.Open(from)
	if err != nil {
		return 0, false, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return 0, false, err
	}
	recycled := newRecycler(memory.DefaultAllocator)
	f, err := openParquet(file, info.Size(), ReadOptions{Allocator: recycled, Threads: opts.Threads})
	if err != nil {
		return 0, false, err
	}
	for i := range f.fields {
		if _, ok := f.direct(i); !ok || f.schema.Field(i).Type.ID() == arrow.DICTIONARY {
			return 0, false, nil
		}
	}
	c := &sortedCopy{parquetFile: f, opts: opts, check: check, end: int64(len(parquetMagic))}
	for _, group := range f.file.MetaData().RowGroups {
		for _, column := range group.Columns {
			m := column.MetaData
			if m.BloomFilterOffset != nil {
				return 0, false, nil // it lies behind the pages, and would have to move
			}
			c.end = max(c.end, chunkStart(m.DictionaryPageOffset, m.DataPageOffset)+m.TotalCompressedSize)
		}
	}
	target, err := openPending(to, nil)
	if err != nil {
		return 0, false, err
	}
	out := &countingWriter{ctx: ctx, w: target}
	if err := c.write(ctx, out); err != nil {
		target.Abort()
		return 0, false, err
	}
	return out.n, true, target.Commit()
}

// A sortedCopy is a copy of a file under way.
type sortedCopy struct {
	*parquetFile
	opts  WriteOptions
	check func(ctx context.Context) error
	end   int64 // of the pages
}

// write copies the pages while their index is made, and writes index and footer behind them.
func (c *sortedCopy) write(ctx context.Context, w io.Writer) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	footer := c.file.MetaData()
	out := stitcher{w: w, n: c.end, footer: footer}
	var both sync.WaitGroup
	meanwhile := func(work func() error) {
		both.Go(func() {
			if err := contain(work); err != nil {
				cancel(err)
			}
		})
	}
	meanwhile(func() error { return c.check(ctx) })
	meanwhile(func() (err error) {
		out.index, err = c.index(ctx)
		return err
	})
	_, err := io.CopyBuffer(plainWriter{w}, plainReader{ctx, io.NewSectionReader(c.src, 0, c.end)}, make([]byte, copyStep))
	if err != nil {
		cancel(err)
	}
	if both.Wait(); ctx.Err() != nil {
		return context.Cause(ctx)
	}
	for _, group := range footer.RowGroups {
		for _, column := range group.Columns {
			column.ColumnIndexOffset, column.ColumnIndexLength = nil, nil
		}
	}
	if err := out.writeIndex(); err != nil {
		return err
	}
	setSorting(footer, c.opts.Sorting)
	return out.writeFooter()
}

const copyStep = 1 << 20

// plainWriter and plainReader hide short cuts of files, which would pass by the look at the context and the disk.
type (
	plainWriter struct{ io.Writer }
	plainReader struct {
		ctx context.Context
		io.Reader
	}
)

func (r plainReader) Read(b []byte) (int, error) {
	if err := context.Cause(r.ctx); err != nil {
		return 0, err
	}
	return r.Reader.Read(b)
}

// index makes the index of all column chunks.
func (c *sortedCopy) index(ctx context.Context) ([]chunkIndex, error) {
	columns := len(c.fields)
	index := make([]chunkIndex, columns*c.file.NumRowGroups())
	report := progress(c.opts.Progress, len(index))
	var scratch spares[*valueScratch]
	err := each(ctx, len(index), threads(c.opts.Threads), func(i int) error {
		s := scratch.take()
		if s == nil {
			s = new(valueScratch)
		}
		defer scratch.give(s)
		x, err := c.indexChunk(i%columns, i/columns, s)
		if err != nil {
			return corrupt("column %q of row group %d: %v", c.schema.Field(i%columns).Name, i/columns, err)
		}
		index[i] = chunkIndex{x.columnIndex(), x.offsetIndex(0)}
		report()
		return nil
	})
	return index, err
}

// indexChunk reads the pages of a column chunk.
func (c *sortedCopy) indexChunk(field, group int, s *valueScratch) (*pageIndex, error) {
	pieces, err := c.openPieces(field, group)
	if err != nil {
		return nil, err
	}
	defer pieces.release()
	x := &pageIndex{column: c.file.MetaData().Schema.Column(c.fields[field].ColIndex)}
	chunk := pieces.chunk()
	for row, rows := 0, int(c.file.MetaData().RowGroups[group].NumRows); row < rows; {
		n, err := chunk.span(rows-row, pieces.keep())
		if err != nil {
			return nil, err
		}
		if n != chunk.left {
			return nil, corrupt("a page has %d rows, of which %d belong to the row group", chunk.left, n)
		}
		page := indexedPage{at: chunk.pages.start, size: int(chunk.pages.offset() - chunk.pages.start), row: row}
		a, err := pieces.direct(n)
		if err != nil {
			return nil, err
		}
		page.pageBounds = boundsOf(c.schema.Field(field), x.column, a, s)
		a.Release()
		x.pages = append(x.pages, page)
		row += n
	}
	return x, nil
}

// boundsOf are the bounds of all values of an array.
func boundsOf(field arrow.Field, column *schema.Column, a arrow.Array, s *valueScratch) pageBounds {
	if v := newValues(field, column, a, false, s); v != nil && valueOrder(column) != nil {
		return v.pageBounds(0, a.Len(), a.NullN())
	}
	return pageBounds{nulls: int64(a.NullN()), empty: a.NullN() == a.Len(), unknown: a.NullN() < a.Len()}
}
