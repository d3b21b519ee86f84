// Package testrun holds what a test run may choose: how many cases it tries and which random data it makes.
package testrun

import (
	"fmt"
	"hash/fnv"
	"os"
	"strconv"
)

// Long reports whether every case of every test runs: the environment variable ARROWSORT_LONG is set and not 0. Without
// it a test tries a fixed part of its cases, so that all tests together take minutes.
func Long() bool {
	value := os.Getenv("ARROWSORT_LONG")
	return value != "" && value != "0"
}

// Seed returns the first seed of random tests: the environment variable ARROWSORT_SEED, a decimal number, or 0 without
// it. .ci/run derives it from the commit, so that every change tests other data, and prints it.
func Seed() uint64 {
	value := os.Getenv("ARROWSORT_SEED")
	if value == "" {
		return 0
	}
	seed, err := strconv.ParseUint(value, 10, 64)
	if err != nil {
		panic(fmt.Sprintf("ARROWSORT_SEED is %q, not a decimal number", value))
	}
	return seed
}

// few divides the cases of a short run where ARROWSORT_FEW is set: for builds that run many times slower, such as that
// of the race detector.
const few = 6

// OneIn returns the number of cases of which this run tries one, where a short run tries one in n.
func OneIn(n int) int {
	switch value := os.Getenv("ARROWSORT_FEW"); {
	case Long():
		return 1
	case value != "" && value != "0":
		return n * few
	default:
		return n
	}
}

// Count returns how many random cases this run tries: long or short of them, or with ARROWSORT_FEW a sixth of short.
func Count(long, short int) int {
	if Long() {
		return long
	}
	return max(1, short/OneIn(1))
}

// Share reports whether this run tries a case of which a short run tries one in n. A long run tries every case. Which
// cases a short run tries depends on their text and on Seed only.
func Share(n int, of ...any) bool {
	h := fnv.New64a()
	fmt.Fprintln(h, Seed(), fmt.Sprintln(of...))
	return h.Sum64()>>32%uint64(OneIn(n)) == 0
}

// Sample returns every n-th of the cases of a test, and one at least where there are any; all of them in a long run.
// Seed decides which one is the first.
func Sample[T any](n int, all []T) []T {
	n = min(OneIn(n), len(all))
	if n <= 1 {
		return all
	}
	var some []T
	for i := int(Seed() % uint64(n)); i < len(all); i += n {
		some = append(some, all[i])
	}
	return some
}
