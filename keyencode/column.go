package keyencode

import "github.com/arrowsort/arrowsort/internal/buffers"

// Kind is the physical layout of a column's values: it decides how they are stored and, for key columns, how they
// are ordered. Logical types map to the kind that stores them (a timestamp is an Int64).
type Kind uint8

// The kinds. Multi-byte values are little-endian.
const (
	Null            Kind = iota // no values: as a key every row is null, as a payload only the validity counts
	Bool                        // bits; false < true
	Int8                        // two's complement
	Int16                       //
	Int32                       //
	Int64                       //
	Uint8                       //
	Uint16                      //
	Uint32                      //
	Uint64                      //
	Float16                     // IEEE 754 binary16, binary32, binary64
	Float32                     //
	Float64                     //
	Decimal128                  // 16-byte two's complement
	Decimal256                  // 32-byte two's complement
	FixedSizeBinary             // Width bytes, compared as unsigned bytes
	Binary                      // int32 offsets into Data[0], compared as unsigned bytes, then by length
	LargeBinary                 // int64 offsets into Data[0]
	BinaryView                  // 16-byte views: length, then 12 bytes inline or prefix, buffer number, offset
	Dictionary8                 // 1-byte indices into Ranks, signed or unsigned (a valid index is never negative)
	Dictionary16                // 2-byte indices
	Dictionary32                // 4-byte indices
	Dictionary64                // 8-byte indices
)

// A Column is a column as raw buffers, in one or more chunks. Columns of one job may be chunked differently.
type Column struct {
	Kind   Kind
	Width  int // bytes per value of FixedSizeBinary; ignored for the other kinds
	Chunks []Chunk
}

// A Chunk is a run of consecutive rows of a column. All buffers are borrowed and never written to.
type Chunk struct {
	Rows int
	// the first row, counted in values from the start of Values and in bits from the start of Validity
	Offset   int
	Validity []byte   // one bit per row, least significant bit first, 0 is null; nil when no row is null
	Values   []byte   // values; Bool: bits; Binary, LargeBinary: offsets; BinaryView: views; Dictionary: indices
	Data     [][]byte // Binary, LargeBinary: the bytes; BinaryView: the variadic buffers
	Ranks    []uint32 // Dictionary keys: one plus the rank of each dictionary entry, equal for equal entries; 0 is null
}

// Rows returns the number of rows in all chunks.
func (c *Column) Rows() int {
	n := 0
	for i := range c.Chunks {
		n += c.Chunks[i].Rows
	}
	return n
}

// ValueBytes returns the size of a value of fixed width in bytes; 0 for Null, Bool, Binary, LargeBinary, whose values
// are not whole bytes in Values.
func (c *Column) ValueBytes() int {
	switch c.Kind {
	case Int8, Uint8, Dictionary8:
		return 1
	case Int16, Uint16, Float16, Dictionary16:
		return 2
	case Int32, Uint32, Float32, Dictionary32:
		return 4
	case Int64, Uint64, Float64, Dictionary64:
		return 8
	case Decimal128, BinaryView:
		return 16
	case Decimal256:
		return 32
	case FixedSizeBinary:
		return c.Width
	}
	return 0
}

// An encoding is a way to turn the values of a kind into codes.
type encoding uint8

const (
	encodingNone  encoding = iota // no values
	encodingWord                  // an ordered word of up to 64 bits
	encodingLimbs                 // ordered limbs: decimals
	encodingBytes                 // strings
)

func (c *Column) encoding() encoding {
	switch c.Kind {
	case Null:
		return encodingNone
	case Decimal128, Decimal256:
		return encodingLimbs
	case Binary, LargeBinary, BinaryView:
		return encodingBytes
	case FixedSizeBinary:
		if c.Width > 8 {
			return encodingBytes
		}
	}
	return encodingWord
}

// isFloat reports whether values of the kind can be NaN.
func (k Kind) isFloat() bool { return k == Float16 || k == Float32 || k == Float64 }

func (k Kind) isDictionary() bool { return k >= Dictionary8 && k <= Dictionary64 }

// signBit returns the bit to invert in a raw word of the kind so that it orders as unsigned; 0 if it does already.
// Floats are turned into two's complement first.
func (k Kind) signBit() uint64 {
	switch k {
	case Int8:
		return 1 << 7
	case Int16, Float16:
		return 1 << 15
	case Int32, Float32:
		return 1 << 31
	case Int64, Float64, Decimal128, Decimal256:
		return 1 << 63
	}
	return 0
}

// infinity returns the bit pattern of +Inf.
func (k Kind) infinity() uint64 {
	switch k {
	case Float16:
		return 0x7c00
	case Float32:
		return 0x7f80_0000
	}
	return 0x7ff0_0000_0000_0000
}

// blockRows is the number of rows of a unit of work: their codes fit in the first-level cache.
const blockRows = 1024

// gatherRows is the number of rows that are gathered at a time: few, since a call for one row takes memory for all.
const gatherRows = 64

// A reader finds the rows of a column in its chunks.
type reader struct {
	column *Column
	chunks buffers.Chunks
}

func newReader(c *Column) reader {
	return reader{c, buffers.NewChunks(len(c.Chunks), func(i int) int { return c.Chunks[i].Rows })}
}

// A cursor stays on a chunk while rows come from it.
type cursor struct {
	*reader
	chunk      *Chunk
	start, end int // the rows of the chunk
}

func newCursor(r *reader) cursor { return cursor{reader: r} }

// on reports whether a row is in the chunk.
func (c *cursor) on(row int) bool { return uint(row-c.start) < uint(c.end-c.start) }

// move goes to the chunk of a row.
func (c *cursor) move(row int) {
	k := c.chunks.Find(row)
	c.chunk, c.start, c.end = &c.column.Chunks[k], c.chunks[k], c.chunks[k+1]
}

// each calls f for the runs of rows lo..hi-1 in one chunk: up to blockRows rows, from row at of the chunk, which is row
// row of the column.
func (r *reader) each(lo, hi int, f func(c *Chunk, at, n, row int)) {
	if lo >= hi {
		return
	}
	for i := r.chunks.Find(lo); lo < hi; i++ {
		end := min(hi, r.chunks[i+1])
		for lo < end {
			n := min(end-lo, blockRows)
			f(&r.column.Chunks[i], lo-r.chunks[i], n, lo)
			lo += n
		}
	}
}

// A block is up to blockRows rows of one key column, in place or gathered.
type block struct {
	kind     Kind
	width    int
	values   []byte
	at       int // the first row in values
	validity []byte
	bit      int
	rows     int
	ranks    []uint32
}

func (r *reader) block(c *Chunk, at, n int) block {
	i := c.Offset + at
	return block{
		kind: r.column.Kind, width: r.column.ValueBytes(), values: c.Values, at: i, validity: c.Validity, bit: i,
		rows: n, ranks: c.Ranks,
	}
}
