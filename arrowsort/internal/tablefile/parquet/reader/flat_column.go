package reader

import (
	"context"
	"io"
	"math"
	"sync/atomic"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
	"github.com/arrowsort/arrowsort/internal/machine"
	"github.com/arrowsort/arrowsort/internal/workers"
)

// A wholeColumn is a flat column of all row groups. Values of fixed width and dictionary indices are decoded to one
// buffer, text to an array for each row group. pqarrow allocates about five times the memory of a table, and page
// faults are the greater part of reading.
type wholeColumn struct {
	field       int
	typ         arrow.DataType
	width       int            // bytes of a value or an index; 0: text
	values      *memory.Buffer // of all rows; nil: text
	groups      []rowGroup
	unsupported atomic.Bool // some page of text has no indices: pqarrow makes them
}

// A rowGroup is the rows of a row group.
type rowGroup struct {
	first, rows int
	bytes       int            // about those of text
	validity    *memory.Buffer // of rows of which some are null
	nulls       int
	dictionary  arrow.Array // of a column of indices
	text        arrow.Array
}

// newWholeColumn returns the column for a field of the file; nil for one that pqarrow has to read.
func (f *File) newWholeColumn(i int) *wholeColumn {
	width, ok := f.flatWidth(i)
	if !ok {
		return nil
	}
	leaf, meta := f.fields[i].ColIndex, f.file.MetaData()
	c := &wholeColumn{field: i, typ: f.schema.Field(i).Type, width: width}
	first := 0
	for group, g := range meta.RowGroups {
		c.groups = append(c.groups, rowGroup{first: first, rows: int(g.NumRows), bytes: f.textBytes(leaf, group)})
		first += int(g.NumRows)
	}
	if c.width > 0 {
		c.values = arraydata.NewBuffer(f.opts.Allocator, first*c.width)
		machine.AdviseHuge(c.values.Bytes(), machine.HugeBytes)
	}
	return c
}

// textBytes returns about the bytes of text in a column of a row group: those of its pages without the lengths of the
// values. They are fewer where the values are indices into a dictionary.
func (f *File) textBytes(leaf, group int) int {
	m := f.file.MetaData().RowGroups[group].Columns[leaf].MetaData
	return int(min(max(m.TotalUncompressedSize-4*m.NumValues, 0), maxTextGuess))
}

// maxTextGuess is what is allocated for text of a row group before any of it is seen.
const maxTextGuess = 1 << 30

func (c *wholeColumn) release() {
	if c.values != nil {
		c.values.Release()
	}
	for _, p := range c.groups {
		if p.validity != nil {
			p.validity.Release()
		}
		arraydata.Release([]arrow.Array{p.dictionary, p.text})
	}
}

// read reads the rows of a row group.
func (c *wholeColumn) read(f *File, group int, s *page.Buffers) (err error) {
	part := &c.groups[group]
	r, err := f.openFlat(c.field, group, wholeWindow, s)
	if err != nil {
		return err
	}
	skipped := int(f.skip(group, f.fields[c.field].ColIndex))
	if typ, ok := c.typ.(*arrow.DictionaryType); ok {
		r.keep = func(p *page.Page) (n int, err error) {
			if n, err = r.keepText(p); err == nil {
				part.dictionary = r.textEntries(n, typ.ValueType, f.opts.Allocator)
			}
			return n, err
		}
	}
	if err := r.skip(skipped, f.opts.Allocator); err != nil {
		return err
	}
	if c.width == 0 {
		part.text, err = r.array(f.opts.Allocator, part.rows, part.bytes)
	} else {
		part.validity = r.newValidity(f.opts.Allocator, part.rows)
		part.nulls, err = r.read(c.values.Bytes()[part.first*c.width:][:part.rows*c.width], part.validity.Bytes())
	}
	if err != nil {
		return err
	}
	return f.finish(r.pages, group, f.fields[c.field].ColIndex)
}

// readFlat reads the columns of the file whose pages are decoded here, as one array or one for each row group; the
// others are nil. It reports each column of a row group that it has read.
func (f *File) readFlat(ctx context.Context, report func(int)) ([][]arrow.Array, error) {
	var columns []*wholeColumn
	var fields []int
	for i := range f.fields {
		if c := f.newWholeColumn(i); c != nil {
			defer c.release()
			columns, fields = append(columns, c), append(fields, i)
		}
	}
	var scratch workers.Spares[*page.Buffers]
	defer scratch.Drain((*page.Buffers).Release)
	groups := f.file.NumRowGroups()
	err := workers.Each(ctx, len(columns)*groups, f.opts.Threads, func(i int) error {
		c, s := columns[i%len(columns)], scratch.Take()
		if s == nil {
			s = page.NewBuffers(f.opts.Allocator)
		}
		defer scratch.Give(s)
		if c.unsupported.Load() {
			return nil
		}
		err := errkind.Contain(func() error { return c.read(f, i/len(columns), s) })
		if err != nil && c.typ.ID() == arrow.DICTIONARY {
			c.unsupported.Store(true)
			return nil
		}
		if err != nil {
			return f.named(err, c.field, i/len(columns))
		}
		report(1)
		return nil
	})
	if err != nil {
		return nil, err
	}
	arrays := make([][]arrow.Array, len(f.fields))
	for i, c := range columns {
		if c.unsupported.Load() {
			continue
		}
		if arrays[fields[i]], err = c.arrays(ctx, f.opts); err != nil {
			for _, a := range arrays {
				arraydata.Release(a)
			}
			return nil, err
		}
	}
	return arrays, nil
}

