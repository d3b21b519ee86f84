package ipc

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/arraydata"
)

// A plainer makes arrays that begin at row 0, whose offsets begin at 0 and whose children have no other rows: Arrow's
// writer of record batches writes many others wrongly. It copies offsets, codes and bits where it has to, no values.
type plainer struct {
	mem          memory.Allocator
	dictionaries map[arrow.ArrayData]arrow.ArrayData // plain ones of the last batch: they stay the same in the next
	before       map[arrow.ArrayData]arrow.ArrayData // those of the batch before, while there is a batch
}

func newPlainer(mem memory.Allocator) *plainer {
	return &plainer{mem: mem, dictionaries: map[arrow.ArrayData]arrow.ArrayData{}}
}

// turn releases the dictionaries that the last batch did not have.
func (p *plainer) turn() {
	for from, to := range p.before {
		from.Release()
		to.Release()
	}
	p.before, p.dictionaries = p.dictionaries, map[arrow.ArrayData]arrow.ArrayData{}
}

// release releases all dictionaries.
func (p *plainer) release() {
	p.turn()
	p.turn()
}

// record is a record batch of plain arrays.
func (p *plainer) record(rec arrow.Record) arrow.Record {
	p.turn()
	columns := make([]arrow.Array, rec.NumCols())
	for i, c := range rec.Columns() {
		d := p.rows(c.Data(), 0, c.Len())
		columns[i] = array.MakeFromData(d)
		d.Release()
		defer columns[i].Release()
	}
	return array.NewRecord(rec.Schema(), columns, rec.NumRows())
}

// rows is n rows of an array from a row on, as a plain array that the caller releases.
func (p *plainer) rows(d arrow.ArrayData, first, n int) arrow.ArrayData {
	typ := d.DataType()
	if ext, ok := typ.(arrow.ExtensionType); ok {
		typ = ext.StorageType()
	}
	first += d.Offset()
	parts := p.parts(typ, d, first, n)
	defer parts.release()
	nulls := 0
	if bits := p.validity(d, first, n); bits != nil {
		parts.buffers[0], nulls = bits, n-bitutil.CountSetBits(bits.Bytes(), 0, n)
	}
	if typ.ID() == arrow.NULL {
		nulls = n
	}
	if parts.dictionary != nil {
		return array.NewDataWithDictionary(d.DataType(), n, parts.buffers, nulls, 0, parts.dictionary)
	}
	return array.NewData(d.DataType(), n, parts.buffers, parts.children, nulls, 0)
}

// plainParts are what an array is made of; buffers[0] is the validity.
type plainParts struct {
	buffers    []*memory.Buffer
	children   []arrow.ArrayData
	dictionary *array.Data // the plainer's
}

func (p plainParts) release() {
	memory.ReleaseBuffers(p.buffers)
	arraydata.Release(p.children)
}

// parts are the parts of n rows from a row on, counted from the start of the buffers, but for the validity.
func (p *plainer) parts(typ arrow.DataType, d arrow.ArrayData, first, n int) plainParts {
	switch t := typ.(type) {
	case *arrow.NullType:
		return plainParts{buffers: []*memory.Buffer{nil}}
	case *arrow.BooleanType:
		return plainParts{buffers: []*memory.Buffer{nil, p.bits(d.Buffers()[1], first, n)}}
	case *arrow.DictionaryType:
		indices := p.slice(d, 1, t.IndexType.(arrow.FixedWidthDataType).Bytes(), first, n)
		return plainParts{buffers: []*memory.Buffer{nil, indices}, dictionary: p.dictionary(d.Dictionary())}
	case *arrow.StringType, *arrow.BinaryType:
		return plainText[int32](p, d, first, n)
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		return plainText[int64](p, d, first, n)
	case arrow.BinaryViewDataType:
		return p.views(d, first, n)
	case arrow.NestedType:
		return p.nested(t, d, first, n)
	}
	width := typ.(arrow.FixedWidthDataType).Bytes()
	return plainParts{buffers: []*memory.Buffer{nil, p.slice(d, 1, width, first, n)}}
}

// dictionary is the plain form of a dictionary.
func (p *plainer) dictionary(d arrow.ArrayData) *array.Data {
	plain, found := p.dictionaries[d]
	if !found {
		if plain, found = p.before[d]; found {
			delete(p.before, d)
		} else {
			plain = p.rows(d, 0, d.Len())
			d.Retain()
		}
		p.dictionaries[d] = plain
	}
	return plain.(*array.Data)
}

// validity is the bitmap of rows; nil when none of them is null.
func (p *plainer) validity(d arrow.ArrayData, first, n int) *memory.Buffer {
	if bits := arraydata.Validity(d); bits == nil || n == 0 || bitutil.CountSetBits(bits, first, n) == n {
		return nil
	}
	return p.bits(d.Buffers()[0], first, n)
}

// bits is n bits from one on.
func (p *plainer) bits(b *memory.Buffer, first, n int) *memory.Buffer {
	out := p.buffer(int(bitutil.BytesForBits(int64(n))))
	if n > 0 {
		bitutil.CopyBitmap(b.Bytes(), first, n, out.Bytes(), 0)
	}
	return out
}

// slice is n values of a width from one on, of a buffer that stays where it is.
func (p *plainer) slice(d arrow.ArrayData, buffer, width, first, n int) *memory.Buffer {
	if n == 0 {
		return p.buffer(0)
	}
	return memory.SliceBuffer(d.Buffers()[buffer], first*width, n*width)
}

func (p *plainer) buffer(size int) *memory.Buffer {
	b := memory.NewResizableBuffer(p.mem)
	b.Resize(size)
	clear(b.Bytes())
	return b
}

// plainOffsets is the n+1 offsets from one on, less the first of them, and what they span.
func plainOffsets[T arraydata.Offset](
	p *plainer, d arrow.ArrayData, first, n int,
) (out *memory.Buffer, start, end int) {
	if n == 0 {
		return p.buffer(0), 0, 0
	}
	width := len(arrow.GetBytes(make([]T, 1)))
	offsets := arrow.GetData[T](arraydata.Bytes(d, 1))[first : first+n+1]
	start, end = int(offsets[0]), int(offsets[n])
	if start == 0 {
		return memory.SliceBuffer(d.Buffers()[1], first*width, (n+1)*width), start, end
	}
	out = p.buffer((n + 1) * width)
	to := arrow.GetData[T](out.Bytes())
	for i, o := range offsets {
		to[i] = o - offsets[0]
	}
	return out, start, end
}

func plainText[T arraydata.Offset](p *plainer, d arrow.ArrayData, first, n int) plainParts {
	offsets, start, end := plainOffsets[T](p, d, first, n)
	text := p.slice(d, 2, 1, start, end-start)
	return plainParts{buffers: []*memory.Buffer{nil, offsets, text}}
}
