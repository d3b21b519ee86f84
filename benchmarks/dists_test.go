package benchmarks

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
)

// Dists are the ways to spread keys. and2 to and16 are the low entropy ones of the Onesweep paper: the AND of
// that number of draws.
var Dists = []string{"uniform", "and2", "and3", "and4", "and8", "and16", "constant", "twovalues", "sorted", "reversed",
	"nearlysorted", "swapped", "jitter", "runs2", "runs8", "runs32", "sawtooth", "zipf", "oneodd", "highbits",
	"outliers"}

// words makes n 64-bit keys in the order of their unsigned value.
func words(dist string, n int) ([]uint64, error) {
	r := rand.New(rand.NewPCG(11, uint64(n)))
	next, err := generator(dist, n, r)
	if err != nil {
		return nil, err
	}
	w := make([]uint64, n)
	for i := range w {
		w[i] = next(i)
	}
	if dist == "swapped" { // one row in a hundred with another
		for range n / 100 {
			i, j := r.IntN(n), r.IntN(n)
			w[i], w[j] = w[j], w[i]
		}
	}
	return w, nil
}

func generator(dist string, n int, r *rand.Rand) (func(i int) uint64, error) {
	step := math.MaxUint64 / uint64(max(n, 1))
	switch dist {
	case "uniform":
		return func(int) uint64 { return r.Uint64() }, nil
	case "and2", "and3", "and4", "and8", "and16":
		draws := map[string]int{"and2": 2, "and3": 3, "and4": 4, "and8": 8, "and16": 16}[dist]
		return func(int) uint64 {
			w := r.Uint64()
			for range draws - 1 {
				w &= r.Uint64()
			}
			return w
		}, nil
	case "constant":
		return func(int) uint64 { return 42 << 56 }, nil
	case "twovalues":
		return func(int) uint64 { return r.Uint64N(2) << 62 }, nil
	case "sorted", "swapped":
		return func(i int) uint64 { return uint64(i) * step }, nil
	case "reversed":
		return func(i int) uint64 { return uint64(n-1-i) * step }, nil
	case "nearlysorted": // each row within 100 places of its own
		return func(i int) uint64 { return uint64(i+r.IntN(100)) * (math.MaxUint64 / uint64(n+100)) }, nil
	case "jitter": // 64 rows a tick, up to 600 ticks late
		return func(i int) uint64 { return uint64(i/64) + r.Uint64N(600) }, nil
	case "runs2", "runs8", "runs32": // sorted ones, appended; the last one is shorter
		count := map[string]int{"runs2": 2, "runs8": 8, "runs32": 32}[dist]
		length := n/count + n/count/count/2 + 1
		return func(i int) uint64 { return uint64(i%length)*step + r.Uint64N(step) }, nil
	case "sawtooth":
		return func(i int) uint64 { return uint64(i%1000) << 54 }, nil
	case "zipf":
		z := rand.NewZipf(r, 1.2, 1, 1<<40)
		return func(int) uint64 { return z.Uint64() << 23 }, nil
	case "oneodd":
		return func(i int) uint64 { return 42<<56 | uint64((i+1)/max(n, 1))<<32 }, nil
	case "highbits":
		return func(int) uint64 { return bits.Reverse64(r.Uint64N(1 << 12)) }, nil
	case "outliers": // one in a thousand outside a narrow range
		return func(int) uint64 {
			if r.IntN(1000) == 0 {
				return r.Uint64()
			}
			return 1<<63 | r.Uint64N(1<<20)
		}, nil
	}
	return nil, fmt.Errorf("benchmarks: unknown distribution %q", dist)
}
