package reader

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/fileerror"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
)

// A batchColumn reads a column of a row group a batch at a time: its pages, or with pqarrow what is not read here.
type batchColumn struct {
	file    *File
	field   int
	group   int
	scratch *page.Scratch
	flat    *flatReader // nil: the memory for pages is given back, or pqarrow reads
	density float64     // bytes of text in a row, about
	done    int64       // rows that were read
	tree    *node       // of pqarrow
}

func (f *File) openColumn(ctx context.Context, field, group int) (c *batchColumn, err error) {
	c = &batchColumn{file: f, field: field, group: group}
	if !f.DecodesValues(field) {
		c.tree, err = f.open(ctx, &f.fields[field], group)
		return c, err
	}
	text := f.textBytes(f.fields[field].ColIndex, group)
	c.density = float64(text) / float64(max(f.file.MetaData().RowGroups[group].NumRows, 1))
	return c, nil
}

// next reads the next rows. A run is made of many arrays, so that they have no memory that they do not need.
func (c *batchColumn) next(rows int64) (arrays []arrow.Array, err error) {
	if c.tree != nil {
		arrays, err = c.tree.next(rows, c.file.opts.Allocator)
	} else {
		arrays, err = c.nextFlat(rows)
	}
	for i, a := range arrays {
		trimmed := arraydata.Trim(a.Data(), c.memory())
		arrays[i] = array.MakeFromData(trimmed)
		trimmed.Release()
		a.Release()
	}
	return arrays, err
}

func (c *batchColumn) nextFlat(rows int64) (arrays []arrow.Array, err error) {
	err = fileerror.Contain(func() error {
		if err := c.resume(); err != nil {
			return err
		}
		a, err := c.decode(int(rows))
		arrays = []arrow.Array{a}
		return err
	})
	c.done += rows
	if err != nil {
		return nil, c.file.named(err, c.field, c.group)
	}
	return arrays, nil
}

// resume opens the pages, and goes to the row after those that were read.
func (c *batchColumn) resume() (err error) {
	if c.flat != nil {
		return nil
	}
	c.scratch = c.file.takeScratch()
	if c.flat, err = c.file.openFlat(c.field, c.group, batchWindow, c.scratch); err != nil {
		return err
	}
	passed, err := c.flat.pass(int(c.done))
	if err != nil || int64(passed) == c.done {
		return err
	}
	a, err := c.decode(int(c.done) - passed)
	if err == nil {
		a.Release()
	}
	return err
}

func (c *batchColumn) decode(rows int) (arrow.Array, error) {
	return c.flat.array(c.memory(), rows, int(c.density*float64(rows)))
}

// memory is the allocator of columns that are not left to pqarrow, and of copies of others.
func (c *batchColumn) memory() memory.Allocator {
	if flat := c.file.opts.Flat; flat != nil {
		return flat
	}
	return c.file.opts.Allocator
}

// rest gives the memory for pages back, until the next rows are read. What pqarrow reads stays.
func (c *batchColumn) rest() {
	if c.scratch != nil {
		c.file.giveScratch(c.scratch)
		c.scratch, c.flat = nil, nil
	}
}

func (c *batchColumn) release() {
	c.rest()
	if c.tree != nil {
		c.tree.release()
		c.tree = nil
	}
}
