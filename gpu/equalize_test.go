//go:build cuda && linux && amd64

package gpu

import (
	"math"
	"testing"

	"github.com/arrowsort/arrowsort/gpu/internal/abi"
	"github.com/arrowsort/arrowsort/keyencode"
)

// peak has a tenth of all rows in a hundredth of the range.
func peak(r uint64) float64 {
	if mix(r)%10 == 0 {
		return 0.3 + 5e-3*normal(r)
	}
	return 2*unit(r) - 1
}

// uneven are numbers of which other maps leave some buckets too large.
var uneven = map[string]draw{
	"log-uniform":       draws["log-uniform"],
	"30 bits, outliers": draws["30 bits, outliers"],
	"a heavy value": func(i, n, r uint64) uint64 {
		return pick(mix(r+3)%8 == 0, 77, draws["log-uniform"](i, n, r))
	},
	"a peak":         func(_, _, r uint64) uint64 { return uint64(int64(peak(r)*(1<<62))) + 1<<63 },
	"three clusters": func(_, _, r uint64) uint64 { return mix(r%3) + r%1024 }, // nothing spreads them
}

// TestEqualizedMaps sorts columns of which other maps leave some buckets too large: signed numbers have both signs.
func TestEqualizedMaps(t *testing.T) {
	e := openForTest(t)
	var count partitioned
	equalized, mode := 0, 0
	check := func(p partitioning, name string, kind keyencode.Kind, rows, nulls int) {
		t.Helper()
		seed := uint64(mode)
		numbers := uneven[name].by(rows, 8, seed)
		value := func(row int) uint64 {
			switch r := mix(uint64(row) + seed); {
			case kind == keyencode.Float64:
				return floatBits(kind, peak(r))
			case kind == keyencode.Int64 && name == "a peak":
				return numbers(row) - 1<<63
			case kind == keyencode.Int64 && r%2 == 0: // both signs
				return ^numbers(row)
			}
			return numbers(row)
		}
		d := count.check(t, e, p, name, rows, numberKey{kind: kind, value: value, null: percent(nulls, seed)}.in(mode))
		s := <-e.turn
		is := s.Reports.Report.Sample&abi.StatusEqualized != 0
		e.turn <- s
		if is {
			equalized++
		}
		expect(t, e, d.Accepted == 1 || !is, "%s of %s: an equalized map is declined: %d", p.name, name, d.Reason)
		expect(t, e, !is || name != "three clusters", "nothing spreads clusters")
		mode++
	}
	for _, bits := range []int{9, 12} {
		p := partitioning{name: "equalized", buckets: bits, sample: true}
		for i, kind := range []keyencode.Kind{keyencode.Uint64, keyencode.Int64} {
			for k, name := range []string{"log-uniform", "30 bits, outliers", "a heavy value", "three clusters"} {
				check(p, name, kind, 20_000, (i+k)%2*30)
				check(p, name, kind, 50_001, (i+k+1)%2*30)
			}
		}
	}
	many := partitioning{name: "as of 2^24 rows", buckets: 9, rows: 1 << 24, sample: true}
	for _, kind := range []keyencode.Kind{keyencode.Int64, keyencode.Uint64, keyencode.Float64} {
		for _, nulls := range []int{0, 30} {
			check(many, "a peak", kind, 200_000, nulls)
		}
	}
	// Equal numbers in many bins and many tiles.
	check(partitioning{name: "as of 2^22 rows", buckets: 16, rows: 1 << 22, sample: true},
		"log-uniform", keyencode.Int64, 1<<18, 0)
	expect(t, e, equalized > 2*(mode-equalized)/3, "%d of %d maps are equalized", equalized, mode)
}

// TestMoreBuckets sorts numbers that lie so unevenly that most of them would be in buckets that are too large: the sort
// starts again with more buckets.
func TestMoreBuckets(t *testing.T) {
	e := openForTest(t)
	launched := launches(e)
	real := func(kind keyencode.Kind, of func(r uint64) float64) numberKey {
		return numberKey{kind: kind, value: func(row int) uint64 { return floatBits(kind, of(mix(uint64(row)))) }}
	}
	whole := func(kind keyencode.Kind) numberKey {
		return numberKey{kind: kind, value: func(row int) uint64 {
			return uint64(int64(normal(uint64(row)) * (1 << 27)))
		}}
	}
	lognormal := func(r uint64) float64 { return math.Exp(normal(r)) }
	p := partitioning{name: "uneven", buckets: 8, sample: true}
	for i, key := range []numberKey{
		real(keyencode.Float32, normal), real(keyencode.Float32, lognormal), whole(keyencode.Int32),
		whole(keyencode.Int64),
	} {
		const rows = 700_000
		if i%2 == 1 {
			key.null = percent(10, 3)
		}
		clear(launched)
		p.set(&e.tuning, rows)
		d := checkNumbers(t, e, p.name, rows, key.in(i)).Decision
		samples := launched["sample"]
		expect(t, e, samples == 2 && d.Accepted == 1, "key %d: %d samples, declined: %d", i, samples, d.Reason)
	}
}
