//go:build cuda && linux && amd64

package gpu

import (
	"math"
	"testing"

	"github.com/arrowsort/arrowsort/gpu/internal/abi"
	"github.com/arrowsort/arrowsort/kernels"
	"github.com/arrowsort/arrowsort/keyencode"
)

// TestPages sorts rows that lie evenly, whose buckets are not counted, but for one row that the sample does not see:
// a number that is far from the others, or NaN, which has no place in pages, so that the sort begins once more.
func TestPages(t *testing.T) {
	e := openForTest(t)
	const rows, odd = 600_001, 12_345
	partitionings[0].set(&e.tuning, rows)
	e.tuning.AverageRows = kernels.BucketRangeRows * 9 / 10
	mode := 0
	for i, kind := range wholeKinds {
		others := []float64{0, 1e30, math.NaN()}
		if kind == keyencode.Uint32 || kind == keyencode.Int64 {
			others = others[:1]
		}
		for _, other := range others {
			key := numberKey{kind: kind, value: evenly(kind, rows, uint64(i), odd, other)}
			launched := launches(e)
			report := checkNumbers(t, e, "pages", rows, key.in(mode))
			again, samples := math.IsNaN(other), launched["sample"]
			expect(t, e, report.Decision.Accepted == 1, "kind %d with %v is declined", kind, other)
			expect(t, e, samples == map[bool]int{false: 1, true: 2}[again], "kind %d with %v: %d samples", kind, other,
				samples)
			expect(t, e, again == (report.Sample&abi.StatusEven == 0), "kind %d with %v is not even", kind, other)
			mode++
		}
	}
}

// evenly returns values of a kind that are spread evenly; floats are of 0 to 1, but for other in row odd if that is
// not 0.
func evenly(kind keyencode.Kind, rows int, seed uint64, odd int, other float64) func(row int) uint64 {
	uniform := draws["uniform"].by(rows, numberKey{kind: kind}.bytes(), seed)
	return func(row int) uint64 {
		x := uniform(row)
		value := float64(x>>11) / (1 << 53)
		if kind == keyencode.Float32 {
			value = float64(uint32(x)>>8) / (1 << 24)
		}
		if row == odd && other != 0 {
			value = other
		}
		switch kind {
		case keyencode.Float32:
			return uint64(math.Float32bits(float32(value)))
		case keyencode.Float64:
			return math.Float64bits(value)
		}
		return x
	}
}
