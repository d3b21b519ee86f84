package reader

import (
	"context"
	"errors"
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
	"github.com/arrowsort/arrowsort/internal/workers"
)

// Batches reads the rows of a file in batches, one row group after the other, and the columns of a batch in parallel.
type Batches struct {
	*File
	bytes   int64          // of a batch, approximately
	Rows    int64          // of a batch
	group   int            // row group that is read
	end     int            // row group at which the batches end
	left    int64          // rows of the group that are not read yet
	done    int64          // rows in all
	columns []*batchColumn // of the row group
	Rereads bool           // pages are not kept from batch to batch

	announced bool // the first row group was announced
}

// NewBatches reads a file in batches of about a number of bytes in memory. The caller closes it.
func NewBatches(f *File, bytes int64) *Batches {
	p := &Batches{File: f, group: -1, end: f.file.NumRowGroups(), bytes: bytes}
	p.measure()
	return p
}

// SelectColumns limits reading to some columns, by position. Call it before Next.
func (p *Batches) SelectColumns(columns []int) {
	p.selectColumns(columns)
	p.measure()
}

// SelectParts limits reading to the row groups first to first+count-1. Call it before Next.
func (p *Batches) SelectParts(first, count int) { p.group, p.end = first-1, first+count }

// measure sets the number of rows of a batch from the size of the fields that are read.
func (p *Batches) measure() {
	bytes, row := p.bytes, max(p.rowBytes(), 1)
	if p.Rereads = p.pageBytes() > 2*bytes; p.Rereads {
		p.buffers = nil
		bytes *= rereadingBatches // since some pages are read again for each
	} else if p.buffers == nil {
		p.buffers = new(workers.Spares[*page.Buffers])
	}
	p.Rows = bytes / row
	if p.Rows < fewBatchRows && row/int64(max(len(p.fields), 1)) < longValue {
		p.Rows = min(longBatches*bytes/row, fewBatchRows)
	}
	p.Rows = max(p.Rows, 1)
}

const (
	rereadingBatches = 2       // factor of the batch size if pages are not kept
	fewBatchRows     = 1 << 10 // rows of a batch below which opening and joining arrays dominates
	longBatches      = 4       // factor of the batch size against batches of few rows
	longValue        = 256     // mean bytes of a value above which reading dominates
)

// pageBytes estimates the memory of the current pages of a row group: one page of each column.
func (p *Batches) pageBytes() (bytes int64) {
	if p.file.NumRowGroups() == 0 {
		return 0
	}
	for _, leaf := range leavesOf(nil, p.fields) {
		const usual = 1 << 20 // where most writers end a page
		m := p.file.MetaData().RowGroups[0].Columns[leaf].MetaData
		decoded := float64(min(m.TotalUncompressedSize, usual))
		if p.namedIn(0, leaf)(page.DeltaByteArray) { // prefixes are left out
			decoded *= max(1, p.expandedText(leaf)/max(1, ColumnBytes(p.file.MetaData(), leaf)))
		}
		bytes += int64(decoded) + min(m.TotalCompressedSize, batchWindow)
	}
	return bytes
}

// Next returns the next batch, which the caller releases; io.EOF after the last.
func (p *Batches) Next(ctx context.Context) (arrow.Table, error) {
	for p.left == 0 {
		p.drop()
		if p.group++; p.group >= p.end {
			return nil, io.EOF
		}
		p.left = p.file.MetaData().RowGroups[p.group].NumRows
		p.fetchAhead()
	}
	rows := min(p.Rows, p.left)
	if p.left < p.Rows+p.Rows/4 { // no small rest
		rows = p.left
	}
	p.left -= rows
	p.done += rows
	if p.columns == nil {
		p.columns = make([]*batchColumn, len(p.fields))
	}
	columns := make([]arrow.Column, len(p.fields))
	defer func() {
		for i := range columns {
			if columns[i].Data() != nil {
				columns[i].Release()
			}
		}
	}()
	err := workers.Each(ctx, len(p.fields), p.opts.Threads, func(i int) error {
		arrays, err := p.nextOf(ctx, i, rows)
		if err != nil {
			return err
		}
		defer arraydata.Release(arrays)
		data := joinChunks(p.schema.Field(i).Type, [][]arrow.Array{arrays})
		defer data.Release()
		columns[i] = *arrow.NewColumn(p.schema.Field(i), data)
		return nil
	})
	if errors.Is(err, io.EOF) { // the file was cut meanwhile
		err = errkind.Corrupt("row group %d ends before its last row", p.Number(p.group))
	}
	if err != nil {
		return nil, err
	}
	return array.NewTable(p.schema, columns, rows), nil
}

