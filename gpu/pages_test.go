//go:build cuda && linux && amd64

package gpu

import (
	"math"
	"testing"

	"github.com/arrowsort/arrowsort/gpu/internal/abi"
	"github.com/arrowsort/arrowsort/keyencode"
)

// TestPages sorts rows that lie evenly, whose buckets are not counted, but for one row that has no place among them: NaN,
// or a number that is far from the others, which the sample does not see.
func TestPages(t *testing.T) {
	e := openForTest(t)
	const rows, odd = 70_001, 12_345
	partitionings[0].set(&e.tuning, rows)
	mode := 0
	for i, kind := range wholeKinds {
		bytes := numberKey{kind: kind}.bytes()
		floats := kind == keyencode.Float32 || kind == keyencode.Float64
		for _, other := range []float64{0, math.NaN(), 1e30} {
			uniform := draws["uniform"].by(rows, bytes, uint64(i))
			key := numberKey{kind: kind, value: func(row int) uint64 {
				x := uniform(row)
				switch {
				case !floats:
				case row == odd && other != 0 && bytes == 4:
					x = uint64(math.Float32bits(float32(other)))
				case row == odd && other != 0:
					x = math.Float64bits(other)
				case bytes == 4:
					x = uint64(math.Float32bits(float32(uint32(x)>>8) / (1 << 24)))
				default:
					x = math.Float64bits(float64(x>>11) / (1 << 53))
				}
				return x
			}}
			report := checkNumbers(t, e, "pages", rows, key.in(mode))
			even := report.Sample&abi.StatusEven != 0
			expect(t, e, even == !(floats && math.IsNaN(other)), "kind %d with %v: even is %t", kind, other, even)
			expect(t, e, report.Decision.Accepted == 1, "kind %d with %v is declined", kind, other)
			mode++
		}
	}
}
