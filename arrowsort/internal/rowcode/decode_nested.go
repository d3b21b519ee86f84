package rowcode

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
)

// skip returns the number of bytes of a leaf that a row begins with, -1 where it does not begin with one. Strict looks
// at values of fixed width too, whose bytes Encode does not make all.
func (l *leaf) skip(row []byte, strict bool) int {
	switch {
	case l.format == formatNone:
		return 0
	case l.varies() && len(row) == 0:
		return -1
	case l.varies() && row[0] == l.null:
		return 1
	case l.varies() && row[0] != classValue:
		return -1
	case l.format == formatText:
		next, _ := scan(row, 1, l.flip)
		return next
	case l.nested():
		return l.eachElement(row, strict, func(int, []byte) {})
	case len(row) < l.bytes:
		return -1
	case strict:
		c := column{leaf: l}
		if _, bad := c.takeValues(new(tile), make([]byte, l.width+1), row, []int{0}, []byte{0xff}); bad >= 0 {
			return -1
		}
	}
	return l.bytes
}

// skip returns the number of bytes of all leaves.
func (f *Format) skip(row []byte, strict bool) (all int) {
	for i := range f.leaves {
		n := f.leaves[i].skip(row[all:], strict)
		if n < 0 {
			return -1
		}
		all += n
	}
	return all
}

// eachElement calls a function for each element of a list or union that is not null, with its child and its bytes. It
// returns the bytes of all, -1 where they are malformed.
func (l *leaf) eachElement(row []byte, strict bool, call func(child int, element []byte)) (p int) {
	flip := byte(l.flip)
	p = 1 // after the class
	one := func(child int) bool {
		f, n := &l.inner[child], -1
		if p == len(row) || row[p] != l.null || f.columns[0].leaf < 0 || !f.leaves[0].whole() {
			n = f.skip(row[p:], strict)
		}
		if n >= 0 {
			call(child, row[p:p+n])
			p += n
		}
		return n >= 0
	}
	switch t := arraydata.Storage(l.plain).(type) {
	case arrow.UnionType:
		if p == len(row) || int(row[p]^flip) >= len(t.ChildIDs()) || t.ChildIDs()[row[p]^flip] < 0 {
			return -1
		}
		p++
		if !one(t.ChildIDs()[row[1]^flip]) {
			return -1
		}
		return p
	case *arrow.FixedSizeListType:
		for range t.Len() {
			if !one(0) {
				return -1
			}
		}
		return p
	}
	for p < len(row) && row[p]^flip == marker {
		p++
		if !one(0) {
			return -1
		}
	}
	if p == len(row) || row[p]^flip != terminator {
		return -1
	}
	return p + 1
}

// skipRows moves the positions over skip bytes and a list or union, which must not pass the ends of the rows. It
// returns a row that is malformed, or -1.
func (c *column) skipRows(data []byte, pos []int, skip int, rowEnds []int64) (bad int) {
	for i, p := range pos {
		p += skip
		n := -1
		if end := int(rowEnds[i]); p <= end {
			n = c.skip(data[p:end:end], false)
		}
		if n < 0 {
			return i
		}
		pos[i] = p + n
	}
	return -1
}

// takePlaces notes where lists and unions begin, which are measured, and moves the positions on.
func (c *column) takePlaces(data []byte, pos []int, valid []byte, lo int) (nulls int) {
	for i, p := range pos {
		c.places[lo+i] = int64(p)
		pos[i] = p + c.skip(data[p:], false)
		if data[p] != classValue {
			clearBit(valid, i)
			nulls++
		}
	}
	return nulls
}

// eachRow calls f for each element of each row, and start before those of a row; null is true for a null.
func (c *column) eachRow(d *decoder, start func(row int, null bool), f func(child int, element []byte)) error {
	for i, p := range c.places {
		if i%tileRows == 0 && d.ctx.Err() != nil {
			return d.ctx.Err()
		}
		row := d.rows.Data[p:]
		null := row[0] != classValue
		start(i, null)
		if !null {
			c.eachElement(row, false, f)
		}
	}
	return nil
}

// decodeElements makes the offsets and the elements of lists and unions.
func (c *column) decodeElements(d *decoder) (err error) {
	switch {
	case !c.nested():
		return nil
	case c.format == formatUnion:
		err = c.decodeUnions(d)
	case c.format == formatTuple:
		size := int(arraydata.Storage(c.plain).(*arrow.FixedSizeListType).Len())
		err = c.decodeTuples(d, size)
	default:
		err = c.decodeLists(d)
	}
	if err != nil && errors.Is(err, ErrRow) {
		for row := range d.n { // whose element it is
			if bytes := d.rows.Row(row); c.skip(bytes[c.places[row]-d.rows.Offsets[row]:], true) < 0 {
				return d.malformed(row)
			}
		}
		err = fmt.Errorf("elements of key %s: %w", c.Name, err)
	}
	return err
}

// An arena is the bytes of the elements of a child, as rows: counted first, then added.
type arena struct {
	bytes, rows int
	Rows
}

func (a *arena) count(element []byte) {
	a.bytes += len(element)
	a.rows++
}

func (a *arena) allocate(d *decoder) error {
	data, err := d.allocate(d.ctx, a.bytes)
	if err != nil {
		return err
	}
	offsets, err := d.allocate(d.ctx, (a.rows+1)*arrow.Int64SizeBytes)
	if err != nil {
		return err
	}
	a.Data, a.Offsets = data.Bytes()[:0], arrow.Int64Traits.CastFromBytes(offsets.Bytes())[:1]
	a.Offsets[0] = 0
	return nil
}

