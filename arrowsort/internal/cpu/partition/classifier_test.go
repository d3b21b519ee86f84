package partition

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/cputest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/keys"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/scatter"
	"github.com/arrowsort/arrowsort/internal/buffers"
)

// A codeShape is a distribution of codes with the class borders that a plan would give for them.
type codeShape struct {
	name    string
	borders []uint64
	code    func(r *rand.Rand) uint64
}

var codeShapes = []codeShape{
	{"cputest.Uniform", nil, func(r *rand.Rand) uint64 { return r.Uint64() }},
	{"32 bits", nil, func(r *rand.Rand) uint64 { return r.Uint64N(1 << 32) }},
	{"exponential", nil, func(r *rand.Rand) uint64 { return r.Uint64() >> r.IntN(64) }},
	{"high bits", nil, func(r *rand.Rand) uint64 { return r.Uint64N(300) << 55 }},
	{"two values", nil, func(r *rand.Rand) uint64 { return r.Uint64N(2) * math.MaxUint64 }},
	{"five values", nil, func(r *rand.Rand) uint64 { return r.Uint64N(5) * 0x123456789abcdef }},
	{"half one value", nil, func(r *rand.Rand) uint64 { return r.Uint64() * r.Uint64N(2) }},
	{"most with outliers", nil, func(r *rand.Rand) uint64 {
		if r.IntN(3) == 0 {
			return r.Uint64()
		}
		return 1<<60 + r.Uint64N(1<<50)
	}},
	{"nulls at end", []uint64{1<<40 - 1}, func(r *rand.Rand) uint64 {
		if r.IntN(20) == 0 {
			return 1 << 40
		}
		return r.Uint64N(1 << 40)
	}},
	{"NaN and null at end", []uint64{math.MaxUint64 - 2, math.MaxUint64 - 1}, func(r *rand.Rand) uint64 {
		if k := r.Uint64N(20); k < 2 {
			return math.MaxUint64 - k
		}
		return r.Uint64N(math.MaxUint64 - 1)
	}},
	{"null and NaN at start", []uint64{0, 1}, func(r *rand.Rand) uint64 {
		if k := r.Uint64N(20); k < 2 {
			return k
		}
		return 2 + r.Uint64()>>r.UintN(60)
	}},
	{
		"half one value, nulls unseen", []uint64{1 << 50},
		func(r *rand.Rand) uint64 { return r.Uint64N(1<<50) * r.Uint64N(2) },
	},
	{"mostly null", []uint64{1 << 30}, func(r *rand.Rand) uint64 {
		if r.IntN(100) > 0 {
			return 1<<30 + 1
		}
		return r.Uint64N(1 << 30)
	}},
}

func (s codeShape) draw(seed uint64, n int) []uint64 {
	codes := cputest.Drawn(seed, n, func(r *rand.Rand, _, _ int) uint64 { return s.code(r) })
	slices.Sort(codes)
	return codes
}

// binned runs the kernel of a classifier over codes, and requires that it counts what it writes.
func binned(t *testing.T, b *Classifier, codes []uint64) []uint16 {
	bins, histogram := make([]uint16, len(codes)), make([]uint32, max(b.Bins, 1<<16))
	switch {
	case b.splitterTree != nil:
		classifySplitters(codes, bins, unsafe.Pointer(&histogram[0]), b)
	case b.cells != nil:
		classifyCells(codes, bins, unsafe.Pointer(&histogram[0]), b)
	default:
		classifyLinear(codes, bins, unsafe.Pointer(&histogram[0]), b)
	}
	for _, d := range bins {
		histogram[d]--
	}
	require.Equal(t, uint32(0), slices.Max(histogram), "the histogram is not that of the bins")
	return bins
}

// probes are codes that a sample holds, its neighbours, borders, extremes and others.
func probes(ordered, borders []uint64) []uint64 {
	codes := append(slices.Clone(ordered), 0, 1, math.MaxUint64-1, math.MaxUint64)
	for _, x := range append(slices.Clone(borders), ordered[0], ordered[len(ordered)-1], ordered[len(ordered)/2]) {
		codes = append(codes, x-1, x, x+1)
	}
	codes = append(codes, cputest.Drawn(2, 2000, cputest.Uniform)...)
	codes = append(codes, cputest.Drawn(3, 2000, cputest.Shapes["exponential"])...)
	slices.Sort(codes)
	return slices.Compact(codes)
}

// TestClassifierIsMonotone holds every mapping, for up to the most rows that there may be, to what the partition relies
// on: bins rise with the codes, whether the sample knew them or not, are below the number of bins, which fits 16 bits,
// and never hold two classes.
func TestClassifierIsMonotone(t *testing.T) {
	mappings := map[string]int{}
	for _, s := range codeShapes {
		for _, n := range []int{64, keys.SmallRows + 1, 1 << 20, 1 << 24, 1 << 28, 1 << 30, 1 << 31, math.MaxUint32} {
			name := fmt.Sprintf("%s, %d rows", s.name, n)
			ordered := s.draw(1, max(min(n, 64), min(n/16, max(4096, min(n/2048, 1<<15)))))
			b := NewClassifier(ordered, n, s.borders, false)
			require.LessOrEqual(t, b.Bins, 1<<16, name)
			mappings[mapping(b)]++
			codes := probes(ordered, s.borders)
			bins := binned(t, b, codes)
			for i, x := range codes {
				if int(bins[i]) >= b.Bins || b.splitterTree == nil && b.bin(x) != int(bins[i]) {
					require.Failf(t, "wrong bin", "%s: code %#x is in bin %d of %d", name, x, bins[i], b.Bins)
				}
				if i > 0 && bins[i] < bins[i-1] {
					require.Failf(
						t, "bins fall", "%s: code %#x is in bin %d, code %#x in bin %d", name, codes[i-1], bins[i-1], x,
						bins[i],
					)
				}
			}
			requireBorders(t, b, s.borders, name)
		}
	}
	require.Len(t, mappings, 3, "every mapping is chosen for some distribution: %v", mappings)
}

