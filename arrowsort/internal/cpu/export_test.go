package cpu

import "github.com/arrowsort/arrowsort/arrowsort/engine"

// NewByLines is an engine whose columns move through open lines, however few the rows are.
func NewByLines() engine.Engine { return cpu{alwaysLines: true} }
