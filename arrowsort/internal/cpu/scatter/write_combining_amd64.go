package scatter

import "unsafe"

// HasNonTemporalStores: there are stores past the caches.
const HasNonTemporalStores = true

// The kernels write each row to the buffer of its bin, and buffers that are full past the caches. They return the rows
// that are done: all, or those before one that fills a buffer whose lines begin in another bin or stripe.

//go:noescape
func combine1(job *rowsToCombine) int

//go:noescape
func combine2(job *rowsToCombine) int

//go:noescape
func combine4(job *rowsToCombine) int

//go:noescape
func combine8(job *rowsToCombine) int

//go:noescape
func combine16(job *rowsToCombine) int

//go:noescape
func combine32(job *rowsToCombine) int

// flushLines writes lines, at least one, back to memory, so that no cache has them.
//
//go:noescape
func flushLines(p unsafe.Pointer, lines int)

// streamLines copies lines, at least one, past the caches to memory that begins at a line.
//
//go:noescape
func streamLines(dst, src unsafe.Pointer, lines int)

// storeFence makes what was written past the caches visible to other processors before later stores.
func storeFence()

func combine(job *rowsToCombine, width int) int {
	switch width {
	case 1:
		return combine1(job)
	case 2:
		return combine2(job)
	case 4:
		return combine4(job)
	case 8:
		return combine8(job)
	case 16:
		return combine16(job)
	default:
		return combine32(job)
	}
}
