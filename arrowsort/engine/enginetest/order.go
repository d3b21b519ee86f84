package enginetest

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/internal/testrun"
	"github.com/arrowsort/arrowsort/keyencode"
)

// rowID is a payload of random numbers, which shows a misplaced row.
var rowID = columnSpec{kind: keyencode.Uint64, dist: uniform}

// kinds are all kinds of a key, wide ones in every style.
func kinds() []columnSpec {
	var all []columnSpec
	for kind := keyencode.Null; kind <= keyencode.Dictionary64; kind++ {
		switch kind {
		case keyencode.Decimal128, keyencode.Decimal256, keyencode.Binary, keyencode.LargeBinary, keyencode.BinaryView:
			for style := range 4 {
				all = append(all, columnSpec{kind: kind, style: style})
			}
		case keyencode.FixedSizeBinary:
			for style, width := range []int{1, 3, 8, 9, 20, 48} {
				all = append(all, columnSpec{kind: kind, style: style % 4, width: width})
			}
		default:
			all = append(all, columnSpec{kind: kind})
		}
	}
	return all
}

func testKinds(t *testing.T, e suite) {
	for i, spec := range kinds() {
		for _, n := range []int{2, 100, 3000} {
			for _, nulls := range []float64{0, 0.25, 1} {
				for _, distribution := range []distribution{uniform, plain[8]} {
					spec.dist, spec.nulls, spec.chunks, spec.offset = distribution, nulls, (i+n/2)%5, -1
					for _, key := range modes(spec) {
						scenario{seed: uint64(i), rows: n, keys: []keySpec{key}, payload: []columnSpec{rowID}}.check(
							t, e,
						)
					}
				}
			}
		}
	}
}

// testFloatClasses sorts every pair of special values in every mode: both zeros, NaNs of both signs and several
// payloads, infinities, subnormals and null.
func testFloatClasses(t *testing.T, e suite) {
	special := map[keyencode.Kind][]uint64{
		keyencode.Float16: {
			0, 0x8000, 0x7C00, 0xFC00, 0x7C01, 0xFE00, 0x7FFF, 0xFFFF, 1, 0x8001, 0x3C00, 0xBC00, 0x7BFF, 0xFBFF,
		},
		keyencode.Float32: {
			0, 1 << 31, 0x7F80_0000, 0xFF80_0000, 0x7F80_0001, 0xFFC0_0000, 0x7FFF_FFFF, 0xFFFF_FFFF, 1, 0x8000_0001,
			0x3F80_0000, 0xBF80_0000, 0x7F7F_FFFF, 0xFF7F_FFFF,
		},
		keyencode.Float64: {
			0, 1 << 63, 0x7FF << 52, 0xFFF << 52, 0x7FF<<52 | 1, 0xFFF8 << 48, math.MaxUint64 >> 1, math.MaxUint64, 1,
			1<<63 | 1, 0x3FF << 52, 0xBFF << 52, 0x7FF<<52 - 1, 0xFFF<<52 - 1,
		},
	}
	for kind, values := range special {
		for _, rows := range e.sizes(40, 700, 45_000, 70_000) {
			r := rand.New(rand.NewPCG(uint64(kind), 5))
			patterns := make([][]byte, rows)
			for i := range patterns {
				patterns[i] = little(values[r.IntN(len(values))], patternBits(kind)/8)
			}
			c := keyencode.Column{Kind: kind}
			b := chunkBuilder{r: r, column: &c, offset: 7}
			c.Chunks = []keyencode.Chunk{b.build(patterns, 0.1)}
			for _, key := range modes(columnSpec{}) {
				if !testrun.Share(3, "float classes", kind, rows, key.order, key.place) {
					continue
				}
				job := &engine.Job{
					Rows: rows, Columns: []keyencode.Column{c},
					Keys: []keyencode.Key{{Order: key.order, Nulls: key.place}},
				}
				mustCheck(
					t, e, job, "kind %d, %d rows of special floats, order %d, nulls %d", kind, rows, key.order,
					key.place,
				)
			}
		}
	}
}

