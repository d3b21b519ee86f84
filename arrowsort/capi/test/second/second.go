//go:build capi

// Command second is a library with a Go runtime, which a test loads beside the C library of arrowsort.
package main

import "C"

import (
	"runtime"
	"slices"
	"sync"
)

// second_work sorts on several goroutines, collects garbage, and returns the number of values that it sorted.
//
//export second_work
func second_work(n C.int) C.int {
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			values := make([]int, n)
			for i := range values {
				values[i] = (i * 7919) % len(values)
			}
			slices.Sort(values)
		})
	}
	all.Wait()
	runtime.GC()
	return n
}

func main() {}
