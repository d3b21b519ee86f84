package host

import "unsafe"

// streamCopy copies src to dst past the caches: a plain store to a line that is in no cache reads it first.
func streamCopy(dst, src []byte) {
	if head := int(-uintptr(unsafe.Pointer(unsafe.SliceData(dst))) % lineBytes); len(src) >= head+lineBytes {
		copy(dst[:head], src)
		dst, src = dst[head:], src[head:]
		lines := len(src) / lineBytes
		streamLines(unsafe.Pointer(&dst[0]), unsafe.Pointer(&src[0]), lines)
		dst, src = dst[lines*lineBytes:], src[lines*lineBytes:]
	}
	copy(dst, src)
}

const lineBytes = 64

// streamLines copies lines, at least one; dst begins at a line. Other processors see them before later stores.
//
//go:noescape
func streamLines(dst, src unsafe.Pointer, lines int)
