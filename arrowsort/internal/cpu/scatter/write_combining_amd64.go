package scatter

import "unsafe"

// HasNonTemporalStores: there are stores past the caches.
const HasNonTemporalStores = true

// The kernels write each row to the open lines of its bin, and lines that are full past the caches. They return the
// rows that are done: all, or those before one that fills lines which begin in another bin or share.

//go:noescape
func scatterLines1(job *lineJob) int

//go:noescape
func scatterLines2(job *lineJob) int

//go:noescape
func scatterLines4(job *lineJob) int

//go:noescape
func scatterLines8(job *lineJob) int

//go:noescape
func scatterLines16(job *lineJob) int

//go:noescape
func scatterLines32(job *lineJob) int

// flushLines writes lines, at least one, back to memory, so that no cache has them.
//
//go:noescape
func flushLines(p unsafe.Pointer, lines int)

// storeFence makes what was written past the caches visible to other processors before later stores.
func storeFence()

func scatterLines(job *lineJob, width int) int {
	switch width {
	case 1:
		return scatterLines1(job)
	case 2:
		return scatterLines2(job)
	case 4:
		return scatterLines4(job)
	case 8:
		return scatterLines8(job)
	case 16:
		return scatterLines16(job)
	default:
		return scatterLines32(job)
	}
}
