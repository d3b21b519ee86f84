package enginetest

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/internal/testrun"
	"github.com/arrowsort/arrowsort/keyencode"
)

func mustCheck(t testing.TB, e engine.Engine, job *engine.Job, format string, args ...any) {
	t.Helper()
	require.NoErrorf(t, checkJob(t.Context(), e, job), e.Name()+": "+format, args...)
}

// payloads are all kinds of a gathered column, fixed widths of 1 to 33 bytes and odd ones above.
func payloads() []columnSpec {
	all := kinds()
	for width := 1; width <= 33; width++ {
		all = append(all, columnSpec{kind: keyencode.FixedSizeBinary, width: width})
	}
	for _, width := range []int{47, 64, 100, 255, 1000} {
		all = append(all, columnSpec{kind: keyencode.FixedSizeBinary, width: width})
	}
	return all
}

func testPayload(t *testing.T, e suite) {
	for i, spec := range payloads() {
		for _, n := range e.sizes(0, 1, 9, 64, 1000, 33_000, 80_000) {
			if n > 50_000 && i%5 > 0 {
				continue
			}
			for chunks, nulls := range []float64{0, 0.3, 1, 0.01} {
				if n > 5000 && chunks > 1 {
					continue
				}
				spec.dist, spec.nulls, spec.chunks, spec.offset = uniform, nulls, chunks*2, -1
				key := keySpec{
					columnSpec: columnSpec{
						kind: keyencode.Int32, dist: plain[(i+n)%len(plain)], chunks: 3 - chunks, offset: -1,
					},
				}
				scenario{seed: uint64(i), rows: n, keys: []keySpec{key}, payload: []columnSpec{spec}}.check(t, e)
			}
		}
	}
	for _, n := range e.sizes(1000, 40_000, 100_000) { // nearly all of them in one table
		all := slices.DeleteFunc(payloads(), func(c columnSpec) bool { return c.width > 33 })
		for i := range all {
			all[i].dist, all[i].nulls, all[i].chunks, all[i].offset = uniform, float64(i%3)*0.2, n/1000%3+i%2, -1
		}
		key := keySpec{columnSpec: columnSpec{kind: keyencode.Int64, dist: uniform, nulls: 0.1, chunks: 2, offset: -1}}
		scenario{seed: uint64(n), rows: n, keys: []keySpec{key}, payload: all}.check(t, e)
	}
	scenario{
		seed: 9, rows: 20_000, keys: []keySpec{{columnSpec: rowID}}, payload: slices.Repeat([]columnSpec{rowID}, 40),
	}.check(t, e)
}

// testLimit asks for the leading rows of the order, down to one and up to more than there are.
func testLimit(t *testing.T, e suite) {
	specs := []columnSpec{
		{kind: keyencode.Int64, dist: uniform, nulls: 0.1}, {kind: keyencode.Uint8, dist: uniform, nulls: 0.1},
		{kind: keyencode.Float64, dist: plain[8], nulls: 0.5},
		{kind: keyencode.Binary, style: 3, dist: uniform, nulls: 0.02},
		{kind: keyencode.Int64, dist: plain[9]},
		{kind: keyencode.Int64, dist: plain[11]}, {kind: keyencode.Int32, dist: plain[6]},
		{kind: keyencode.Int64, dist: adversarial[1]}, {kind: keyencode.Null, dist: uniform},
	}
	for i, spec := range specs {
		for _, n := range e.sizes(1, 50, 2000, 40_000, 140_000) {
			for _, limit := range []int{1, 2, 7, n / 10, n / 2, n - 1, n, n + 5} {
				key := modes(spec)[(i+limit)%4]
				payload := []columnSpec{rowID, {kind: keyencode.Binary, dist: uniform, style: 2, nulls: 0.1}}
				scenario{seed: uint64(i), rows: n, keys: []keySpec{key}, payload: payload, limit: max(limit, 1)}.check(
					t, e,
				)
			}
		}
	}
	scenario{
		seed: 1, rows: 30_000,
		keys:  []keySpec{{columnSpec: plainSpec(keyencode.Bool)}, {columnSpec: plainSpec(keyencode.LargeBinary)}},
		limit: 100,
	}.check(t, e)
	testFewOfMany(t, e)
}

