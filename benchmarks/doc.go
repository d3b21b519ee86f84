// Package benchmarks measures arrowsort; README.md says how to run it and how to read it.
package benchmarks
