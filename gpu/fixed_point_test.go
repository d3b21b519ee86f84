//go:build cuda && linux && amd64

package gpu

import (
	"fmt"
	"math"
	"testing"

	"github.com/arrowsort/arrowsort/internal/testrun"
	"github.com/arrowsort/arrowsort/keyencode"
)

// fixedPoints are floats that are integers divided by a power of ten, or nearly so.
var fixedPoints = []struct {
	name  string
	value func(r uint64) float64
	codes bool // all rows have codes
}{
	{"prices", func(r uint64) float64 { return math.Round(100*math.Exp(4+normal(r))) / 100 }, true},
	{"readings of both signs", func(r uint64) float64 { return math.Round(200*normal(r)) / 10 }, true},
	{"integers", func(r uint64) float64 { return float64(r % 1_000) }, true},
	{"zeros of both signs", func(r uint64) float64 {
		return math.Copysign(float64(r%500)/2, float64(mix(r)%2)-0.5)
	}, true},
	{"a price that is none", func(r uint64) float64 {
		if mix(r)%10_000 == 0 {
			return 1.0 / 3
		}
		return float64(r%5_000) / 100
	}, false},
	{"a price far out", func(r uint64) float64 {
		if mix(r)%10_000 == 0 {
			return 1e12
		}
		return float64(r%5_000) / 100
	}, false},
	{"an infinite price", func(r uint64) float64 {
		if mix(r)%10_000 == 0 {
			return math.Inf(1 - int(r%2)*2)
		}
		return float64(r%5_000) / 100
	}, false},
}

// TestFixedPoint sorts fixed-point floats of both widths, with nulls and NaN, in all orders: by codes if all rows have
// one.
func TestFixedPoint(t *testing.T) {
	e := openForTest(t)
	p := partitioning{name: "fixed point", buckets: 9, sample: true}
	sizes := []int{20_000, 50_001}
	if testrun.Long() {
		sizes = append(sizes, 1, 2_048, 131_071, 400_000)
	}
	mode := 0
	for _, values := range fixedPoints {
		for _, kind := range []keyencode.Kind{keyencode.Float64, keyencode.Float32} {
			for _, rows := range sizes {
				name := fmt.Sprintf("%s, %v, %d rows, order %d", values.name, kind, rows, mode%4)
				nans := mode / 4 % 3 * 5
				value := func(row int) uint64 {
					r := mix(uint64(row))
					if int(mix(r+5)%100) < nans {
						return floatBits(kind, math.NaN())
					}
					return floatBits(kind, values.value(r))
				}
				k := numberKey{kind: kind, value: value, null: percent(mode%3*10, uint64(mode))}.in(mode)
				launched := launches(e)
				p.set(&e.tuning, rows)
				checkNumbers(t, e, name, rows, k)
				coded := launched["encode_fixed_point"] > 0
				expect(t, e, coded || rows < 10_000 || !values.codes, "%s: no codes are made", name)
				mode++
			}
		}
	}
}

// TestFixedPointCodesAreFewDigits counts the passes of prices.
func TestFixedPointCodesAreFewDigits(t *testing.T) {
	e := openForTest(t)
	partitioning{sample: true}.set(&e.tuning, 50_000)
	launched := launches(e)
	checkNumbers(t, e, "prices", 50_000, numberKey{kind: keyencode.Float64, value: func(row int) uint64 {
		return floatBits(keyencode.Float64, fixedPoints[0].value(mix(uint64(row))))
	}})
	passes := launched["digit_binning_first_short"] + launched["digit_binning_middle_short"] +
		launched["digit_binning_last_short"]
	expect(t, e, launched["encode_fixed_point"] == 1 && passes == 3, "launches: %v", launched)
}
