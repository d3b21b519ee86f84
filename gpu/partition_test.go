//go:build cuda && linux && amd64

package gpu

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/arrowsort/arrowsort/gpu/internal/abi"
	"github.com/arrowsort/arrowsort/gpu/internal/strategy"
	"github.com/arrowsort/arrowsort/gpu/internal/tuning"
	"github.com/arrowsort/arrowsort/kernels"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A partitioning is how few rows are partitioned as more of them are.
type partitioning struct {
	name    string
	buckets int  // bits, at least; 0: as few as usual
	rows    int  // that records are for, at least
	sample  bool // a larger one is read where the first one does not tell
}

// partitionings take all kernels that partition: partition_only and partition_first.
var partitionings = []partitioning{
	{name: "few buckets"}, {name: "2^10 buckets", buckets: 10}, {name: "2^12 buckets", buckets: 12},
	{name: "2^12 buckets by two samples", buckets: 12, sample: true},
	{name: "as of 2^28 rows", buckets: 16, rows: 1 << 28, sample: true},
}

// set sets the thresholds for some rows.
func (p partitioning) set(t *tuning.Table, rows int) {
	t.SmallSortRows, t.RecordRows = 0, max(1, p.rows)
	t.AverageRows = kernels.BucketRangeRows / 2
	if p.buckets > 0 {
		t.AverageRows = rows >> p.buckets
	}
	t.LargeSampleRows = map[bool]int{false: 1 << 30}[p.sample]
}

// partitioned counts the outcomes of sorts by buckets.
type partitioned struct{ accepted, declined, early, ordered, split int }

// check sorts rows by a key, and counts what the device has decided.
func (c *partitioned) check(t *testing.T, e *Engine, p partitioning, what string, rows int, k numberKey) abi.Decision {
	t.Helper()
	p.set(&e.tuning, rows)
	report := checkNumbers(t, e, p.name+", "+what, rows, k)
	d := report.Decision
	c.accepted += int(d.Accepted)
	c.early += int(d.Early)
	c.split += int(d.Split)
	if d.Accepted == 0 {
		c.declined++
	}
	if report.Sample&abi.StatusInOrder != 0 || d.Reason == abi.ReasonOrdered {
		c.ordered++
	}
	return d
}

// in is the key in one of the orders and null placements.
func (k numberKey) in(mode int) numberKey {
	k.order, k.nulls = keyencode.Order(mode%2), keyencode.NullPlacement(mode/2%2)
	return k
}

var wholeKinds = []keyencode.Kind{keyencode.Uint32, keyencode.Int64, keyencode.Float32, keyencode.Float64}

// TestPartition sorts columns of every distribution by partition and bucket sort in one pass and in two, or in another
// way where the device declines them.
func TestPartition(t *testing.T) {
	e := openForTest(t)
	var count partitioned
	mode := 0
	names := slices.Sorted(maps.Keys(draws))
	for i, name := range names {
		for k, kind := range wholeKinds {
			rows := []int{9001, 20_003, 30_007}[(i+k)%3]
			bytes := numberKey{kind: kind}.bytes()
			key := numberKey{kind: kind, value: draws[name].by(rows, bytes, uint64(i)), null: percent(i%3/2*20, 7)}
			d := count.check(t, e, partitionings[(i+k)%len(partitionings)], name, rows, key.in(mode))
			if name == "uniform" {
				expect(t, e, d.Accepted == 1 || k > 1, "uniform rows are declined: %d", d.Reason)
			}
			mode++
		}
	}
	for _, p := range partitionings {
		for k, kind := range wholeKinds {
			for _, rows := range []int{1, 2, 33, 2015, 2017, 5000} {
				bytes := numberKey{kind: kind}.bytes()
				key := numberKey{kind: kind, value: draws["uniform"].by(rows, bytes, uint64(k))}
				count.check(t, e, p, "few rows", rows, key.in(mode))
				mode++
			}
		}
	}
	c := count
	expect(t, e, min(c.accepted, c.declined, c.early, c.ordered, c.split) > 1, "%+v", c)
}

// TestPartitionTiles sorts numbers of rows around the edges of the tiles of every pass.
func TestPartitionTiles(t *testing.T) {
	e := openForTest(t)
	var count partitioned
	mode := 0
	for _, p := range partitionings {
		for k, kind := range wholeKinds {
			p.set(&e.tuning, 5000)
			s := strategy.ShapeBuckets(&e.tuning, 5000, numberKey{kind: kind}.bytes())
			tile := s.Tile()
			for i, rows := range []int{tile - 1, tile, tile + 1, 2 * tile, 2*tile + 1} {
				name := []string{"uniform", "25 % zero", "1 % hot", "and of 16"}[(i+k)%4]
				key := numberKey{kind: kind, value: draws[name].by(rows, s.Width, uint64(i)), null: percent(i%2*20, 3)}
				d := count.check(t, e, p, "tiles of "+name, rows, key.in(mode))
				declines := name == "uniform" && k < 2 && d.Accepted == 0
				expect(t, e, !declines, "%s: %d uniform rows are declined: %d", p.name, rows, d.Reason)
				mode++
			}
		}
	}
}

