//go:build !amd64

package scatter

import "unsafe"

// HasNonTemporalStores: there are stores past the caches.
const HasNonTemporalStores = false

func combine(job *rowsToCombine, width int) int { return combineGo(job, width) }

func streamLines(dst, src unsafe.Pointer, lines int) {
	copy(unsafe.Slice((*byte)(dst), lines*LineBytes), unsafe.Slice((*byte)(src), lines*LineBytes))
}

func flushLines(unsafe.Pointer, int) {}

func storeFence() {}