// testSeveralKeys takes codes of up to 32, up to 64, and more than 64 and 128 bits.
func testSeveralKeys(t *testing.T, e suite) {
	few, zipf := plain[8], plain[24]
	combinations := [][]columnSpec{
		{{kind: keyencode.Bool}, {kind: keyencode.Int8}, {kind: keyencode.Uint16}},
		{{kind: keyencode.Int16, nulls: 0.2}, {kind: keyencode.Bool, nulls: 0.5}},
		{{kind: keyencode.Int32, dist: few}, {kind: keyencode.Int32}},
		{{kind: keyencode.Int32, dist: lowEntropy(8)}, {kind: keyencode.Int64}},
		{{kind: keyencode.Int64, dist: few}, {kind: keyencode.Float64, dist: few}, {kind: keyencode.Int8}},
		{{kind: keyencode.Uint64, nulls: 0.3}, {kind: keyencode.Uint64, nulls: 0.3}, {kind: keyencode.Float32}},
		{{kind: keyencode.Float64, dist: few, nulls: 0.1}, {kind: keyencode.Binary, style: 3}},
		{{kind: keyencode.Binary, dist: few}, {kind: keyencode.Int64, dist: zipf}},
		{
			{kind: keyencode.Binary, style: 2}, {kind: keyencode.LargeBinary, style: 2},
			{kind: keyencode.BinaryView, style: 2},
		},
		{{kind: keyencode.Binary, style: 1, dist: few}, {kind: keyencode.Binary, style: 1}, {kind: keyencode.Bool}},
		{
			{kind: keyencode.Decimal128, dist: few, style: 1}, {kind: keyencode.Decimal256, dist: few, style: 2},
			{kind: keyencode.Int64},
		},
		{{kind: keyencode.FixedSizeBinary, width: 20, dist: few}, {kind: keyencode.Dictionary16}},
		{{kind: keyencode.Null, nulls: 1}, {kind: keyencode.Dictionary8}, {kind: keyencode.Float16}},
		{{kind: keyencode.Int64, dist: plain[6]}, {kind: keyencode.Int64, dist: plain[9]}},
		{
			{kind: keyencode.Dictionary32}, {kind: keyencode.Dictionary64}, {kind: keyencode.Dictionary8},
			{kind: keyencode.Uint8},
		},
		{{kind: keyencode.Int64, dist: few}, {kind: keyencode.Int64, dist: few}, {kind: keyencode.Int64, dist: few},
			{kind: keyencode.Int64, dist: few}, {kind: keyencode.Int64, dist: few}},
	}
	for i, combination := range combinations {
		for _, n := range e.sizes(40, 1500, 40_000, 140_000) {
			r := rand.New(rand.NewPCG(uint64(i), uint64(n)))
			s := scenario{
				seed: uint64(i), rows: n,
				payload: []columnSpec{rowID, {kind: keyencode.Bool, dist: uniform, nulls: 0.1}},
			}
			for k, spec := range combination {
				if spec.dist.draw == nil {
					spec.dist = uniform
				}
				spec.chunks, spec.offset = (i+k)%3*2, -1
				s.keys = append(s.keys, modes(spec)[r.IntN(4)])
			}
			s.check(t, e)
		}
	}
}

// testSizes takes numbers of rows around powers of two and between them, and around and between the thresholds of the
// engine.
func testSizes(t *testing.T, e suite) {
	specs := []columnSpec{
		{kind: keyencode.Int64, dist: uniform}, {kind: keyencode.Uint32, dist: lowEntropy(3), nulls: 0.1, offset: 7},
		{kind: keyencode.Float64, dist: uniform, nulls: 0.05, offset: 63},
		{kind: keyencode.Binary, style: 3, dist: uniform, nulls: 0.05},
		{kind: keyencode.Bool, dist: uniform, nulls: 0.3, offset: 1},
	}
	check := func(i, n, threads int) {
		key := modes(specs[i%5])[(n+i)%4]
		columns := []columnSpec{rowID}
		scenario{seed: uint64(n), rows: n, keys: []keySpec{key}, payload: columns, threads: threads}.check(t, e)
	}
	all := []int{
		1023, 1024, 1025, 2047, 2048, 2049, 4095, 4096, 4097, 8191, 8192, 8193, 32767, 32768, 32769, 65535, 65536,
		65537, 131071, 131072, 131073,
	}
	r := rand.New(rand.NewPCG(6, 7))
	for size := 260; size < e.rows; size *= 2 {
		all = append(all, size+r.IntN(size))
	}
	for n := range 260 {
		all = append(all, n)
	}
	for i := range specs {
		for _, n := range e.sizes(all...) {
			check(i, n, n%4)
		}
	}
	stepped, ok := e.Engine.(engine.ThresholdLister)
	counts := []int{1, 3, 7, 16} // of threads
	if !testrun.Long() {
		counts = counts[1:2]
	}
	for _, threads := range counts {
		if !ok {
			break
		}
		for i, n := range around(r, stepped.Thresholds(threads), e.rows) {
			check(i+threads, n, threads)
		}
	}
}

// around returns numbers of rows around and between thresholds, as long as they are below most.
func around(r *rand.Rand, thresholds []engine.Threshold, most int) []int {
	sizes, last := []int{0}, 0
	for _, threshold := range thresholds {
		if n := threshold.Rows; n > last && n < most {
			sizes = append(sizes, n-1, n, n+1, last+r.IntN(n-last))
			last = n
		}
	}
	return sizes
}

func testDistributions(t *testing.T, e suite) {
	specs := []columnSpec{
		{kind: keyencode.Int64}, {kind: keyencode.Uint32, nulls: 0.25}, {kind: keyencode.Float64, nulls: 0.05},
		{kind: keyencode.Binary, style: 1}, {kind: keyencode.Int16},
	}
	for d, distribution := range slices.Concat(plain, adversarial) {
		for i, spec := range specs {
			for _, n := range e.sizes(500, 9000, 45_000, 150_000) {
				if n > 9000 && i > 0 && (d+i+n/1000)%3 > 0 {
					continue
				}
				spec.dist = distribution
				key := modes(spec)[(d+i+n)%4]
				scenario{seed: uint64(d), rows: n, keys: []keySpec{key}, payload: []columnSpec{rowID}}.check(t, e)
			}
		}
	}
}

// testLarge sorts a million rows.
func testLarge(t *testing.T, e suite) {
	n := slices.Max(e.sizes(2001, 45_001, 1_000_003))
	specs := []columnSpec{
		{kind: keyencode.Int64, dist: uniform}, {kind: keyencode.Float64, dist: uniform, nulls: 0.05},
		{kind: keyencode.Int64, dist: adversarial[0]},
		{kind: keyencode.Uint32, dist: adversarial[1]}, {kind: keyencode.Int64, dist: adversarial[2]},
		{kind: keyencode.Binary, dist: uniform, style: 3},
	}
	for i, spec := range specs {
		payload := []columnSpec{rowID, {kind: keyencode.Float32, dist: uniform, nulls: 0.1, chunks: 5}}
		scenario{seed: uint64(i), rows: n, keys: []keySpec{modes(spec)[i%4]}, payload: payload}.prove(t, e)
	}
}
