// Package enginetest is the conformance suite of engines: every engine has to pass TestEngine, and engines that do are
// interchangeable. It uses raw buffers and no Arrow, and compares engines with a reference comparator.
package enginetest

import (
	"encoding/binary"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/internal/testrun"
	"github.com/arrowsort/arrowsort/keyencode"
)

// TestEngine proves that an engine keeps the contract of package engine: order, stability and values for every kind of
// column, distribution and size, and what the contract says of memory, cancellation, errors and concurrent calls.
// open is called once for each group of tests. A short run stays below 50,000 rows and takes a part of the cases.
func TestEngine(t *testing.T, open func(testing.TB) engine.Engine) {
	rows := 2_000_000
	if !testrun.Long() {
		rows = 50_000
	}
	TestEngineBelow(t, rows, open)
}

// A suite is an engine under test and the number of rows that its tests stay below.
type suite struct {
	engine.Engine
	rows int
}

// TestEngineBelow is TestEngine with all cases that stay below a number of rows.
func TestEngineBelow(t *testing.T, rows int, open func(testing.TB) engine.Engine) {
	groups := []struct {
		name string
		run  func(*testing.T, suite)
	}{
		{"Kinds", testKinds}, {"FloatClasses", testFloatClasses}, {"SeveralKeys", testSeveralKeys},
		{"Sizes", testSizes}, {"Distributions", testDistributions}, {"Payload", testPayload}, {"Limit", testLimit},
		{"NoKeys", testNoKeys}, {"Random", testRandom}, {"Large", testLarge}, {"Memory", testMemory},
		{"Cancellation", testCancellation}, {"Concurrency", testConcurrency}, {"Errors", testErrors},
		{"Described", testDescribed},
	}
	for _, group := range groups {
		t.Run(group.name, func(t *testing.T) { group.run(t, suite{open(t), rows}) })
	}
}

// sizes are the given ones without those that are too large for the suite, but one at least.
func (e suite) sizes(all ...int) []int {
	smallest := slices.Min(all)
	return slices.DeleteFunc(slices.Clone(all), func(n int) bool { return n > e.rows && n > smallest })
}

// modes are the orders and null placements of a key.
func modes(s columnSpec) []keySpec {
	return []keySpec{{s, 0, 0}, {s, 0, 1}, {s, 1, 0}, {s, 1, 1}}
}

// testErrors gives jobs that no engine can do.
func testErrors(t *testing.T, e suite) {
	short := busy(100)
	short.Columns[2].Chunks[0].Rows--
	unknown, unknownKey := busy(100), busy(100)
	unknown.Columns[2].Kind = 200
	unknownKey.Columns[0].Kind = keyencode.Dictionary64 + 1
	unknownKey.Gather = nil
	type failure struct {
		name string
		job  *engine.Job
		want error
	}
	cases := []failure{
		{"a column of fewer rows", short, engine.ErrRows}, {"an unknown kind", unknown, engine.ErrKind},
		{"an unknown kind of key", unknownKey, engine.ErrKind},
		{"strings of more than 2 GiB", manyBytes(), engine.ErrOffsets},
	}
	if rows := uint64(1) << 32; strconv.IntSize > 32 { // no narrower int holds them
		cases = append(cases, failure{"2^32 rows", &engine.Job{Rows: int(rows), Keys: []keyencode.Key{{}},
			Columns: []keyencode.Column{{Chunks: []keyencode.Chunk{{Rows: int(rows)}}}}}, engine.ErrRows})
	}
	for _, c := range cases {
		mem := newGuard()
		res, err := e.Sort(t.Context(), c.job, mem)
		require.ErrorIs(t, err, c.want, c.name)
		require.Nil(t, res, c.name)
		require.NoError(t, mem.check(), c.name)
	}
}

// manyBytes gathers strings of 2 GiB and a little, all of them the same bytes of the input.
func manyBytes() *engine.Job {
	const size, rows = 1 << 20, 2050
	text := make([]byte, size)
	offsets := binary.LittleEndian.AppendUint32(make([]byte, 4), size)
	job := &engine.Job{Rows: rows, Gather: []int{1}, Keys: []keyencode.Key{{Column: 0}}}
	numbers := make([]byte, 2*rows)
	for i := range rows {
		binary.LittleEndian.PutUint16(numbers[2*i:], uint16(rows-i))
	}
	strings := keyencode.Column{Kind: keyencode.Binary}
	for range rows {
		strings.Chunks = append(strings.Chunks, keyencode.Chunk{Rows: 1, Values: offsets, Data: [][]byte{text}})
	}
	job.Columns = []keyencode.Column{
		{Kind: keyencode.Uint16, Chunks: []keyencode.Chunk{{Rows: rows, Values: numbers}}}, strings,
	}
	return job
}

// FuzzEngine searches for a job that an engine gets wrong. An input describes the columns, four bytes each.
func FuzzEngine(f *testing.F, open func(testing.TB) engine.Engine) {
	e := open(f)
	f.Add(uint64(1), uint16(100), []byte{})
	f.Add(uint64(2), uint16(700), []byte{1, 5, 0, 0, 0, 12, 3, 33})
	f.Add(uint64(3), uint16(5000), []byte{17, 0, 0xFF, 7, 0, 0, 0, 0, 2, 15, 1, 60, 30, 0, 40, 9})
	f.Fuzz(func(t *testing.T, seed uint64, rows uint16, description []byte) {
		described(seed, int(rows), description).prove(t, e)
	})
}

// described is the scenario of a fuzz input. A column takes four bytes: kind and width; distribution; order, placement,
// style and part of nulls; chunks and bit offset. The first one is a key, the top bit of the first byte makes others
// keys.
func described(seed uint64, rows int, description []byte) scenario {
	s := scenario{seed: seed, rows: rows, threads: int(seed % 4)}
	distributions := slices.Concat(plain, adversarial)
	if seed%5 == 0 {
		s.limit = 1 + int(seed/5%1000)
	}
	for i, d := range slices.Collect(slices.Chunk(description, 4)) {
		d = append(slices.Clone(d), 0, 0, 0)
		spec := columnSpec{
			kind: keyencode.Kind((d[0] & 63) % 23), width: 1 + int(d[3]%41),
			dist:  distributions[int(d[1])%len(distributions)],
			nulls: []float64{0, 0.02, 0.5, 1}[d[2]>>4&3], style: int(d[2] >> 2 & 3), chunks: int(d[3] & 7),
			offset: int(d[3]>>3) - 1,
		}
		if i == 0 || i < 6 && d[0] >= 128 {
			s.keys = append(s.keys, keySpec{spec, keyencode.Order(d[2] & 1), keyencode.NullPlacement(d[2] >> 1 & 1)})
		} else if i < 10 {
			s.payload = append(s.payload, spec)
		}
	}
	if len(s.keys) == 0 {
		s.keys = []keySpec{{columnSpec: rowID}}
	}
	return s
}

// testDescribed sorts a fixed fuzz input.
func testDescribed(t *testing.T, e suite) {
	s := described(10, 300, []byte{5, 8, 0x17, 9, 0x80 | 16, 3, 0x2E, 250, 12, 1, 0x20})
	require.Len(t, s.keys, 2)
	require.Len(t, s.payload, 1)
	s.prove(t, e)
}
