package keyfunction

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A Writer writes the values of a function for rows lo to hi-1 of a chunk to out, in the layout of the function's type,
// at the positions that these rows have in the chunk, its offset included. What it writes for null has no meaning. An
// error names the row in the chunk.
type Writer func(c *keyencode.Chunk, out []byte, lo, hi int) error

// NewWriter returns the writer of a function for the raw column of a plain type that it takes. Text in lower case has
// another one: textorder.Lowered.
func NewWriter(f Function, plain arrow.DataType, column *keyencode.Column) Writer {
	typ := arraydata.Storage(plain)
	switch f.name() {
	case string(Length):
		return textWriter(column, lengthOf(typ))
	case string(Abs):
		return absWriter(column)
	case string(Year):
		return integerWriter(column, yearsOf(typ))
	case modulo:
		return integerWriter(column, f.remainder(column.Kind))
	}
	return f.hashWriter(column)
}

// put writes the word of a row.
func put(out []byte, c *keyencode.Chunk, row int, word uint64) {
	binary.LittleEndian.PutUint64(out[8*(c.Offset+row):], word)
}

// textRows is the number of rows whose texts are found at a time.
const textRows = 64

// textWriter returns a writer of a word for the bytes of each row, which are nil for null.
func textWriter(column *keyencode.Column, word func(text []byte) uint64) Writer {
	return func(c *keyencode.Chunk, out []byte, lo, hi int) error {
		var texts [textRows][]byte
		for ; lo < hi; lo += textRows {
			block := texts[:min(hi-lo, textRows)]
			column.Strings(block, c, lo)
			for i, text := range block {
				put(out, c, lo+i, word(text))
			}
		}
		return nil
	}
}

// integerWriter returns a writer of a word for the integer of each row, which is in two's complement.
func integerWriter(column *keyencode.Column, word func(n int64) uint64) Writer {
	signed := column.Kind <= keyencode.Int64 && column.Kind >= keyencode.Int8
	return func(c *keyencode.Chunk, out []byte, lo, hi int) error {
		for i := lo; i < hi; i++ {
			n := arraydata.LittleEndian(c.Values[column.Width*(c.Offset+i):], column.Width, signed)
			put(out, c, i, word(int64(n)))
		}
		return nil
	}
}

// lengthOf returns the number of code points of text, where a byte that is not UTF-8 counts as one, and the number of
// bytes of binary values.
func lengthOf(typ arrow.DataType) func(text []byte) uint64 {
	if isText(typ.ID()) {
		return func(text []byte) uint64 { return uint64(utf8.RuneCount(text)) }
	}
	return func(text []byte) uint64 { return uint64(len(text)) }
}

// remainder returns x % n, from 0 to n-1 also of negative numbers.
func (f Function) remainder(kind keyencode.Kind) func(x int64) uint64 {
	n := f.number()
	if kind == keyencode.Uint64 { // all others fit an int64
		return func(x int64) uint64 { return uint64(x) % n }
	}
	return func(x int64) uint64 {
		r := x % int64(n)
		if r < 0 {
			r += int64(n)
		}
		return uint64(r)
	}
}

// absWriter returns a writer of absolute values.
func absWriter(column *keyencode.Column) Writer {
	width := column.Width
	switch column.Kind {
	case keyencode.Float16, keyencode.Float32, keyencode.Float64:
		return func(c *keyencode.Chunk, out []byte, lo, hi int) error {
			from, to := width*(c.Offset+lo), width*(c.Offset+hi)
			copy(out[from:to], c.Values[from:to])
			for sign := from + width - 1; sign < to; sign += width {
				out[sign] &= 1<<7 - 1
			}
			return nil
		}
	case keyencode.Decimal128, keyencode.Decimal256:
		return func(c *keyencode.Chunk, out []byte, lo, hi int) error {
			for i := lo; i < hi; i++ {
				at := c.Offset + i
				d := wide(c.Values[width*at:][:width]).absolute()
				if null := c.Validity != nil && !buffers.Bit(c.Validity, at); int64(d[3]) < 0 && !null {
					return fmt.Errorf("%w: row %d is -2^255, whose absolute value no decimal256 has",
						arrow.ErrInvalid, i)
				}
				for k, word := range d {
					binary.LittleEndian.PutUint64(out[32*at+8*k:], word)
				}
			}
			return nil
		}
	case keyencode.Uint64:
		return integerWriter(column, func(n int64) uint64 { return uint64(n) })
	}
	// The negative of the least integer is itself, as unsigned 2^63.
	return integerWriter(column, func(n int64) uint64 { return uint64(max(n, -n)) })
}

