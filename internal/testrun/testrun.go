// Package testrun holds what a test run may choose: how many cases it tries and which random data it makes.
package testrun

import (
	"fmt"
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
