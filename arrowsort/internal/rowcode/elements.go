package rowcode

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
)

// nestedFormat returns the format of a type of lists or unions.
func nestedFormat(typ arrow.DataType) format {
	switch arraydata.Storage(typ).(type) {
	case *arrow.FixedSizeListType:
		return formatTuple
	case arrow.UnionType:
		return formatUnion
	}
	return formatList
}

// Elements are what the rows of a chunk of lists or unions hold.
type elements struct {
	at       int    // of the first row of the chunk in offsets, sizes and codes
	offsets  []byte // of lists, and of the values of dense unions; nil where rows have as many elements
	wide     bool   // offsets and sizes have 64 bits
	sizes    []byte // of list views
	size     int    // of fixed-size lists, and 1 of unions
	packed   bool   // a key whose elements are encoded all at once: see packedRange
	codes    []byte // of unions
	children []child
	byCode   []int // the child of each type code
}

// A child is the values of the elements: of lists there is one, of unions one for each field.
type child struct {
	sources []source
	first   int  // element number of its first row
	rows    int  // of the sources
	bytes   int  // of each of them
	varies  bool // bytes is only the least number
}

// openNested makes the elements of a chunk and checks that they are in their arrays.
func (e *encoder) openNested(k *chunk, slice adapter.NestedRows) error {
	data := slice.Data
	k.at = slice.First
	if err := k.openBuffers(data); err != nil {
		return err
	}
	if len(data.Children()) != len(k.inner) {
		return fmt.Errorf("%w: an array of type %s has %d children in place of %d",
			arrow.ErrInvalid, data.DataType(), len(data.Children()), len(k.inner))
	}
	var ranges []numberRange
	packed, err := e.packedRange(k, data)
	if k.packed = packed.lo <= packed.hi; k.packed {
		ranges = []numberRange{packed}
	} else if err == nil {
		ranges, err = k.ranges(e.ctx, data)
	}
	if err != nil {
		return err
	}
	k.children = make([]child, len(k.inner))
	for i, field := range data.Children() {
		if err := e.openChild(&k.children[i], &k.inner[i], field, ranges[i]); err != nil {
			return err
		}
	}
	return nil
}

// openBuffers borrows the buffers of an array of lists or unions.
func (k *chunk) openBuffers(data arrow.ArrayData) error {
	width, last := 4, 1 // bytes of an offset; offsets after that of the last row
	switch t := arraydata.Storage(data.DataType()).(type) {
	case *arrow.FixedSizeListType:
		k.size = int(t.Len())
		return nil
	case arrow.UnionType:
		k.size, k.codes, k.byCode = 1, arraydata.Bytes(data, 1), t.ChildIDs()
		if len(k.codes) < k.at+k.Rows {
			return k.short(data, "type codes")
		}
		if t.Mode() == arrow.SparseMode {
			return nil
		}
		if k.offsets = arraydata.Bytes(data, 2); len(k.offsets) < 4*(k.at+k.Rows) {
			return k.short(data, "offsets")
		}
		return nil
	case *arrow.LargeListType:
		width = 8
	case *arrow.ListViewType:
		last = 0
	case *arrow.LargeListViewType:
		width, last = 8, 0
	}
	k.wide = width == 8
	if k.offsets = arraydata.Bytes(data, 1); len(k.offsets) < width*(k.at+k.Rows+last) {
		return k.short(data, "offsets")
	}
	if last == 0 {
		if k.sizes = arraydata.Bytes(data, 2); len(k.sizes) < width*(k.at+k.Rows) {
			return k.short(data, "sizes")
		}
	}
	return nil
}

func (k *chunk) short(data arrow.ArrayData, buffer string) error {
	return fmt.Errorf("%w: an array of type %s has too few %s for %d rows",
		arrow.ErrInvalid, data.DataType(), buffer, k.at+k.Rows)
}

// number reads offset or size i.
func (k *elements) number(b []byte, i int) int {
	if k.wide {
		return int(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return int(int32(binary.LittleEndian.Uint32(b[4*i:])))
}

// span returns the elements of row i, which is not null: n of them from number lo on, of one child.
func (k *elements) span(i int) (child, lo, n int) {
	i += k.at
	switch {
	case k.codes != nil:
		if lo = i; k.offsets != nil {
			lo = k.number(k.offsets, i)
		}
		return k.byCode[k.codes[i]], lo, 1
	case k.offsets == nil:
		return 0, i * k.size, k.size
	case k.sizes != nil:
		return 0, k.number(k.offsets, i), k.number(k.sizes, i)
	}
	lo = k.number(k.offsets, i)
	return 0, lo, k.number(k.offsets, i+1) - lo
}

// A numberRange are the elements lo..hi-1 of a child that rows have: none when lo is not below hi.
type numberRange struct{ lo, hi int }

// ranges returns the elements of each child that rows have. All of them are in their array.
func (k *chunk) ranges(ctx context.Context, data arrow.ArrayData) ([]numberRange, error) {
	found := make([]numberRange, len(k.inner))
	for i := range found {
		found[i].lo = math.MaxInt
	}
	for i := range k.Rows {
		if i%tileRows == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !k.valid(i) {
			continue
		}
		if k.codes != nil {
			if code := k.codes[k.at+i]; int(code) >= len(k.byCode) || k.byCode[code] < 0 {
				return nil, fmt.Errorf("%w: row %d: %s has no type code %d", arrow.ErrInvalid, i, k.plain, code)
			}
		}
		c, lo, n := k.span(i)
		if all := data.Children()[c].Len(); lo < 0 || n < 0 || lo > all || n > all-lo {
			return nil, fmt.Errorf("%w: row %d has %d elements from element %d of %d on",
				arrow.ErrInvalid, i, n, lo, all)
		}
		if n > 0 {
			found[c].lo, found[c].hi = min(found[c].lo, lo), max(found[c].hi, lo+n)
		}
	}
	return found, nil
}

// openChild makes the sources of some elements of an array.
func (e *encoder) openChild(c *child, f *Format, data arrow.ArrayData, of numberRange) error {
	c.bytes, c.varies = f.bytes()
	if c.rows = max(0, of.hi-of.lo); of.lo <= of.hi {
		c.first = of.lo
	}
	c.sources = make([]source, len(f.leaves))
	for i := range f.leaves {
		l := &f.leaves[i]
		values, err := e.raw.ChildValues(data, c.first, c.rows, l.Path)
		if err == nil {
			c.sources[i], err = e.source(l, values)
		}
		if err != nil {
			return fmt.Errorf("%s of type %s: %w", l.Name, l.Type, err)
		}
	}
	return nil
}