// TestPartitionOutliers sorts columns most of whose rows are at one end of the range, in very many buckets, and two of
// them far outside, which no sample foresees.
func TestPartitionOutliers(t *testing.T) {
	e := openForTest(t)
	var count partitioned
	for mode := range 4 {
		for i, name := range []string{"a lower corner", "an upper corner"} {
			kind, rows := wholeKinds[(mode+i)%2], 50_001
			key := numberKey{kind: kind, value: draws[name].by(rows, numberKey{kind: kind}.bytes(), uint64(mode))}
			d := count.check(t, e, partitionings[2], name, rows, key.in(mode))
			expect(t, e, d.Accepted == 1 && d.Below == 1 && d.Above == 1, "%s of kind %d: %+v", name, kind, d)
		}
	}
}

// TestPartitionFloats sorts floats that are equal, and so near zero that they tie in their codes.
func TestPartitionFloats(t *testing.T) {
	e := openForTest(t)
	var count partitioned
	mode := 0
	for _, p := range []partitioning{partitionings[0], partitionings[2], partitionings[4]} {
		for _, steps := range []float64{0, 3, 100, 5000} { // different values on either side of zero; 0: any
			for _, tiny := range []uint64{0, 500, 5} { // one in this many is next to zero
				for _, kind := range []keyencode.Kind{keyencode.Float32, keyencode.Float64} {
					rows := 9000 + 7*mode
					key := numberKey{kind: kind, null: percent(mode%3/2*10, 5), value: func(row int) uint64 {
						r := mix(uint64(row))
						v := float64(int64(r)) / (1 << 63)
						if steps > 0 {
							v = math.Trunc(v*steps) / steps
						}
						switch {
						case mix(r)%50 == 0:
							v = math.NaN()
						case tiny > 0 && mix(r+1)%tiny == 0:
							v = math.Ldexp(v, -20-int(r%30))
						}
						return floatBits(kind, v)
					}}
					count.check(t, e, p, fmt.Sprintf("%v steps, one in %d tiny", steps, tiny), rows, key.in(mode))
					mode++
				}
			}
		}
	}
}

// floatBits is a float as a kind stores it.
func floatBits(kind keyencode.Kind, v float64) uint64 {
	if kind == keyencode.Float32 {
		return uint64(math.Float32bits(float32(v)))
	}
	return math.Float64bits(v)
}

// TestPartitionHeavy sorts columns most of whose rows are of few values, null or NaN: there are many other rows, few or
// none, and two values have the same hash.
func TestPartitionHeavy(t *testing.T) {
	e := openForTest(t)
	var count partitioned
	mode := 0
	for _, name := range []string{"and of 8", "and of 16", "five values", "25 % zero", "uniform", "constant"} {
		for k, kind := range wholeKinds {
			p := partitionings[4-k%2]
			rows := 40_001 + mode
			bytes := numberKey{kind: kind}.bytes()
			key := numberKey{kind: kind, value: draws[name].by(rows, bytes, uint64(mode))}
			key.null = percent(mode%2*70, 3)
			count.check(t, e, p, name, rows, key.in(mode))
			mode++
		}
	}
	for k, kind := range wholeKinds[:2] {
		a, b := collision(8 * numberKey{kind: kind}.bytes())
		for _, rows := range []int{20_000, 30_000} {
			for _, p := range partitionings[:2] {
				key := numberKey{kind: kind, value: func(row int) uint64 {
					r := mix(uint64(row))
					return pick(r%40 < 2, pick(r%2 == 0, a, b), mix(r)) ^ uint64(k)<<63
				}}
				count.check(t, e, p, "two values of the same hash", rows, key)
			}
		}
	}
	expect(t, e, count.split > 5, "%+v", count)
}

// collision returns two numbers of the given bits with the same hash (hash_number of kernels/sample/sample_range.h), so
// that all blocks have to take the same one for heavy.
func collision(bits int) (a, b uint64) {
	hash := func(x uint64) uint32 {
		x = (x ^ x>>32) * 0x9e3779b97f4a7c15
		return uint32((x ^ x>>29) * 0xbf58476d1ce4e5b9 >> 32)
	}
	numbers := map[uint32]uint64{}
	for i := uint64(0); ; i++ {
		x := mix(i) >> (64 - bits)
		if other, ok := numbers[hash(x)]; ok && other != x {
			return other, x
		}
		numbers[hash(x)] = x
	}
}
