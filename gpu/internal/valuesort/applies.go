// Package valuesort sorts keys only: a column that is the only key and the only column of a job. Its values are sorted
// without row numbers, and nothing is gathered.
package valuesort

import (
	"slices"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/keyencode"
)

// kinds are those whose equal values have equal bits, so that rows which tie need no order. Floats are not among them:
// zeros have two signs, and NaNs any bits.
var kinds = []keyencode.Kind{keyencode.Int32, keyencode.Uint32, keyencode.Int64, keyencode.Uint64}

// Applies reports whether a job wants nothing but all values of its only key: a column of integers of 4 or 8 bytes.
func Applies(job *engine.Job) bool {
	if len(job.Keys) != 1 || len(job.Gather) != 1 || job.RowNumbers != 0 || job.Plan || job.Out() != job.Rows {
		return false
	}
	at := job.Keys[0].Column
	return job.Gather[0] == at && slices.Contains(kinds, job.Columns[at].Kind)
}
