package enginetest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// A distribution draws n patterns, each below 2^bits. Patterns are unsigned; cells turn them into values of a kind so
// that a larger pattern is a larger value.
type distribution struct {
	name string
	draw func(r *rand.Rand, n, bits int) []uint64
}

func uniformPattern(r *rand.Rand, bits int) uint64 { return r.Uint64() >> (64 - bits) }

// eachRow makes a distribution of a function of the row.
func eachRow(name string, f func(r *rand.Rand, i, n, bits int) uint64) distribution {
	return distribution{name, func(r *rand.Rand, n, bits int) []uint64 {
		out := make([]uint64, n)
		for i := range out {
			out[i] = f(r, i, n, bits) & (math.MaxUint64 >> (64 - bits))
		}
		return out
	}}
}

// lowEntropy is the AND of q uniform draws, the Onesweep paper's entropy axis.
func lowEntropy(q int) distribution {
	return eachRow(fmt.Sprintf("and%d", q), func(r *rand.Rand, _, _, bits int) uint64 {
		v := uint64(math.MaxUint64)
		for range q {
			v &= uniformPattern(r, bits)
		}
		return v
	})
}

// hot gives a part of the rows, in thousandths, one value and spreads the rest uniformly.
func hot(name string, perMille int, value uint64) distribution {
	return eachRow(name, func(r *rand.Rand, _, _, bits int) uint64 {
		if r.IntN(1000) < perMille {
			return value & (math.MaxUint64 >> (64 - bits))
		}
		return uniformPattern(r, bits)
	})
}

// rising spreads the rows evenly over the whole range of patterns, in order.
func rising(i, n, bits int) uint64 {
	top := uint64(math.MaxUint64) >> (64 - bits)
	if step := top / uint64(n); step > 0 {
		return uint64(i) * step
	}
	return uint64(float64(i) / float64(n) * float64(top))
}

var uniform = eachRow("uniform", func(r *rand.Rand, _, _, bits int) uint64 { return uniformPattern(r, bits) })

// plain are the distributions of the design and of the paper.
var plain = []distribution{
	uniform,
	lowEntropy(2), lowEntropy(3), lowEntropy(4), lowEntropy(8), lowEntropy(16),
	eachRow("all equal", func(_ *rand.Rand, _, _, _ int) uint64 { return 0x5AA5_1234_9876_0F0F }),
	eachRow("two values", func(r *rand.Rand, _, _, _ int) uint64 { return uint64(r.IntN(2)) * 0x8001_8001_8001_8081 }),
	eachRow("few values", func(r *rand.Rand, _, _, _ int) uint64 { return uint64(r.IntN(7)) * 0x9E37_79B9_7F4A_7C15 }),
	eachRow("sorted", func(_ *rand.Rand, i, n, bits int) uint64 { return rising(i, n, bits) }),
	eachRow("sorted with ties", func(_ *rand.Rand, i, n, bits int) uint64 { return rising(i/7, n, bits) }),
	eachRow("reversed", func(_ *rand.Rand, i, n, bits int) uint64 { return rising(n-1-i, n, bits) }),
	eachRow("reversed with ties", func(_ *rand.Rand, i, n, bits int) uint64 { return rising((n-1-i)/7, n, bits) }),
	eachRow("sawtooth", func(_ *rand.Rand, i, _, _ int) uint64 { return uint64(i % 1000) }),
	eachRow("one odd value", func(_ *rand.Rand, i, n, _ int) uint64 {
		if i == n/3 {
			return 41
		}
		return 42
	}),
	eachRow("high bits only", func(r *rand.Rand, _, _, bits int) uint64 { return r.Uint64N(256) << max(bits-8, 0) }),
	eachRow(
		"distant tiles",
		func(_ *rand.Rand, i, _, bits int) uint64 { return uint64(i>>14&1)<<(bits-1) | uint64(i>>15&1) },
	),
	eachRow("extremes", func(r *rand.Rand, _, _, _ int) uint64 { return uint64(r.IntN(5)) - 2 }),
	hot("0.4% zeros", 4, 0),
	hot("1% hot", 10, 0x7777_7777_7777_7777),
	hot("60% hot", 600, 0x3333_3333_3333_3333),
	{"40 shared bits", sharedBits},
	{"sorted, two outliers", outliers},
	{"nearly sorted", nearlySorted},
	eachRow("zipf", func(r *rand.Rand, _, _, bits int) uint64 {
		return uint64(math.Pow(2, float64(bits)*r.Float64()*r.Float64()*r.Float64()))
	}),
	eachRow("exponential", func(r *rand.Rand, _, _, bits int) uint64 {
		return uint64(r.ExpFloat64() * math.Ldexp(1, bits-6))
	}),
}

// adversarial are made against plans that look at a sample of the rows, at even strides or at the ends.
var adversarial = []distribution{
	strided("sample sees one value", true),
	strided("sample sees no cluster", false),
	eachRow("heavy clusters", func(r *rand.Rand, _, _, bits int) uint64 {
		centre := uint64(r.IntN(3)*r.IntN(3)+1) * 0x0F0F_1234_5678_9ABC
		return centre>>(64-bits) + r.Uint64N(512)
	}),
	eachRow("nested clusters", func(r *rand.Rand, _, _, bits int) uint64 {
		return uniformPattern(r, bits) >> r.IntN(bits)
	}),
	eachRow("middle differs", func(r *rand.Rand, i, n, bits int) uint64 {
		if i < n/4 || i > n-n/4 {
			return rising(i, n, bits)
		}
		return 1<<(bits-1) + r.Uint64N(3)
	}),
}

// strided gives the rows at even strides one sort of values and the others the opposite: one value and uniform, or
// uniform and a narrow cluster.
func strided(name string, oneValue bool) distribution {
	return distribution{name, func(r *rand.Rand, n, bits int) []uint64 {
		seen := make([]bool, n)
		for samples := 64; samples <= min(n/16, 1<<14); samples *= 2 {
			for k := range samples {
				seen[k*(n/samples)], seen[int(uint64(k)*uint64(n)/uint64(samples))] = true, true
			}
		}
		out := uniform.draw(r, n, bits)
		for i := range out {
			switch {
			case seen[i] && oneValue:
				out[i] = 1 << (bits - 1)
			case !seen[i] && !oneValue:
				out[i] = 1<<(bits-1) | r.Uint64N(1<<(bits/4))
			}
		}
		return out
	}}
}

// sharedBits lets 64 neighbours share their 40 leading bits.
func sharedBits(r *rand.Rand, n, bits int) []uint64 {
	out := uniform.draw(r, n, bits)
	low := uint64(1)<<max(bits-40, 1) - 1
	for i := range out {
		out[i] = out[i&^63]&^low | out[i]&low
	}
	return out
}

func outliers(_ *rand.Rand, n, bits int) []uint64 {
	out := make([]uint64, n)
	for i := range out {
		out[i] = rising(i, n, bits)
	}
	if n > 2 {
		out[n/2], out[n-1] = 0, out[n/5]
	}
	return out
}

func nearlySorted(r *rand.Rand, n, bits int) []uint64 {
	out := uniform.draw(r, n, bits)
	slices.Sort(out)
	for range n / 100 {
		i, j := r.IntN(n), r.IntN(n)
		out[i], out[j] = out[j], out[i]
	}
	return out
}
