// Package enginetest is the conformance suite of engines: every engine has to pass TestEngine, and engines that do are
// interchangeable. It knows raw buffers and no Arrow, and holds engines to a comparator of its own.
package enginetest

import (
	"testing"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
)

// TestEngine proves that an engine keeps the contract of package engine: order, stability and values for every kind of
// column, distribution and size, and what the contract says of memory, cancellation, errors and concurrent calls.
// open is called once for each group of tests. With -short a part of the sizes and seeds is run.
func TestEngine(t *testing.T, open func(testing.TB) engine.Engine) {
	groups := []struct {
		name string
		run  func(*testing.T, engine.Engine)
	}{
		{"Kinds", testKinds},
		{"FloatClasses", testFloatClasses},
		{"SeveralKeys", testSeveralKeys},
		{"Sizes", testSizes},
		{"Distributions", testDistributions},
		{"Payload", testPayload},
		{"Limit", testLimit},
		{"NoKeys", testNoKeys},
		{"Random", testRandom},
		{"Large", testLarge},
		{"Memory", testMemory},
		{"Cancellation", testCancellation},
		{"Concurrency", testConcurrency},
		{"Errors", testErrors},
	}
	for _, group := range groups {
		t.Run(group.name, func(t *testing.T) { group.run(t, open(t)) })
	}
}

// modes are the orders and null placements of a key.
func modes(s columnSpec) []keySpec {
	return []keySpec{{s, 0, 0}, {s, 0, 1}, {s, 1, 0}, {s, 1, 1}}
}
