//go:build !amd64

package cpu

func scatterLines(job *lineJob, width int) int { return scatterLinesGo(job, width) }

func storeFence() {}
