//go:build cuda && cub && linux && amd64

package cub

// #include "api.h"
import "C"

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"
)

const usage = `usage: cub [image FILE] COMMAND

prove LOG2       every type, distribution, order and size up to 2^LOG2 rows: 0 wrong rows
table LOG2...    the jobs that speeds are asked for, at 2^LOG2 rows: 28, 24, 20, 16
keys LOG2...     those by several keys, and when each kernel ends
time LOG2...     medians of all distributions for 2^LOG2 rows
values LOG2...     keys only: proofs, phases, and the rows of the table
limits LOG2...   the first rows of 2^LOG2 by selects, and sorts of all
phases LOG2...   when each kernel ends, for two distributions, several keys, and nulls
search LOG2 SECONDS   generated distributions of 2^LOG2 rows, and which are the slowest

With an image it runs the kernels of that file, else those of the repository.
`

// Compare runs a command and returns the exit status: 1 if a result was wrong.
func Compare(e Engine, words []string) int {
	var numbers []int
	for _, word := range words[1:] {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 {
			numbers = nil
			break
		}
		numbers = append(numbers, n)
	}
	if len(numbers) == 0 || words[0] == "search" && len(numbers) != 2 {
		fmt.Fprint(os.Stderr, usage)
		return 2
	}
	switch words[0] {
	case "table":
		return status(table(e, numbers, (*bench).table))
	case "keys":
		return status(table(e, numbers, (*bench).keyRows))
	}
	sizes := numbers
	if words[0] == "search" {
		sizes = numbers[:1]
	}
	b := newBench(e, 1<<slices.Max(sizes))
	defer b.free()
	switch words[0] {
	case "prove":
		b.prove()
	case "search":
		b.search(numbers[0], time.Duration(numbers[1])*time.Second)
	case "values":
		b.proveValues()
		b.warmUp()
		for _, log2 := range sizes {
			b.valueRows(log2)
		}
	case "limits":
		b.proveLimits()
		for _, log2 := range sizes {
			b.limitRows(log2, -1, -100, -10_000, 100, 10, 4, 2)
		}
	case "phases":
		for _, log2 := range sizes {
			b.allPhases(1 << log2)
		}
	case "time":
		for _, log2 := range sizes {
			for d := range distribution(distributions) {
				b.time(recipe{Type: U32, distribution: d}, 1<<log2)
				b.time(recipe{Type: I64, distribution: d}, 1<<log2)
			}
		}
	default:
		fmt.Fprint(os.Stderr, usage)
		return 2
	}
	return status(b.wrong)
}

func status(wrong int) int {
	if wrong > 0 {
		return 1
	}
	return 0
}

// allPhases prints the phases of some jobs.
func (b *bench) allPhases(n int) {
	for _, d := range []distribution{C.UNIFORM, C.FIVE_VALUES} {
		for _, t := range []Type{U32, F32, I64, F64} {
			b.phases(single(recipe{Type: t, distribution: d}, 0), n)
		}
	}
	for _, t := range []Type{U32, I64} {
		b.phases(single(recipe{Type: t, distribution: C.VALUES20}, 0), n)
	}
	for _, t := range []Type{F32, F64} {
		b.phases(single(recipe{Type: t, distribution: C.NORMAL}, 0), n)
	}
	for _, j := range tableJobs() {
		if len(j.keys) > 1 || j.keys[0].nullsPercent > 0 && j.mode == 0 {
			b.phases(j, n)
		}
	}
}
