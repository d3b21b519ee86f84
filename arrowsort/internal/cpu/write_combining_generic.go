//go:build !amd64

package cpu

import "unsafe"

const hasStreams = false

func scatterLines(job *lineJob, width int) int { return scatterLinesGo(job, width) }

func flushLines(unsafe.Pointer, int) {}

func storeFence() {}
