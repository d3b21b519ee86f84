package main

import (
	"os"
	"runtime/debug"

	"github.com/arrowsort/arrowsort/arrowsort/internal/machine"
)

const (
	gcPercent   = 200      // least time in all: at 100 more collections, at 400 more fresh pages
	memoryShare = 0.8      // of the machine's memory, above which garbage is collected as often as it takes
	noMemory    = 64 << 20 // below this the machine did not say how much it has
)

// tuneMemory suits the garbage collector to a process that does one job, unless GOGC or GOMEMLIMIT say how.
func tuneMemory() {
	total := machine.Memory()
	if os.Getenv("GOMEMLIMIT") == "" && total > noMemory {
		debug.SetMemoryLimit(int64(float64(total) * memoryShare))
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
}