// arrays returns the arrays of text, or one of all parts. The column keeps none of them.
func (c *wholeColumn) arrays(ctx context.Context, opts Options) ([]arrow.Array, error) {
	if c.width > 0 {
		a, err := c.array(ctx, opts)
		return []arrow.Array{a}, err
	}
	arrays := make([]arrow.Array, len(c.groups))
	for i := range c.groups {
		arrays[i], c.groups[i].text = c.groups[i].text, nil
	}
	return arrays, nil
}

// array joins the parts to one array.
func (c *wholeColumn) array(ctx context.Context, opts Options) (arrow.Array, error) {
	rows, nulls := 0, 0
	for _, p := range c.groups {
		rows, nulls = rows+p.rows, nulls+p.nulls
	}
	var validity *memory.Buffer
	if nulls > 0 {
		validity = arraydata.NewBuffer(opts.Allocator, int(bitutil.BytesForBits(int64(rows))))
		defer validity.Release()
		for _, p := range c.groups {
			if p.nulls == 0 {
				bitutil.SetBitsTo(validity.Bytes(), int64(p.first), int64(p.rows), true)
			} else {
				bitutil.CopyBitmap(p.validity.Bytes(), 0, p.rows, validity.Bytes(), p.first)
			}
		}
	}
	data := array.NewData(c.typ, rows, []*memory.Buffer{validity, c.values}, nil, nulls, 0)
	defer data.Release()
	if c.typ.ID() == arrow.DICTIONARY {
		dictionary, err := c.unify(ctx, opts)
		if err != nil {
			return nil, err
		}
		defer dictionary.Release()
		data.SetDictionary(dictionary.Data())
	}
	return array.MakeFromData(data), nil
}

// unify merges the dictionaries of the parts and rewrites the indices in place.
func (c *wholeColumn) unify(ctx context.Context, opts Options) (arrow.Array, error) {
	unifier, err := array.NewDictionaryUnifier(opts.Allocator, c.typ.(*arrow.DictionaryType).ValueType)
	if err != nil {
		return nil, err
	}
	defer unifier.Release()
	maps := make([]*memory.Buffer, len(c.groups))
	for i, p := range c.groups {
		if p.dictionary == nil || p.dictionary.Len() == 0 {
			continue // all rows are null
		}
		if maps[i], err = unifier.UnifyAndTranspose(p.dictionary); err != nil {
			return nil, err
		}
		defer maps[i].Release()
	}
	err = workers.Each(ctx, len(c.groups), opts.Threads, func(i int) error {
		if maps[i] == nil {
			return nil
		}
		p := c.groups[i]
		to := arrow.Int32Traits.CastFromBytes(maps[i].Bytes())
		indices := arrow.Int32Traits.CastFromBytes(c.values.Bytes())[p.first : p.first+p.rows]
		for i, index := range indices {
			indices[i] = to[index]
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return unifier.GetResultWithIndexType(arrow.PrimitiveTypes.Int32)
}

// textEntries returns the n entries of the dictionary of text that is kept.
func (r *columnReader) textEntries(n int, typ arrow.DataType, mem memory.Allocator) arrow.Array {
	b := array.NewBuilder(mem, typ)
	defer b.Release()
	starts, entries := r.scratch.Starts, r.scratch.Entries.Bytes()
	for i := range n {
		switch entry := entries[starts[i] : starts[i+1]-4]; b := b.(type) {
		case *array.StringBuilder:
			b.Append(string(entry))
		case *array.BinaryBuilder:
			b.Append(entry)
		}
	}
	return b.NewArray()
}

// openFlat opens a column for which flatWidth reports true.
func (f *File) openFlat(field, group, window int, s *page.Buffers) (*columnReader, error) {
	leaf := f.fields[field].ColIndex
	pages, err := f.openPages(group, leaf, window, s)
	nullable := f.file.MetaData().Schema.Column(leaf).MaxDefinitionLevel() == 1
	r := &columnReader{chunkReader: chunkReader{pages: pages, scratch: s, nullable: nullable, entries: -1},
		typ: f.schema.Field(field).Type}
	if r.width, _ = f.flatWidth(field); r.width > 0 {
		r.keep = r.keepNumbers
	} else {
		r.keep = r.keepText
	}
	return r, err
}

// skip passes the first rows of the column chunk: whole pages, and rows of one more.
func (r *columnReader) skip(rows int, mem memory.Allocator) error {
	passed, err := r.skipPages(rows)
	if err == io.EOF {
		return errkind.Corrupt("a column chunk ends before row %d", rows)
	}
	if err != nil || passed == rows {
		return err
	}
	rows -= passed
	if r.width == 0 {
		a, err := r.array(mem, rows, 0)
		if err == nil {
			a.Release()
		}
		return err
	}
	values, validity := arraydata.NewBuffer(mem, rows*r.width), r.newValidity(mem, rows) // indices make no array alone
	defer values.Release()
	defer validity.Release()
	_, err = r.read(values.Bytes(), validity.Bytes())
	return err
}

// array reads the next rows, of which text takes about size bytes.
func (r *columnReader) array(mem memory.Allocator, rows, size int) (arrow.Array, error) {
	switch {
	case r.width > 0:
		return r.numbers(mem, rows)
	case r.typ.ID() == arrow.STRING || r.typ.ID() == arrow.BINARY:
		return readText[int32](r, mem, rows, min(size, math.MaxInt32))
	}
	return readText[int64](r, mem, rows, size)
}
