//go:build !amd64

package scatter

import "unsafe"

// HasNonTemporalStores: there are stores past the caches.
const HasNonTemporalStores = false

func scatterLines(job *lineJob, width int) int { return scatterLinesGo(job, width) }

func flushLines(unsafe.Pointer, int) {}

func storeFence() {}
