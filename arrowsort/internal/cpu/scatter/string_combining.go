package scatter

import "unsafe"

// A StringCombiner is a WriteCombiner for strings: it collects the bytes of each bin in a buffer of four cache lines,
// which it writes when they are full, past the caches where there are such stores. A string of any length goes through
// the buffer of its bin. Each stripe has one.
type StringCombiner struct{ buffers []byte }

const (
	groupBytes = 4 * LineBytes // of a bin, which are written together
	pieceBytes = LineBytes     // of a string, which are added together; a buffer has room for a piece after the group
	binBytes   = groupBytes + pieceBytes
	shortBytes = 32 // of strings that are copied without a call
)

// MaxStringBins is the largest number of bins of a StringCombiner: its buffers stay in the L2 cache.
const MaxStringBins = 1 << 11

// StringBufferBytes returns the size of the buffers of a number of bins.
func StringBufferBytes(bins int) int { return bins * binBytes }

// NewStringCombiner returns a StringCombiner with buffers of StringBufferBytes.
func NewStringCombiner(buffers []byte) StringCombiner { return StringCombiner{buffers} }

// Add moves the n bytes that src begins with to byte at of dst, which begins at a line. They are those of a bin that
// come after its bytes from first on, which were added before.
func (w *StringCombiner) Add(dst []byte, bin, first, at int, src []byte, n int) {
	buffer := (*[binBytes]byte)(w.buffers[bin*binBytes:])
	in := at & (groupBytes - 1)
	if n <= shortBytes && len(src) >= shortBytes {
		to := (*[shortBytes]byte)(buffer[in:])
		*(*[16]byte)(to[:]) = *(*[16]byte)(src)
		*(*[16]byte)(to[16:]) = *(*[16]byte)(src[16:])
		if in+n >= groupBytes {
			write(dst, buffer, first, at-in)
		}
		return
	}
	for n > 0 {
		piece := copy(buffer[in:in+min(n, pieceBytes)], src)
		if in+piece >= groupBytes {
			write(dst, buffer, first, at-in)
		}
		src, n, at = src[piece:], n-piece, at+piece
		in = at & (groupBytes - 1)
	}
}

// write writes the group that begins at byte from of dst, and moves what comes after it to the start of its buffer. The
// bytes before first are those of other bins and stripes.
func write(dst []byte, buffer *[binBytes]byte, first, from int) {
	group := dst[max(from, first) : from+groupBytes]
	if from >= first {
		streamLines(unsafe.Pointer(&group[0]), unsafe.Pointer(buffer), groupBytes/LineBytes)
	} else {
		copy(group, buffer[first-from:])
	}
	copy(buffer[:pieceBytes], buffer[groupBytes:])
}

// End writes the bytes of a bin that are in its buffer, the last of those from first on, which end at byte end.
func (w *StringCombiner) End(dst []byte, bin, first, end int) {
	if from := max(first, end&^(groupBytes-1)); from < end {
		copy(dst[from:end], w.buffers[bin*binBytes+from&(groupBytes-1):])
	}
}

// Fence makes what was written visible to other processors, after the last call of End.
func (w *StringCombiner) Fence() { storeFence() }
