package reader

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/machine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/fileerror"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
)

// A batchColumn reads a column of a row group a batch at a time: its pages as a flatColumn does, or with pqarrow from
// the first page on that is not understood here.
type batchColumn struct {
	file    *File
	field   int
	group   int
	typ     arrow.DataType
	scratch *page.Scratch // nil: pqarrow reads it
	fixed   *fixedReader
	text    *textReader
	density float64 // bytes of text in a row, about
	done    int64   // rows that were read
	tree    *node   // of pqarrow
	resting bool    // the memory for pages is given back
}

func (f *File) openColumn(field, group int) (*batchColumn, error) {
	c := &batchColumn{file: f, field: field, group: group, typ: f.schema.Field(field).Type}
	return c, c.begin()
}

// begin begins with the first row.
func (c *batchColumn) begin() error {
	f, field, group := c.file, c.field, c.group
	width, ok := f.flatWidth(field)
	if !ok || c.typ.ID() == arrow.DICTIONARY {
		return nil
	}
	leaf, meta := f.fields[field].ColIndex, f.file.MetaData()
	c.scratch = f.takeScratch()
	nullable := meta.Schema.Column(leaf).MaxDefinitionLevel() == 1
	chunk, err := newChunkReader(f, group, leaf, batchWindow, nullable, c.scratch)
	if err != nil {
		c.release()
		return err
	}
	if width > 0 {
		c.fixed = &fixedReader{chunkReader: chunk, width: width}
	} else {
		c.text = &textReader{chunkReader: chunk, typ: c.typ}
		c.density = float64(f.textBytes(leaf, group)) / float64(max(meta.RowGroups[group].NumRows, 1))
	}
	return nil
}

// rest gives the memory for pages back, until the next rows are read. What pqarrow reads stays.
func (c *batchColumn) rest() {
	if c.scratch != nil {
		c.release()
		c.fixed, c.text, c.resting = nil, nil, true // they look at the page
	}
}

// resume goes back to the row behind those that were read.
func (c *batchColumn) resume() error {
	if !c.resting {
		return nil
	}
	c.resting = false
	if err := c.begin(); err != nil {
		return err
	}
	passed, err := c.chunk().pass(int(c.done), c.keep())
	if err != nil || int64(passed) == c.done {
		return err
	}
	a, err := c.decode(int(c.done) - passed)
	if err == nil {
		a.Release()
	}
	return err
}

// next reads the next rows.
func (c *batchColumn) next(ctx context.Context, rows int64) (arrays []arrow.Array, err error) {
	defer func() { c.done += rows }()
	if err := fileerror.Contain(c.resume); err != nil {
		return nil, err
	}
	if c.scratch != nil {
		err = fileerror.Contain(func() error {
			a, err := c.decode(int(rows))
			arrays = []arrow.Array{a}
			return err
		})
		if err == nil {
			return arrays, nil
		}
		c.release()
	}
	if c.tree == nil {
		if c.tree, err = c.file.open(ctx, &c.file.fields[c.field], c.group); err != nil {
			return nil, err
		}
		if err := c.skip(); err != nil {
			return nil, err
		}
	}
	return c.tree.next(rows, c.file.opts.Allocator)
}

// skip passes the rows that were read without pqarrow.
func (c *batchColumn) skip() error {
	if c.done == 0 {
		return nil
	}
	arrays, err := c.tree.next(c.done, c.file.opts.Allocator)
	arraydata.Release(arrays)
	return err
}

// chunk is what reads the pages without pqarrow, and keep what takes the dictionary.
func (c *batchColumn) chunk() *chunkReader {
	if c.text != nil {
		return &c.text.chunkReader
	}
	return &c.fixed.chunkReader
}

func (c *batchColumn) keep() func(p *page.Page) (int, error) {
	if c.text != nil {
		return c.text.keepText
	}
	return c.fixed.keepNumbers
}

func (c *batchColumn) decode(rows int) (arrow.Array, error) {
	mem := c.file.opts.Allocator
	if flat := c.file.opts.Flat; flat != nil {
		mem = flat
	}
	if c.text != nil {
		return c.text.array(mem, rows, int(c.density*float64(rows)))
	}
	values := arraydata.NewBuffer(mem, rows*c.fixed.width)
	defer values.Release()
	machine.AdviseHuge(values.Bytes())
	var validity *memory.Buffer
	var bitmap []byte
	if c.fixed.nullable {
		validity = arraydata.NewBuffer(mem, int(bitutil.BytesForBits(int64(rows))))
		defer validity.Release()
		bitmap = validity.Bytes()
		clear(bitmap)
	}
	nulls, err := c.fixed.read(values.Bytes(), bitmap, 0)
	if err != nil {
		return nil, err
	}
	if nulls == 0 {
		validity = nil
	}
	data := array.NewData(c.typ, rows, []*memory.Buffer{validity, values}, nil, nulls, 0)
	defer data.Release()
	return array.MakeFromData(data), nil
}

func (c *batchColumn) release() {
	if c.scratch != nil {
		c.file.giveScratch(c.scratch)
		c.scratch = nil
	}
	if c.tree != nil {
		c.tree.release()
		c.tree = nil
	}
}
