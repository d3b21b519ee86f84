// Package cputest helps to test the CPU engine and its parts: keys of many distributions, a metered allocator, the
// definition of a sort.
package cputest

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A Meter is a checked allocator that counts the most bytes allocated at once. It fails the test when something stays
// out.
type Meter struct {
	*memory.CheckedAllocator
	Most int // bytes at once
}

// NewMeter returns a Meter of a test.
func NewMeter(t testing.TB) *Meter {
	m := &Meter{CheckedAllocator: memory.NewCheckedAllocator(memory.NewGoAllocator())}
	t.Cleanup(func() { m.AssertSize(t, 0) })
	return m
}

// Allocate allocates memory and counts it.
func (m *Meter) Allocate(n int) []byte {
	b := m.CheckedAllocator.Allocate(n)
	m.Most = max(m.Most, m.CurrentAlloc())
	return b
}

// Drawn are n keys of a distribution.
func Drawn(seed uint64, n int, f func(r *rand.Rand, n, i int) uint64) []uint64 {
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	keys := make([]uint64, n)
	for i := range keys {
		keys[i] = f(r, n, i)
	}
	return keys
}

// Uniform is the distribution of random words.
func Uniform(r *rand.Rand, _, _ int) uint64 { return r.Uint64() }

// Shapes are distributions that take different paths through the engine.
var Shapes = map[string]func(r *rand.Rand, n, i int) uint64{
	"uniform":  func(r *rand.Rand, n, i int) uint64 { return r.Uint64() },
	"narrow":   func(r *rand.Rand, n, i int) uint64 { return r.Uint64N(1 << 20) },
	"few":      func(r *rand.Rand, n, i int) uint64 { return r.Uint64N(10) * 0x123456789abcdef },
	"constant": func(r *rand.Rand, n, i int) uint64 { return 7 },
	"sorted":   func(r *rand.Rand, n, i int) uint64 { return uint64(i) / 3 },
	"reversed": func(r *rand.Rand, n, i int) uint64 { return uint64(n - i) },
	"half": func(r *rand.Rand, n, i int) uint64 {
		if i%2 == 0 {
			return 7
		}
		return r.Uint64()
	},
	"outliers": func(r *rand.Rand, n, i int) uint64 {
		if i%1000 == 0 {
			return r.Uint64()
		}
		return r.Uint64N(1 << 20)
	},
	"exponential": func(r *rand.Rand, n, i int) uint64 { return r.Uint64() >> r.IntN(64) },
}

// Stable is the definition of a sort: the rows in the order of compare, ties as they come.
func Stable(rows []uint32, compare func(a, b uint32) int) []uint32 {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, compare)
	return rows
}

// AllRows are the rows 0..n-1.
func AllRows(n int) []uint32 {
	rows := make([]uint32, n)
	buffers.Series(rows, 0)
	return rows
}

// RequireSame compares long slices: it prints the first difference and not all of them.
func RequireSame[T comparable](t testing.TB, want, got []T, format string, args ...any) {
	t.Helper()
	require.Len(t, got, len(want), append([]any{format}, args...)...)
	for i := range want {
		if want[i] != got[i] {
			require.Equal(t, want[i], got[i], append([]any{"place %d: " + format, i}, args...)...)
		}
	}
}

// Uint64Column is a column of numbers.
func Uint64Column(keys []uint64) keyencode.Column {
	chunk := keyencode.Chunk{Rows: len(keys), Values: buffers.Bytes(keys)}
	return keyencode.Column{Kind: keyencode.Uint64, Chunks: []keyencode.Chunk{chunk}}
}

// ViewColumn is a BinaryView column: row i is string pick(i) of data, none shorter than 13 bytes, or empty for a pick
// of -1.
func ViewColumn(n int, data [][]byte, pick func(i int) int) keyencode.Column {
	values := make([]byte, 16*n)
	for i := range n {
		if k := pick(i); k >= 0 {
			v := buffers.View[uint32](values[16*i : 16*i+16])
			v[0], v[2] = uint32(len(data[k])), uint32(k)
			copy(values[16*i+4:16*i+8], data[k])
		}
	}
	return keyencode.Column{
		Kind: keyencode.BinaryView, Chunks: []keyencode.Chunk{{Rows: n, Values: values, Data: data}},
	}
}
