package reader

import (
	"context"
	"encoding/binary"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/fileerror"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
	"github.com/arrowsort/arrowsort/internal/workers"
)

// arrays are the arrays of text, or one of all parts. The column keeps none of them.
func (c *flatColumn) arrays(ctx context.Context, opts Options) ([]arrow.Array, error) {
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
func (c *flatColumn) array(ctx context.Context, opts Options) (arrow.Array, error) {
	rows, nulls := 0, 0
	for _, p := range c.groups {
		rows, nulls = rows+p.rows, nulls+p.nulls
	}
	var validity *memory.Buffer
	if nulls > 0 {
		validity = arraydata.NewBuffer(opts.Allocator, int(bitutil.BytesForBits(int64(rows))))
		defer validity.Release()
		for _, p := range c.groups {
			if p.validity == nil {
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

// unify makes one dictionary of those of the parts and changes the indices, in their place.
func (c *flatColumn) unify(ctx context.Context, opts Options) (arrow.Array, error) {
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

// textEntries are the entries of a dictionary page of text.
func textEntries(p *page.Page, typ arrow.DataType, mem memory.Allocator) (arrow.Array, error) {
	b := array.NewBuilder(mem, typ)
	defer b.Release()
	for range p.Values {
		if len(p.Body) < 4 {
			return nil, fileerror.Corrupt("a dictionary is cut off")
		}
		end := 4 + int(binary.LittleEndian.Uint32(p.Body))
		if end > len(p.Body) {
			return nil, fileerror.Corrupt("an entry of a dictionary is cut off")
		}
		switch b := b.(type) {
		case *array.StringBuilder:
			b.Append(string(p.Body[4:end]))
		case *array.BinaryBuilder:
			b.Append(p.Body[4:end])
		}
		p.Body = p.Body[end:]
	}
	return b.NewArray(), nil
}