func (a *arena) add(element []byte) {
	a.Data = append(a.Data, element...)
	a.Offsets = append(a.Offsets, int64(len(a.Data)))
}

// decodeChild decodes the elements of a child.
func (c *column) decodeChild(d *decoder, child int, a *arena) error {
	data, err := c.inner[child].decode(d.ctx, &a.Rows, d.opts, true)
	if err == nil {
		c.children = append(c.children, data...)
	}
	return err
}

func (c *column) decodeLists(d *decoder) error {
	var a arena
	err := c.eachRow(d, func(int, bool) {}, func(_ int, e []byte) { a.count(e) })
	if err != nil {
		return err
	}
	width, view := 4, false
	switch arraydata.Storage(c.plain).(type) {
	case *arrow.LargeListType:
		width = 8
	case *arrow.ListViewType:
		view = true
	case *arrow.LargeListViewType:
		width, view = 8, true
	}
	if width == 4 && a.rows > math.MaxInt32 {
		return fmt.Errorf("%w: key %s of type %s has %d elements; decode fewer rows at once",
			errkind.ErrOffsets, c.Name, c.Type, a.rows)
	}
	if err := a.allocate(d); err != nil {
		return err
	}
	if c.values, err = d.allocate(d.ctx, width*(d.n+1)); err != nil {
		return err
	}
	put := func(b *memory.Buffer, i, n int) {
		if width == 4 {
			binary.LittleEndian.PutUint32(b.Bytes()[4*i:], uint32(n))
		} else {
			binary.LittleEndian.PutUint64(b.Bytes()[8*i:], uint64(n))
		}
	}
	err = c.eachRow(d, func(row int, _ bool) { put(c.values, row, len(a.Offsets)-1) },
		func(_ int, e []byte) { a.add(e) })
	if err != nil {
		return err
	}
	put(c.values, d.n, a.rows)
	if view {
		if c.sizes, err = d.allocate(d.ctx, width*d.n); err != nil {
			return err
		}
		for i := range d.n {
			lo, hi := c.values.Bytes()[width*i:], c.values.Bytes()[width*(i+1):]
			put(c.sizes, i, int(arraydata.LittleEndian(hi, width, true)-arraydata.LittleEndian(lo, width, true)))
		}
		c.values.ResizeNoShrink(width * d.n)
	}
	return c.decodeChild(d, 0, &a)
}

// decodeTuples decodes lists of a fixed size. A null has elements that are null.
func (c *column) decodeTuples(d *decoder, size int) error {
	var a arena
	null := c.inner[0].nullCode()
	each := func(add func([]byte)) error {
		return c.eachRow(d, func(_ int, isNull bool) {
			for i := 0; isNull && i < size; i++ {
				add(null)
			}
		}, func(_ int, e []byte) { add(e) })
	}
	if err := each(a.count); err != nil {
		return err
	}
	if err := a.allocate(d); err != nil {
		return err
	}
	if err := each(a.add); err != nil {
		return err
	}
	return c.decodeChild(d, 0, &a)
}

// decodeUnions decodes unions. One that is null, in a struct that is, is a null of the first type.
func (c *column) decodeUnions(d *decoder) (err error) {
	t := arraydata.Storage(c.plain).(arrow.UnionType)
	arenas, nulls := make([]arena, len(c.inner)), make([][]byte, len(c.inner))
	for i := range nulls {
		nulls[i] = c.inner[i].nullCode()
	}
	if c.values, err = d.allocate(d.ctx, d.n); err != nil {
		return err
	}
	codes, sparse := c.values.Bytes(), t.Mode() == arrow.SparseMode
	add := func(method func(a *arena, e []byte), row func(child, i int)) error {
		i := 0
		one := func(child int, e []byte) {
			row(child, i)
			for k := range arenas {
				switch {
				case k == child:
					method(&arenas[k], e)
				case sparse: // the other types are null
					method(&arenas[k], nulls[k])
				}
			}
		}
		return c.eachRow(d, func(at int, null bool) {
			if i = at; null {
				one(0, nulls[0])
			}
		}, one)
	}
	err = add((*arena).count, func(child, i int) { codes[i] = byte(t.TypeCodes()[child]) })
	if err != nil {
		return err
	}
	for i := range arenas {
		if err := arenas[i].allocate(d); err != nil {
			return err
		}
	}
	offset := func(int, int) {}
	if !sparse {
		if c.sizes, err = d.allocate(d.ctx, arrow.Int32SizeBytes*d.n); err != nil {
			return err
		}
		offset = func(child, i int) {
			binary.LittleEndian.PutUint32(c.sizes.Bytes()[4*i:], uint32(len(arenas[child].Offsets)-1))
		}
	}
	if err := add((*arena).add, offset); err != nil {
		return err
	}
	for i := range arenas {
		if err := c.decodeChild(d, i, &arenas[i]); err != nil {
			return err
		}
	}
	return nil
}

// nestedArray is array for lists and unions.
func (c *column) nestedArray(typ arrow.DataType, n int) *array.Data {
	buffers, nulls := []*memory.Buffer{nil}, int(c.nulls.Load())
	if c.format == formatUnion {
		nulls = 0
	} else if nulls > 0 {
		buffers[0] = c.validity
	}
	for _, b := range []*memory.Buffer{c.values, c.sizes} {
		if b != nil {
			buffers = append(buffers, b)
		}
	}
	return array.NewData(typ, n, buffers, c.children, nulls, 0)
}
