package cpu

import (
	"github.com/arrowsort/arrowsort/arrowsort/engine"
)

// NewNearlySorted is an engine that looks for order in few rows, too.
func NewNearlySorted() engine.Engine {
	return cpu{thresholds{nearlySorted: smallRows, movedStrings: usualThresholds.movedStrings}}
}

// NewEager is an engine whose columns move by write combining, and strings with them or encoded, however few the rows
// are.
func NewEager() engine.Engine {
	return cpu{thresholds{nearlySorted: usualThresholds.nearlySorted, movedStrings: smallRows, combine: true}}
}