// testFewOfMany wants far fewer rows than there are, by keys of all lengths; with values that are in many rows the
// limit is among them.
func testFewOfMany(t *testing.T, e suite) {
	nullable := columnSpec{kind: keyencode.Int64, dist: uniform, nulls: 0.1}
	sets := [][]columnSpec{
		{plainSpec(keyencode.Uint32)},
		{{kind: keyencode.Float64, dist: plain[18], nulls: 0.05}}, {{kind: keyencode.Int64, dist: plain[8]}},
		{{kind: keyencode.Int32, dist: uniform, nulls: 1}},
		{nullable, plainSpec(keyencode.Int64)},
		{{kind: keyencode.Int64, dist: plain[8]}, plainSpec(keyencode.Float64)}, {plainSpec(keyencode.Decimal256)},
		{plainSpec(keyencode.Int32), plainSpec(keyencode.Int16)},
		{plainSpec(keyencode.Bool), plainSpec(keyencode.Int8)}, {plainSpec(keyencode.Binary)},
		{{kind: keyencode.Int64, dist: uniform, nulls: 0.95}},
	}
	for i, set := range sets {
		sizes := e.sizes(2500, 45_000, 150_000)
		if i < 4 {
			sizes = e.sizes(2500, 45_000, 1<<20+7)
		}
		for _, n := range sizes {
			for k, limit := range []int{100, n / 50, n / 5} {
				s := scenario{seed: uint64(i), rows: n, payload: []columnSpec{rowID}, limit: limit}
				for _, spec := range set {
					s.keys = append(s.keys, modes(spec)[(i+k)%4])
				}
				if testrun.Share(3, s) {
					s.prove(t, e)
				}
			}
		}
	}
}

func plainSpec(kind keyencode.Kind) columnSpec { return columnSpec{kind: kind, dist: uniform} }

// testNoKeys gathers in the order of the input; a job without columns has rows nevertheless.
func testNoKeys(t *testing.T, e suite) {
	for _, n := range []int{0, 1, 1000, 40_000} {
		for _, limit := range []int{0, 10} {
			payload := []columnSpec{
				rowID, {kind: keyencode.Bool, dist: uniform, nulls: 0.2, chunks: 4, offset: -1},
				{kind: keyencode.Binary, dist: uniform, style: 3, chunks: 2},
			}
			scenario{seed: 3, rows: n, payload: payload, limit: limit}.check(t, e)
			job := &engine.Job{Rows: n, RowNumbers: 8, Limit: limit}
			_, err := run(t.Context(), e, expect(job), job, nil)
			require.NoError(t, err, "%d rows, no columns, limit %d", n, limit)
		}
	}
}

// testRandom takes jobs of random columns, keys, limits and threads.
func testRandom(t *testing.T, e suite) {
	for i := range uint64(600) {
		seed := testrun.Seed() + i
		r := rand.New(rand.NewPCG(seed, 78))
		random(seed, r.IntN(1+1<<r.IntN(14))).check(t, e)
	}
}

// CheckOrder sorts by the keys of a job, gathers nothing, and proves the row numbers.
func CheckOrder(t testing.TB, e engine.Engine, job *engine.Job, format string, args ...any) {
	t.Helper()
	x := &expectation{model: newModel(job.Columns, job.Keys)}
	_, err := run(t.Context(), e, x, wanting(job, 4), nil)
	require.NoErrorf(t, err, e.Name()+": "+format, args...)
}

// CheckRandom proves an engine on the random job of a seed and a number of rows.
func CheckRandom(t testing.TB, e engine.Engine, seed uint64, rows int) {
	t.Helper()
	random(seed, rows).prove(t, e)
}

func random(seed uint64, rows int) scenario {
	r, all, distributions := rand.New(rand.NewPCG(seed, 77)), payloads(), slices.Concat(plain, adversarial)
	spec := func(of []columnSpec) columnSpec {
		s := of[r.IntN(len(of))]
		s.dist, s.nulls = distributions[r.IntN(len(distributions))], []float64{0, 0, 0.01, 0.5}[r.IntN(4)]
		s.chunks, s.offset = r.IntN(6), r.IntN(20)-1
		return s
	}
	s := scenario{seed: seed, rows: rows, threads: r.IntN(5)}
	for range 1 + r.IntN(3) {
		s.keys = append(s.keys, modes(spec(kinds()))[r.IntN(4)])
	}
	for range r.IntN(4) {
		s.payload = append(s.payload, spec(all))
	}
	if r.IntN(4) == 0 {
		s.limit = 1 + r.IntN(s.rows+2)
	}
	return s
}
