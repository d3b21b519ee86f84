// Package enginetest is the conformance suite of engines: every engine has to pass TestEngine, and engines that do are
// interchangeable. It uses raw buffers and no Arrow, and compares engines with a reference comparator.
package enginetest

import (
	"slices"
	"testing"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// TestEngine proves that an engine keeps the contract of package engine: order, stability and values for every kind of
// column, distribution and size, and what the contract says of memory, cancellation, errors and concurrent calls.
// open is called once for each group of tests. A short run stays below 50,000 rows and takes a part of the cases.
func TestEngine(t *testing.T, open func(testing.TB) engine.Engine) {
	rows := 2_000_000
	if !testrun.Long() {
		rows = 50_000
	}
	TestEngineBelow(t, rows, open)
}

// A suite is an engine under test and the number of rows that its tests stay below.
type suite struct {
	engine.Engine
	rows int
}

// TestEngineBelow is TestEngine with all cases that stay below a number of rows.
func TestEngineBelow(t *testing.T, rows int, open func(testing.TB) engine.Engine) {
	groups := []struct {
		name string
		run  func(*testing.T, suite)
	}{
		{"Kinds", testKinds}, {"FloatClasses", testFloatClasses}, {"SeveralKeys", testSeveralKeys},
		{"Sizes", testSizes}, {"Distributions", testDistributions}, {"Payload", testPayload}, {"Limit", testLimit},
		{"NoKeys", testNoKeys}, {"Random", testRandom}, {"Large", testLarge}, {"Memory", testMemory},
		{"Cancellation", testCancellation}, {"Concurrency", testConcurrency}, {"Errors", testErrors},
		{"Described", testDescribed},
	}
	for _, group := range groups {
		t.Run(group.name, func(t *testing.T) { group.run(t, suite{open(t), rows}) })
	}
}

// sizes are the given ones without those that are too large for the suite, but one at least.
func (e suite) sizes(all ...int) []int {
	smallest := slices.Min(all)
	return slices.DeleteFunc(slices.Clone(all), func(n int) bool { return n > e.rows && n > smallest })
}

// modes are the orders and null placements of a key.
func modes(s columnSpec) []keySpec {
	return []keySpec{{s, 0, 0}, {s, 0, 1}, {s, 1, 0}, {s, 1, 1}}
}
