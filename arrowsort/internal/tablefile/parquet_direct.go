package tablefile

import (
	"context"
	"sync/atomic"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/machine"
)

// A directColumn is a flat column of fixed width, or of indices into a dictionary, whose pages are decoded to their place in
// one buffer for all row groups. pqarrow takes about five times the memory of a table to read it, and fresh memory is the
// greater part of reading. What is not understood here, all that is broken among it, pqarrow reads, or says why not.
type directColumn struct {
	leaf     int // number of the column in the file
	typ      arrow.DataType
	width    int // bytes of a value or an index
	nullable bool
	values   *memory.Buffer // of all rows
	parts    []part
	foreign  atomic.Bool // some page is not understood
}

// A part is the rows of a row group.
type part struct {
	first, rows int
	validity    *memory.Buffer // nil: all valid
	nulls       int
	dictionary  arrow.Array // of a column of indices
}

// newDirectColumn is the column for a field of the file; nil for one that pqarrow has to read.
func (f *parquetFile) newDirectColumn(i int) *directColumn {
	field, meta := &f.fields[i], f.file.MetaData()
	if !isLeaf(field) || meta.NumRows == 0 || meta.NumRows > maxDirectRows {
		return nil
	}
	column := meta.Schema.Column(field.ColIndex)
	c := &directColumn{leaf: field.ColIndex, typ: f.schema.Field(i).Type, nullable: column.MaxDefinitionLevel() == 1}
	c.width = storedWidth(c.typ, column.PhysicalType())
	if c.width == 0 || column.MaxDefinitionLevel() > 1 || column.MaxRepetitionLevel() > 0 {
		return nil
	}
	for _, group := range meta.RowGroups {
		for _, e := range group.Columns[c.leaf].MetaData.Encodings {
			if e != plainEncoding && e != plainDictionary && e != rleEncoding && e != rleDictionary {
				return nil
			}
		}
	}
	first := 0
	for _, group := range meta.RowGroups {
		c.parts = append(c.parts, part{first: first, rows: int(group.NumRows)})
		first += int(group.NumRows)
	}
	c.values = newBuffer(f.opts.Allocator, first*c.width)
	machine.AdviseHuge(c.values.Bytes())
	return c
}

// maxDirectRows is far more than a table can have in memory; their bytes can be counted.
const maxDirectRows = 1 << 48

// storedWidth is the bytes of a value that Parquet stores as Arrow does, or of an index in place of text; 0 for all else.
func storedWidth(typ arrow.DataType, physical parquet.Type) int {
	switch typ.ID() {
	case arrow.INT64, arrow.UINT64, arrow.TIMESTAMP, arrow.TIME64:
		return widthIf(physical == parquet.Types.Int64, 8)
	case arrow.INT32, arrow.UINT32, arrow.DATE32, arrow.TIME32:
		return widthIf(physical == parquet.Types.Int32, 4)
	case arrow.FLOAT64:
		return widthIf(physical == parquet.Types.Double, 8)
	case arrow.FLOAT32:
		return widthIf(physical == parquet.Types.Float, 4)
	case arrow.DICTIONARY:
		d := typ.(*arrow.DictionaryType)
		text := d.ValueType.ID() == arrow.STRING || d.ValueType.ID() == arrow.BINARY
		return widthIf(physical == parquet.Types.ByteArray && text && d.IndexType.ID() == arrow.INT32, 4)
	}
	return 0
}

func widthIf(ok bool, width int) int {
	if ok {
		return width
	}
	return 0
}

func (c *directColumn) release() {
	c.values.Release()
	for _, p := range c.parts {
		if p.validity != nil {
			p.validity.Release()
		}
		if p.dictionary != nil {
			p.dictionary.Release()
		}
	}
}

// read reads the rows of a row group.
func (c *directColumn) read(f *parquetFile, group int, s *pageScratch) error {
	part := &c.parts[group]
	pages, err := s.open(f, group, c.leaf)
	if err != nil {
		return err
	}
	if c.nullable {
		part.validity = newBuffer(f.opts.Allocator, int(bitutil.BytesForBits(int64(part.rows))))
		clear(part.validity.Bytes())
	}
	for row := 0; row < part.rows; {
		p, err := pages.next()
		switch {
		case err != nil:
			return err
		case p.kind == dictionaryPage:
			err = c.readDictionary(part, &p, s, f.opts.Allocator)
		case p.kind == dataPage && p.values <= part.rows-row:
			err = c.readRows(part, row, &p, s)
			row += p.values
		default:
			return corrupt("a page of kind %d with %d values", p.kind, p.values)
		}
		if err != nil {
			return err
		}
	}
	if part.nulls == 0 && part.validity != nil {
		part.validity.Release()
		part.validity = nil
	}
	return nil
}

// readDirect reads the columns of the file that can be read directly; the others are nil. It tells of each column of a
// row group that it has read.
func (f *parquetFile) readDirect(ctx context.Context, report func()) ([]arrow.Array, error) {
	var columns []*directColumn
	var fields []int
	for i := range f.fields {
		if c := f.newDirectColumn(i); c != nil {
			defer c.release()
			columns, fields = append(columns, c), append(fields, i)
		}
	}
	var scratch spares[*pageScratch]
	defer func() {
		for _, s := range scratch.free {
			s.release()
		}
	}()
	groups := f.file.NumRowGroups()
	err := each(ctx, len(columns)*groups, threads(f.opts.Threads), func(i int) error {
		c, s := columns[i%len(columns)], scratch.take()
		if s == nil {
			s = newPageScratch(f.opts.Allocator)
		}
		defer scratch.give(s)
		if c.foreign.Load() {
			return nil
		}
		if contain(func() error { return c.read(f, i/len(columns), s) }) != nil {
			c.foreign.Store(true)
			return nil
		}
		report()
		return nil
	})
	if err != nil {
		return nil, err
	}
	arrays := make([]arrow.Array, len(f.fields))
	for i, c := range columns {
		if c.foreign.Load() {
			continue
		}
		if arrays[fields[i]], err = c.array(ctx, f.opts); err != nil {
			releaseAll(arrays)
			return nil, err
		}
	}
	return arrays, nil
}
