package cpu

import "github.com/arrowsort/arrowsort/arrowsort/engine"

// NewNearlySorted is an engine that looks for order in few rows, too.
func NewNearlySorted() engine.Engine { return cpu{nearlyRows: smallRows} }

// NewByLines is an engine whose columns move through open lines, however few the rows are.
func NewByLines() engine.Engine { return cpu{alwaysLines: true} }
