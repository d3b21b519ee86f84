package gpu

import (
	"math"

	"github.com/arrowsort/arrowsort/kernels"
)

// selectShare is how many rows there must be for each of the first that are selected. Of 2^28 uniform u32 a tenth of
// the rows takes half as long as all of them, a quarter 4 % longer than all.
const selectShare = 6

// A selectShape is how a select of the first rows cuts.
type selectShape struct {
	hits int // rows of the sample that are no greater than the border
	room int // for candidates
}

// shapeSelect cuts so far behind the first k of n rows that a sample is most unlikely to mislead: of k rows it has so
// many on average, and with five standard deviations more they are in front of the border. As many again, and a little
// more, may turn out to be candidates. ok is false where to sort everything is as quick.
func shapeSelect(n, k int) (s selectShape, ok bool) {
	sample := math.Min(float64(n), kernels.SelectSample)
	mean := sample * float64(k) / float64(n)
	hits := math.Ceil(mean + 5*math.Sqrt(mean+1))
	most := hits + hits/16 + 6*math.Sqrt(hits) + 8
	s = selectShape{int(hits), min(n, int(math.Ceil(most*float64(n)/sample)))}
	return s, n >= thresholds.selectRows && k > 0 && k <= n/selectShare && hits < sample
}