func requireBorders(t *testing.T, b *Classifier, borders []uint64, name string) {
	t.Helper()
	for _, border := range borders {
		if border < math.MaxUint64 {
			edge := binned(t, b, []uint64{border, border + 1})
			require.Less(t, edge[0], edge[1], "%s: two classes share a bin at border %#x", name, border)
		}
	}
}

func mapping(b *Classifier) string {
	switch {
	case b.splitterTree != nil:
		return "splitters"
	case b.cells != nil:
		return "cells"
	}
	return "linear"
}

// TestLinearKernels compares the kernels that count and place without writing bins with the mapping.
func TestLinearKernels(t *testing.T) {
	codes := codeShapes[1].draw(1, 5000)
	b := NewClassifier(codes, 1<<20, nil, false)
	require.Equal(t, "linear", mapping(b))
	codes = probes(codes, nil)
	counts := make([]uint32, b.Bins)
	countLinear(codes, unsafe.Pointer(&counts[0]), b)
	buffers.PrefixSum(counts)
	offsets := slices.Clone(counts)
	places, again := make([]uint32, len(codes)), make([]uint32, len(codes))
	placesLinear(codes, places, unsafe.Pointer(&counts[0]), b)
	scatter.Places(binned(t, b, codes), again, offsets)
	cputest.RequireSame(t, cputest.AllRows(len(codes)), places, "ordered codes keep their places")
	cputest.RequireSame(t, places, again, "the places by bin")
	require.Equal(t, counts, offsets, "both move the offsets on")
}

// TestConstantSampleSplits: a sample of one value, which may mislead, still leaves that value alone: whatever
// the other rows are, a partition gets on.
func TestConstantSampleSplits(t *testing.T) {
	for _, c := range []uint64{0, 1, 7, 1 << 40, math.MaxUint64 - 1, math.MaxUint64} {
		for _, borders := range [][]uint64{nil, {5}, {c}, {1 << 20, 1 << 50}} {
			sample := slices.Repeat([]uint64{c}, 4096)
			b := NewClassifier(sample, 1<<20, borders, false)
			bins := binned(t, b, []uint64{c, c - 1, c + 1})
			require.NotEqual(t, bins[0], bins[1], "code %#x and the one below, borders %v", c, borders)
			require.NotEqual(t, bins[0], bins[2], "code %#x and the one above, borders %v", c, borders)
			requireBorders(t, b, borders, fmt.Sprintf("code %#x", c))
		}
	}
}

// TestFrequentCodesAreAlone: rows of a frequent code share their bin with no other code that was sampled:
// then there is nothing to sort in it.
func TestFrequentCodesAreAlone(t *testing.T) {
	for _, s := range codeShapes {
		ordered := s.draw(1, 1<<13)
		b := NewClassifier(ordered, 1<<24, s.borders, false)
		bins := binned(t, b, ordered)
		here := map[uint16]map[uint64]int{}
		for i, d := range bins {
			if here[d] == nil {
				here[d] = map[uint64]int{}
			}
			here[d][ordered[i]]++
		}
		for d, codes := range here {
			for code, rows := range codes {
				if rows > len(ordered)/64 {
					require.Len(t, codes, 1, "%s: bin %d of %#x", s.name, d, code)
				}
			}
		}
	}
}

// TestTiesAskForEvenBins: a bin of few codes is good, however many rows have them, unless these have to be sorted.
func TestTiesAskForEvenBins(t *testing.T) {
	codes := make([]uint64, 1<<12) // four digits in ASCII, before text that is the same in all
	for i := range codes {
		codes[i] = binary.BigEndian.Uint64(fmt.Appendf(nil, "%04d.com", i%500*20))
	}
	slices.Sort(codes)
	require.Equal(t, "linear", mapping(NewClassifier(codes, 5_000_000, nil, false)))
	require.Equal(t, "splitters", mapping(NewClassifier(codes, 5_000_000, nil, true)))
}

// TestBinsAreEven: no bin holds much more than its share of fresh codes, unless they are equal.
func TestBinsAreEven(t *testing.T) {
	const n = 1 << 18
	for _, s := range codeShapes {
		b := NewClassifier(s.draw(1, 1<<13), 1<<24, s.borders, false)
		codes := s.draw(2, n)
		bins := binned(t, b, codes)
		for i := 0; i < n; {
			e := i
			for e < n && bins[e] == bins[i] {
				e++
			}
			if codes[i] != codes[e-1] {
				require.LessOrEqual(t, e-i, n/64, "%s: bin %d (%s)", s.name, bins[i], mapping(b))
			}
			i = e
		}
	}
}
