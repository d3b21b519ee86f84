// Package buffers reads raw buffers as Arrow lays them out: values, bits, chunks of rows, strings. All of them are
// borrowed. It imports the standard library only.
package buffers

import (
	"encoding/binary"
	"math"
	"unsafe"
)

// Unsigned are the machine words that values of fixed width are read as.
type Unsigned interface {
	~uint8 | ~uint16 | ~uint32 | ~uint64
}

// Integer are the numbers that values of fixed width are read as.
type Integer interface {
	Unsigned | ~int8 | ~int16 | ~int32 | ~int64
}

// Values is b as n little-endian values from value i on. Unsafe, because a loop over bytes costs several times as much;
// the slicing of b checks the bounds, and values without pointers need no alignment on the machines that Go supports
// for Arrow.
func Values[T Integer](b []byte, i, n int) []T {
	var t T
	size := int(unsafe.Sizeof(t))
	b = b[i*size : (i+n)*size]
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)
}

// View returns all of b as values of a type without pointers; bytes at the end that are no whole value are left out.
func View[T any](b []byte) []T {
	var t T
	n := len(b) / int(unsafe.Sizeof(t))
	if n == 0 { // no pointer may be to a value that the memory is too short for
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)
}

// Bytes returns values of a type without pointers as bytes.
func Bytes[T any](v []T) []byte {
	var t T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), len(v)*int(unsafe.Sizeof(t)))
}

// Index returns the dictionary index at position at of indices of 1, 2, 4 or 8 bytes; a valid one is never negative.
func Index(indices []byte, width, at int) uint64 {
	switch width {
	case 1:
		return uint64(indices[at])
	case 2:
		return uint64(binary.LittleEndian.Uint16(indices[at*2:]))
	case 4:
		return uint64(binary.LittleEndian.Uint32(indices[at*4:]))
	}
	return binary.LittleEndian.Uint64(indices[at*8:])
}

// PrefixSum replaces each count by the sum of those before it, and returns the sum of all.
func PrefixSum[T Integer | ~int](counts []T) (total T) {
	for i, n := range counts {
		counts[i], total = total, total+n
	}
	return total
}

// Series writes the numbers from first on.
func Series[T uint32 | uint64](s []T, first T) {
	for i := range s {
		s[i] = first
		first++
	}
}

// Widen copies the first len(dst) numbers.
func Widen(dst []uint64, numbers []uint32) {
	for i := range dst {
		dst[i] = uint64(numbers[i])
	}
}

// Half returns the number that the bits of a half are, also of a subnormal one.
func Half(bits uint16) float32 {
	const rebias = 0x1p112 // 127 - 15, the difference of the biases; exact
	single := math.Float32bits(math.Float32frombits(uint32(bits&0x7FFF)<<13) * rebias)
	if bits&0x7C00 == 0x7C00 { // an infinity or NaN
		single |= 0x7F800000
	}
	return math.Float32frombits(single | uint32(bits&0x8000)<<16)
}

// Load64 is word i from p on, unchecked: for kernels whose indices are in range by how they are made.
func Load64(p unsafe.Pointer, i uint64) uint64 { return *(*uint64)(unsafe.Add(p, i*8)) }

// Count32 adds one to counter i from p on, unchecked as Load64 is.
func Count32(p unsafe.Pointer, i uint64) { *(*uint32)(unsafe.Add(p, i*4))++ }

// Chunks finds the chunk of a row: the first row of each chunk of a column, and the number of rows.
type Chunks []int

// NewChunks returns the chunks 0 to n-1, with the number of rows of each.
func NewChunks(n int, rows func(chunk int) int) Chunks {
	starts := make(Chunks, n+1)
	for i := range n {
		starts[i+1] = starts[i] + rows(i)
	}
	return starts
}

// Find returns the chunk that holds a row, which is never one without rows.
func (c Chunks) Find(row int) int {
	lo, hi := 0, len(c)-2
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if c[mid+1] > row {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// BytesFrom returns the 8 bytes of a string from byte from on, as a number; bytes past its end are zero.
func BytesFrom(s []byte, from int) uint64 {
	n := len(s) - from
	if n <= 0 {
		return 0
	}
	if from+8 <= cap(s) { // most strings are followed by others: read past the end, and clear those bytes
		return binary.BigEndian.Uint64(s[from:from+8]) &^ (^uint64(0) >> (8 * uint(min(n, 8))))
	}
	return Leading(s[from:])
}

// Leading returns the first 8 bytes of a string as a number; bytes past its end are zero.
func Leading(s []byte) uint64 {
	if len(s) >= 8 {
		return binary.BigEndian.Uint64(s)
	}
	return BigEndian(s) << (64 - 8*uint(len(s)))
}

// BigEndian reads up to 8 bytes as a number.
func BigEndian(b []byte) uint64 {
	switch n := len(b); {
	case n >= 8:
		return binary.BigEndian.Uint64(b)
	case n >= 4: // two reads that overlap
		hi, lo := uint64(binary.BigEndian.Uint32(b)), uint64(binary.BigEndian.Uint32(b[n-4:]))
		return hi<<uint(8*n-32) | lo
	}
	u := uint64(0)
	for _, x := range b {
		u = u<<8 | uint64(x)
	}
	return u
}

// InlineView is the length of the longest string that a view holds itself.
const InlineView = 12

// StringOfView returns the string of a view of 16 bytes: length, then the string, or its first 4 bytes, the number of a
// buffer and the offset there.
func StringOfView(view []byte, buffers [][]byte) []byte {
	if n := binary.LittleEndian.Uint32(view); n <= InlineView {
		return view[4 : 4+n]
	}
	return longString(view, buffers)
}

// PutView writes the view of a string that is, if it is long, at an offset of a buffer of that number. What follows a
// short string in the view is left as it is.
func PutView(view, text []byte, buffer, offset int) {
	binary.LittleEndian.PutUint32(view, uint32(len(text)))
	copy(view[4:16], text)
	if len(text) > InlineView {
		binary.LittleEndian.PutUint32(view[8:], uint32(buffer))
		binary.LittleEndian.PutUint32(view[12:], uint32(offset))
	}
}

func longString(view []byte, buffers [][]byte) []byte {
	n := int(binary.LittleEndian.Uint32(view))
	buffer, offset := binary.LittleEndian.Uint32(view[8:]), int(binary.LittleEndian.Uint32(view[12:]))
	return buffers[buffer][offset : offset+n]
}
