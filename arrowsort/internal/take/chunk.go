package take

import (
	"fmt"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/bitutil"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/internal/buffers"
)

// A position locates a row: its chunk in the high bits, and in the low rowBits its number in the chunk, counted from
// the chunk's first row.
const (
	rowBits = 40
	rowMask = 1<<rowBits - 1
)

// A chunk is length rows of an array's buffers from row offset, which is counted from the start of the buffers.
type chunk struct {
	data           arrow.ArrayData
	offset, length int
}

func viewChunks(typ arrow.DataType, arrays []arrow.Array) ([]chunk, error) {
	chunks := make([]chunk, len(arrays))
	for i, a := range arrays {
		if !arrow.TypeEqual(typ, a.DataType()) {
			return nil, fmt.Errorf("%w: take: chunk %d is %s, the column is %s", arrow.ErrInvalid, i, a.DataType(), typ)
		}
		chunks[i] = chunk{a.Data(), a.Data().Offset(), a.Len()}
	}
	return chunks, nil
}

// children returns the i-th child of every chunk, all of its rows.
func children(chunks []chunk, i int) []chunk {
	out := make([]chunk, len(chunks))
	for c, parent := range chunks {
		child := parent.data.Children()[i]
		out[c] = chunk{child, child.Offset(), child.Len()}
	}
	return out
}

// alignedChildren returns the i-th child of every chunk, cut to the rows of the chunk. A row of the chunk has perRow
// elements of the child.
func alignedChildren(chunks []chunk, i, perRow int) ([]chunk, error) {
	out := children(chunks, i)
	for c, parent := range chunks {
		have := out[c].length
		out[c].offset += parent.offset * perRow
		out[c].length = parent.length * perRow
		if uint64(out[c].length) > rowMask {
			return nil, fmt.Errorf("%w: take: chunk %d has %d elements", arrow.ErrInvalid, c, out[c].length)
		}
		if (parent.offset+parent.length)*perRow > have {
			return nil, fmt.Errorf(
				"%w: child %d of chunk %d has %d rows, %d expected", arraydata.ErrMalformed, i, c, have,
				(parent.offset+parent.length)*perRow,
			)
		}
	}
	return out, nil
}

// values returns the part of buffer b that holds the chunk's rows and `more` values, width bytes each; an error if the
// buffer is shorter. An empty chunk needs no buffer.
func (c chunk) values(b, width, more int) ([]byte, error) {
	if c.length == 0 {
		return nil, nil
	}
	bytes := c.bytes(b)
	if lo, hi := c.offset*width, (c.offset+c.length+more)*width; hi <= len(bytes) {
		return bytes[lo:hi], nil
	}
	return nil, fmt.Errorf(
		"%w: %s: buffer %d has %d bytes, too few for %d rows", arraydata.ErrMalformed, c.data.DataType(), b, len(bytes),
		c.offset+c.length,
	)
}

// numbers are values as numbers of a type.
func numbers[T runEnd](c chunk, b, more int) ([]T, error) {
	bytes, err := c.values(b, int(unsafe.Sizeof(T(0))), more)
	return buffers.View[T](bytes), err
}

func (c chunk) bytes(b int) []byte { return arraydata.Bytes(c.data, b) }

// eachValues returns the values of every chunk, of width bytes each.
func eachValues(chunks []chunk, width int) ([][]byte, error) {
	out := make([][]byte, len(chunks))
	for i, c := range chunks {
		var err error
		if out[i], err = c.values(1, width, 0); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// A bitmap is bits from bit offset on; without bytes all bits are one.
type bitmap struct {
	bytes  []byte
	offset int
}

func (b bitmap) bit(i uint64) bool {
	return b.bytes == nil || buffers.Bit(b.bytes, b.offset+int(i))
}

// bits is buffer b as bits.
func (c chunk) bits(b int) (bitmap, error) {
	if c.length == 0 {
		return bitmap{}, nil
	}
	bytes := c.bytes(b)
	if int64(len(bytes)) < bitutil.BytesForBits(int64(c.offset+c.length)) {
		return bitmap{}, fmt.Errorf(
			"%w: %s: %d bytes of bits, too few for %d rows", arraydata.ErrMalformed, c.data.DataType(), len(bytes),
			c.offset+c.length,
		)
	}
	return bitmap{bytes, c.offset}, nil
}

// validities returns the validity of every chunk, empty for chunks without nulls, and whether there are any nulls. The
// arrays' null counts are not relied on: bits are counted, unless the chunk is far longer than the rows that are taken;
// then it counts as having nulls.
func validities(chunks []chunk, rows int) (valid []bitmap, any bool, err error) {
	valid = make([]bitmap, len(chunks))
	for i, c := range chunks {
		if c.length == 0 || len(c.bytes(0)) == 0 {
			continue
		}
		b, err := c.bits(0)
		if err != nil {
			return nil, false, err
		}
		if c.length/64 > rows || bitutil.CountSetBits(b.bytes, b.offset, c.length) < c.length {
			valid[i], any = b, true
		}
	}
	return valid, any, nil
}

// A locator finds the chunk of a row number: a table leads to the few chunks that begin in a range of rows, binary
// search to the one.
type locator struct {
	starts []uint64 // first row of each chunk, and the number of rows
	table  []int32  // the chunk of row i<<shift
	shift  uint
}

// newLocator prepares for a number of look-ups: the more, the finer the table.
func newLocator(chunks []chunk, rows int) (*locator, error) {
	if len(chunks) >= 1<<(64-rowBits) {
		return nil, fmt.Errorf("%w: take: a column of %d chunks; concatenate some", arrow.ErrInvalid, len(chunks))
	}
	l := &locator{starts: make([]uint64, len(chunks)+1)}
	for i, c := range chunks {
		if uint64(c.length) > rowMask {
			return nil, fmt.Errorf("%w: take: a chunk of %d rows", arrow.ErrInvalid, c.length)
		}
		l.starts[i+1] = l.starts[i] + uint64(c.length)
	}
	if len(chunks) < 2 {
		return l, nil
	}
	for l.total()>>l.shift > uint64(max(2*len(chunks), min(64*len(chunks), rows/16))) {
		l.shift++
	}
	c := 0
	for row := uint64(0); row < l.total(); row += 1 << l.shift {
		for row >= l.starts[c+1] {
			c++
		}
		l.table = append(l.table, int32(c))
	}
	l.table = append(l.table, int32(len(chunks)-1))
	return l, nil
}

func (l *locator) total() uint64 { return l.starts[len(l.starts)-1] }

func (l *locator) chunks() int { return len(l.starts) - 1 }

// find returns the chunk of a row below total: the last one that begins at or before it and is not empty.
func (l *locator) find(row uint64) int {
	lo, hi := int(l.table[row>>l.shift]), int(l.table[row>>l.shift+1])
	for lo < hi {
		mid := int(uint(lo+hi+1) / 2)
		if l.starts[mid] <= row {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	return lo
}
