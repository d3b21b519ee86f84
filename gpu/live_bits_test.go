//go:build cuda && linux && amd64

package gpu

import (
	"fmt"
	"testing"

	"github.com/arrowsort/arrowsort/gpu/internal/abi"
	"github.com/arrowsort/arrowsort/gpu/internal/strategy"
	"github.com/arrowsort/arrowsort/keyencode"
)

// liveBits are numbers of few live bits: those of a range anywhere in their type, next to one another or a stride
// apart, but for some that the sample does not see.
type liveBits struct {
	bytes, live, stride int
	outliers            int  // rows of any other number, evenly spread
	offStride           bool // these are numbers of the range, but for the stride
	apart               bool // half of the numbers are at the other end of the range
}

// key makes the column of rows. Its numbers are signed or not.
func (c liveBits) key(rows int, seed uint64) numberKey {
	all := ^uint64(0) >> (64 - 8*c.bytes)
	span := ^uint64(0) >> (64 - c.live) << c.stride & all
	low := mix(seed) % (all - span + 1)
	switch seed % 7 {
	case 0:
		low = 0
	case 1:
		low = all - span
	}
	signed := seed%5 < 3
	kind := map[int]map[bool]keyencode.Kind{4: {false: keyencode.Uint32, true: keyencode.Int32},
		8: {false: keyencode.Uint64, true: keyencode.Int64}}[c.bytes][signed]
	value := func(row int) uint64 {
		r := mix(uint64(row)*31 + seed)
		if c.apart {
			r = pick(row%2 == 0, ^(r >> 6), r>>6)
		}
		x := low + r>>(64-c.live)<<c.stride
		if every := rows/max(1, c.outliers) + 1; c.outliers > 0 && row%every == every/2 {
			x = pick(c.offStride, x+1+mix(r)%(1<<c.stride), mix(r))
		}
		return x ^ pick(signed, 1<<(8*c.bytes-1), 0)
	}
	return numberKey{kind: kind, value: value}.in(int(seed))
}

// TestLiveBits sorts numbers of few live bits, by records of 32 bits where these tell them apart.
func TestLiveBits(t *testing.T) {
	e := openForTest(t)
	var count partitioned
	narrow, seed := 0, uint64(0)
	check := func(p partitioning, rows, nulls int, c liveBits) {
		t.Helper()
		if seed++; c.live+c.stride > 8*c.bytes {
			return
		}
		k := c.key(rows, seed)
		k.null = percent(nulls, seed)
		d := count.check(t, e, p, fmt.Sprintf("%+v, seed %d", c, seed), rows, k)
		narrow += int(d.Narrow)
		spread := c.live > strategy.BucketCodeBits && c.outliers == 0 && rows > 1000 // so that partition suits them
		expect(t, e, d.Accepted == 1 || !spread || d.Reason == abi.ReasonOrdered, "%s: %+v is declined: %d", p.name, c,
			d.Reason)
		expect(t, e, d.Narrow == 0 || c.live <= 33 || c.stride > 0, "%s: %+v has too many bits for 32", p.name, c)
		wants := spread && c.bytes == 8 && c.live <= 32 && d.Reason != abi.ReasonOrdered
		expect(t, e, !wants || d.Narrow == 1, "%s: 32 bits would do for %+v", p.name, c)
	}
	small, pass, two, many := partitionings[0], partitionings[1], partitionings[2], partitionings[4]
	for live := 1; live <= 64; live++ {
		bytes, p := 4, small
		if live > 32 || live%2 == 1 {
			bytes, p = 8, pass
		}
		check(two, 9000, live%2*10, liveBits{bytes: bytes, live: live, stride: live % 32})
		check(p, 6001, 0, liveBits{bytes: 8, live: live, stride: live % 3 / 2 * (64 - live)}) // or all bits after them
	}
	for bits := 1; bits <= 14; bits++ { // all bits of row numbers
		check(pass, 1<<bits-1, 0, liveBits{bytes: 8, live: 20, stride: bits})
		check(small, 1<<bits, bits%3*10, liveBits{bytes: 8, live: 17 + bits})
		check(pass, 1<<bits+1, 0, liveBits{bytes: 4, live: 17 + bits})
	}
	for _, live := range []int{20, 32, 33, 40, 45, 64} { // few rows in very many buckets, or at both ends of them
		for _, rows := range []int{9000, 30_001} {
			check(partitioning{name: "as of 2^24 rows", buckets: 12, rows: 1 << 24}, rows, live%2*10,
				liveBits{bytes: 8, live: live})
			check(many, rows, 0, liveBits{bytes: 8, live: live, outliers: map[int]int{40: 3}[live]})
			check(many, rows, 0, liveBits{bytes: 8, live: live, apart: true})
			check(partitioning{name: "as of 2^20 rows", buckets: 13, rows: 1 << 20}, rows, 0,
				liveBits{bytes: 8, live: live, outliers: 7, apart: true})
		}
	}
	for i, outliers := range []int{1, 5, 300} { // which the sample does not see
		for k, stride := range []int{0, 5, 13, 40} {
			live := []int{17, 20, 24}[(i+k)%3]
			check(pass, 20_000, 0, liveBits{bytes: 8, live: live, stride: stride, outliers: outliers})
			check(small, 9000, 0, liveBits{bytes: 8, live: live, stride: stride, outliers: outliers})
			check(two, 10_000, 5, liveBits{bytes: 4, live: live, stride: stride, outliers: outliers})
			if stride > 0 {
				check(two, 20_000, 0,
					liveBits{bytes: 8, live: live, stride: stride, outliers: outliers, offStride: true})
			}
		}
	}
	expect(t, e, min(count.accepted, count.declined, narrow) > 10, "%+v, %d narrow", count, narrow)
}