// fetchAhead announces the row group that follows, which is fetched while the current one is read, and the first one.
func (p *Batches) fetchAhead() {
	from := p.group + 1
	if !p.announced {
		from, p.announced = p.group, true
	}
	p.announce(from, min(p.group+2, p.end))
}

// nextOf reads the next rows of a column.
func (p *Batches) nextOf(ctx context.Context, field int, rows int64) (arrays []arrow.Array, err error) {
	if p.columns[field] == nil {
		if p.columns[field], err = p.openColumn(ctx, field, p.group); err != nil {
			return nil, err
		}
	}
	if arrays, err = p.columns[field].next(rows); err != nil {
		return nil, err
	}
	if p.Rereads {
		p.columns[field].releasePages()
	}
	return arrays, p.check(arrays, field, p.group, rows)
}

// Share returns the share of the rows that was read.
func (p *Batches) Share() float64 {
	return float64(p.done) / float64(max(p.file.NumRows(), 1))
}

// Close releases the memory of the batches.
func (p *Batches) Close() {
	p.drop()
	if p.buffers != nil {
		p.buffers.Drain((*page.Buffers).Release)
		p.buffers = nil
	}
}

// drop closes the columns of the current row group.
func (p *Batches) drop() {
	for _, c := range p.columns {
		if c != nil {
			c.release()
		}
	}
	p.columns = nil
}

// A batchColumn reads a column of a row group batch by batch, with pqarrow if it is not decoded here.
type batchColumn struct {
	file    *File
	field   int
	group   int
	scratch *page.Buffers
	flat    *columnReader // nil after releasePages, or if nested is set
	density float64       // bytes of text in a row, approximately
	done    int64         // rows that were read
	nested  *nestedColumn // nil: the column is decoded here; else pqarrow decodes it
}

func (f *File) openColumn(ctx context.Context, field, group int) (c *batchColumn, err error) {
	c = &batchColumn{file: f, field: field, group: group}
	if !f.DecodesValues(field) {
		c.nested, err = f.open(ctx, &f.fields[field], group)
		return c, err
	}
	text := f.textBytes(f.fields[field].ColIndex, group)
	c.density = float64(text) / float64(max(f.file.MetaData().RowGroups[group].NumRows, 1))
	return c, nil
}

// next reads the next rows. Arrays are trimmed: a run of an external sort holds many of them.
func (c *batchColumn) next(rows int64) (arrays []arrow.Array, err error) {
	if c.nested != nil {
		arrays, err = c.nested.next(rows, c.file.opts.Allocator)
	} else {
		arrays, err = c.nextFlat(rows)
	}
	for i, a := range arrays {
		arrays[i] = arraydata.NewArray(arraydata.Trim(a.Data(), c.memory()))
		a.Release()
	}
	return arrays, err
}

func (c *batchColumn) nextFlat(rows int64) (arrays []arrow.Array, err error) {
	err = errkind.Contain(func() error {
		if err := c.reopen(); err != nil {
			return err
		}
		a, err := c.flat.array(c.memory(), int(rows), int(c.density*float64(rows)))
		if err != nil {
			return err
		}
		arrays = []arrow.Array{a}
		if c.done+rows < c.file.file.MetaData().RowGroups[c.group].NumRows {
			return nil
		}
		return c.file.finish(c.flat.pages, c.group, c.file.fields[c.field].ColIndex)
	})
	c.done += rows
	if err != nil {
		arraydata.Release(arrays)
		return nil, c.file.named(err, c.field, c.group)
	}
	return arrays, nil
}

// reopen opens the pages and skips the rows that were read.
func (c *batchColumn) reopen() (err error) {
	if c.flat != nil {
		return nil
	}
	c.scratch = c.file.takeScratch()
	if c.flat, err = c.file.openFlat(c.field, c.group, batchWindow, c.scratch); err != nil {
		return err
	}
	return c.flat.skip(int(c.done+c.file.skip(c.group, c.file.fields[c.field].ColIndex)), c.memory())
}

// memory returns the allocator of columns that are decoded here, and of copies of the others.
func (c *batchColumn) memory() memory.Allocator {
	if flat := c.file.opts.Flat; flat != nil {
		return flat
	}
	return c.file.opts.Allocator
}

// releasePages releases the page buffers between batches. It does nothing for columns that pqarrow reads.
func (c *batchColumn) releasePages() {
	if c.scratch != nil {
		c.file.giveScratch(c.scratch)
		c.scratch, c.flat = nil, nil
	}
}

func (c *batchColumn) release() {
	c.releasePages()
	if c.nested != nil {
		c.nested.release()
		c.nested = nil
	}
}