// A decimal is an integer of 256 bits in two's complement, the least significant word first.
type decimal [4]uint64

// wide reads an integer of 16 or 32 bytes.
func wide(b []byte) (d decimal) {
	sign := uint64(int64(int8(b[len(b)-1])) >> 63)
	for k := range d {
		d[k] = sign
		if 8*k < len(b) {
			d[k] = binary.LittleEndian.Uint64(b[8*k:])
		}
	}
	return d
}

// absolute returns the absolute value, which of the least number is itself.
func (d decimal) absolute() decimal {
	if int64(d[3]) >= 0 {
		return d
	}
	carry := uint64(1)
	for k := range d {
		d[k], carry = bits.Add64(^d[k], 0, carry)
	}
	return d
}

// hashWriter returns a writer of hashes: XXH64 of the bytes of text and binary values, of the 32 bytes of a decimal,
// and of the 8 bytes of all else, integers as 64 bits and floats as float64. Least significant bytes come first.
func (f Function) hashWriter(column *keyencode.Column) Writer {
	seed := f.number()
	sum := func(b []byte) uint64 { return xxhash64(seed, b) }
	word := func(n uint64) uint64 {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], n)
		return sum(b[:])
	}
	switch column.Kind {
	case keyencode.Bool:
		return func(c *keyencode.Chunk, out []byte, lo, hi int) error {
			of := [2]uint64{word(0), word(1)}
			for i := lo; i < hi; i++ {
				at := c.Offset + i
				put(out, c, i, of[c.Values[at/8]>>(at%8)&1])
			}
			return nil
		}
	case keyencode.Float16, keyencode.Float32, keyencode.Float64:
		return integerWriter(column, func(n int64) uint64 { return word(canonical(uint64(n), column.Kind)) })
	case keyencode.Decimal128, keyencode.Decimal256:
		return func(c *keyencode.Chunk, out []byte, lo, hi int) error {
			var b [32]byte
			for i := lo; i < hi; i++ {
				for k, w := range wide(c.Values[column.Width*(c.Offset+i):][:column.Width]) {
					binary.LittleEndian.PutUint64(b[8*k:], w)
				}
				put(out, c, i, sum(b[:]))
			}
			return nil
		}
	case keyencode.Binary, keyencode.LargeBinary, keyencode.BinaryView, keyencode.FixedSizeBinary:
		return textWriter(column, sum)
	}
	return integerWriter(column, func(n int64) uint64 { return word(uint64(n)) })
}

// canonical returns the bits of a float as those of a float64, of which zero and NaN have one each.
func canonical(n uint64, kind keyencode.Kind) uint64 {
	x := math.Float64frombits(n)
	switch kind {
	case keyencode.Float16:
		x = float64(buffers.Half(uint16(n)))
	case keyencode.Float32:
		x = float64(math.Float32frombits(uint32(n)))
	}
	switch {
	case x == 0:
		return 0
	case x != x:
		return 0x7ff8_0000_0000_0000
	}
	return math.Float64bits(x)
}

// xxhash64 returns XXH64 of some bytes.
func xxhash64(seed uint64, b []byte) uint64 {
	if seed == 0 {
		return xxhash.Sum64(b)
	}
	var d xxhash.Digest
	d.ResetWithSeed(seed)
	d.Write(b)
	return d.Sum64()
}

// RandomWords writes the values of random(seed) for consecutive rows from row first on: XXH64 of the row number, as 8
// bytes, the least significant first.
func RandomWords(f Function, words []uint64, first uint64) {
	seed := f.number()
	var b [8]byte
	for i := range words {
		binary.LittleEndian.PutUint64(b[:], first+uint64(i))
		words[i] = xxhash64(seed, b[:])
	}
}
