package page

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/cespare/xxhash/v2"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/internal/buffers"
)

// BloomHashes collects the hashes of the values of a column chunk for its Bloom filter: the xxHash64 of values in plain
// encoding, as BloomFilter.md of parquet-format defines them. It keeps 16 bytes for each half, 8 for
// each other value, but none for those that repeat the one before. The chunk is not boolean.
type BloomHashes struct {
	width     int          // bytes of a value; 0: the bytes before it are its length
	floats    *numberOrder // nil: no floating-point numbers
	hashes    []uint64
	zero, nan bool // is among them
}

// NewBloomHashes returns no hashes of a leaf column.
func NewBloomHashes(column *schema.Column) *BloomHashes {
	b := &BloomHashes{width: valueWidth(column)}
	if HoldsFloats(column) {
		b.floats = numbersOf(column)
	}
	return b
}

// Add adds values in plain encoding. It panics where the last one is cut off.
func (b *BloomHashes) Add(values []byte) {
	for len(values) > 0 {
		var value []byte
		if value, values = nextPlain(values, b.width); b.floats != nil {
			code := b.floats.codeOf(value)
			b.nan = b.nan || code < b.floats.first || code > b.floats.last
			b.zero = b.zero || b.floats.value(code)&^b.floats.sign == 0
		}
		b.add(value)
	}
}

// halfBytes are the bytes of a number of 16 bits.
const halfBytes = 2

// add adds the hash of a value. A half has that of the same number of 32 bits, too: DuckDB reads halves as such, and
// would not find any of them in a filter.
func (b *BloomHashes) add(value []byte) {
	b.addHash(value)
	if b.floats != nil && b.width == halfBytes {
		var single [4]byte
		binary.LittleEndian.PutUint32(single[:], math.Float32bits(buffers.Half(binary.LittleEndian.Uint16(value))))
		b.addHash(single[:])
	}
}

func (b *BloomHashes) addHash(value []byte) {
	if h := xxhash.Sum64(value); len(b.hashes) == 0 || h != b.hashes[len(b.hashes)-1] {
		b.hashes = append(b.hashes, h)
	}
}

// Distinct returns each hash once, in ascending order. Hashes of floating-point numbers with a zero have both of them,
// and those with a NaN the usual ones, as readers that look for one of them want the others, too.
func (b *BloomHashes) Distinct() []uint64 {
	if b.zero {
		b.add(b.floats.plain(0))
		b.add(b.floats.plain(b.floats.sign))
	}
	if b.nan {
		infinity := b.floats.last ^ b.floats.sign
		quiet := infinity | infinity>>1
		for _, bits := range []uint64{quiet, quiet | b.floats.sign, quiet | 1} { // the last one is Go's
			b.add(b.floats.plain(bits))
		}
	}
	slices.Sort(b.hashes)
	b.hashes = slices.Compact(b.hashes)
	return b.hashes
}

// AppendBloomHeader appends the header of a Bloom filter, a BloomFilterHeader of parquet.thrift, of some bytes in split
// blocks, by xxHash64, without compression: these are the first choice of each union.
func AppendBloomHeader(out []byte, size int) []byte {
	w := compactWriter{b: out}
	w.number(1, size)
	for union := 2; union <= 4; union++ {
		w.header(union, ThriftStruct)
		w.b = append(w.b, 1<<4|ThriftStruct, thriftStop, thriftStop)
	}
	return append(w.b, thriftStop)
}

// MostBloomBytes are the bytes of a filter at most, as in other writers.
const MostBloomBytes = 128 << 20

// BloomHeader is the number of bytes in which the header of a Bloom filter lies.
const BloomHeader = 64

// BloomFilterSize returns the bytes of a Bloom filter, with its header, that starts with some bytes; 0 for one that is
// of no known kind.
func BloomFilterSize(b []byte) (size int64) {
	r, known := &CompactReader{Bytes: b}, 0
	err := errkind.Contain(func() error {
		r.Fields(func(field int, typ byte) {
			switch {
			case field == 1:
				size = int64(r.NumberOf(typ))
			case field <= 4 && typ == ThriftStruct:
				r.Fields(func(choice int, typ byte) {
					if choice == 1 {
						known++
					}
					r.Skip(typ)
				})
			default:
				r.Skip(typ)
			}
		})
		return nil
	})
	const block = 32
	if err != nil || known != 3 || size < block || size%block != 0 || size > MostBloomBytes {
		return 0
	}
	return int64(r.At) + size
}

// nextPlain returns the first of some values in plain encoding, of a width in bytes, 0 for any, and the bytes after it.
func nextPlain(b []byte, width int) (value, rest []byte) {
	start, size := 0, width
	if size == 0 {
		start, size = lengthBytes, int(binary.LittleEndian.Uint32(b))
	}
	rest = b[start+size:] // panics where the value passes the end
	return b[start : start+size : start+size], rest
}
