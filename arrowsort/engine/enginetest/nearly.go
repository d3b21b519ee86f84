package enginetest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/internal/testrun"
	"github.com/arrowsort/arrowsort/keyencode"
)

// runs are sorted runs, one after another.
func runs(count int) distribution {
	return eachRow(fmt.Sprint(count, " runs"), func(r *rand.Rand, i, n, bits int) uint64 {
		length := n/count + 1
		return rising(i%length, length, bits-1) + r.Uint64N(1+uint64(1)<<(bits-1)/uint64(n))
	})
}

// swapped swaps some rows of a distribution at random.
func swapped(d distribution, one int) distribution {
	return distribution{fmt.Sprint(d.name, ", one of ", one, " swapped"), func(r *rand.Rand, n, bits int) []uint64 {
		out := d.draw(r, n, bits)
		for range n / one {
			i, j := r.IntN(n), r.IntN(n)
			out[i], out[j] = out[j], out[i]
		}
		return out
	}}
}

// nearly are the distributions of rows that are nearly sorted.
var nearly = []distribution{
	{"nearly sorted", nearlySorted}, swapped(eachRow("rising", func(_ *rand.Rand, i, n, bits int) uint64 {
		return rising(i/9, n, bits)
	}), 3000),
	runs(2), runs(11), swapped(runs(4), 20_000),
	eachRow("jitter", func(r *rand.Rand, i, _, _ int) uint64 { return uint64(i/64) + r.Uint64N(300) }),
	eachRow("distinct jitter", func(r *rand.Rand, i, n, bits int) uint64 {
		return rising(i, n, bits-1) + r.Uint64N(1+uint64(1)<<(bits-1)/500)
	}),
}

// TestNearlySorted proves an engine on a number of rows that are nearly sorted: keys of many kinds in all orders and
// null placements, and columns of many kinds.
func TestNearlySorted(t *testing.T, rows int, e engine.Engine) {
	specs := []columnSpec{
		{kind: keyencode.Int64}, {kind: keyencode.Float64, nulls: 0.01, offset: 7}, {kind: keyencode.Uint32, chunks: 3},
		{kind: keyencode.Uint64, nulls: 0.02, chunks: 2, offset: -1}, {kind: keyencode.Float32},
		{kind: keyencode.Int16},
		{kind: keyencode.Decimal128}, {kind: keyencode.FixedSizeBinary, width: 7},
		{kind: keyencode.Binary, nulls: 0.01},
	}
	payload := []columnSpec{
		rowID, {kind: keyencode.Binary, dist: uniform, style: 3, nulls: 0.1, chunks: 4, offset: -1},
		{kind: keyencode.Bool, dist: uniform, nulls: 0.1}, {kind: keyencode.FixedSizeBinary, width: 11, dist: uniform},
	}
	if !testrun.Long() {
		specs, payload = specs[:4], payload[:2]
	}
	for d, distribution := range nearly {
		for i, spec := range specs {
			key := modes(spec)[(d+i+rows)%4]
			if key.dist = distribution; key.order == keyencode.Descending {
				key.dist = falling(distribution)
			}
			s := scenario{
				seed: uint64(d*len(specs) + i), rows: rows, keys: []keySpec{key}, payload: payload, threads: 1 + i%3,
			}
			s.check(t, e)
		}
	}
}

// falling is a distribution with the order of its patterns reversed.
func falling(d distribution) distribution {
	return distribution{d.name + ", falling", func(r *rand.Rand, n, bits int) []uint64 {
		out := d.draw(r, n, bits)
		for i := range out {
			out[i] ^= 1<<bits - 1
		}
		return out
	}}
}
