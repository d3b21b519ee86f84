package strategy

import (
	"math"

	"github.com/arrowsort/arrowsort/gpu/internal/tuning"
	"github.com/arrowsort/arrowsort/kernels"
)

// selectShare is the least number of rows per selected row. Selecting a larger share takes longer than sorting all
// rows.
const selectShare = 6

// A selectShape is the border of a select and the memory for its candidates.
type selectShape struct {
	Hits     int // rows of the sample that do not exceed the border
	Capacity int // the most candidates
}

// ShapeSelect returns the shape of a select of the first k of n rows: hits is the average number of the first k rows in
// a sample, and five standard deviations more; the capacity is six more. ok is false where sorting all rows is as fast.
func ShapeSelect(t *tuning.Table, n, k int) (s selectShape, ok bool) {
	sample := math.Min(float64(n), kernels.SelectSample)
	mean := sample * float64(k) / float64(n)
	hits := math.Ceil(mean + 5*math.Sqrt(mean+1))
	most := hits + hits/16 + 6*math.Sqrt(hits) + 8
	s = selectShape{int(hits), min(n, int(math.Ceil(most*float64(n)/sample)))}
	return s, n >= t.SelectRows && k > 0 && k <= n/selectShare && hits < sample
}
