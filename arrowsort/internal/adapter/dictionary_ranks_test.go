package adapter

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu"
	"github.com/arrowsort/arrowsort/keyencode"
)

// floats returns an array of floats, null where valid is false.
func floats(mem memory.Allocator, values []float64, valid []bool) arrow.Array {
	b := array.NewFloat64Builder(mem)
	defer b.Release()
	b.AppendValues(values, valid)
	return b.NewArray()
}

// TestRanks numbers the entries of two dictionaries with duplicates, nulls, zeros of both signs and NaN.
func TestRanks(t *testing.T) {
	nan, zero := math.NaN(), 0.0
	for _, c := range []struct {
		order keyencode.Order
		nulls keyencode.NullPlacement
		want  [][]uint32
	}{
		{keyencode.Ascending, keyencode.NullsAtEnd, [][]uint32{{3, 0, 2, 4}, {1, 4, 3, 2}}},
		{keyencode.Ascending, keyencode.NullsAtStart, [][]uint32{{4, 0, 3, 1}, {2, 1, 4, 3}}},
		{keyencode.Descending, keyencode.NullsAtEnd, [][]uint32{{4, 0, 3, 1}, {2, 1, 4, 3}}},
		{keyencode.Descending, keyencode.NullsAtStart, [][]uint32{{3, 0, 2, 4}, {1, 4, 3, 2}}},
	} {
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		a := floats(mem, []float64{7, 1, zero, nan}, []bool{true, false, true, true})
		b := floats(mem, []float64{-1, -nan, 7, -zero}, nil)
		w := newWork(&Input{}, Options{Allocator: mem, Ranker: cpu.New()})
		got, err := w.raw.ranks(a.DataType(), []arrow.ArrayData{a.Data(), b.Data()}, nil, nil,
			sortKey{Key: keyencode.Key{Order: c.order, Nulls: c.nulls}})
		require.NoError(t, err)
		require.Equal(t, c.want, got, "order %d, nulls %d", c.order, c.nulls)
		w.Release()
		a.Release()
		b.Release()
		mem.AssertSize(t, 0)
	}
}

func TestRanksOfNothing(t *testing.T) {
	mem := arrowtest.Checked(t)
	w := newWork(&Input{}, Options{Allocator: mem, Ranker: cpu.New()})
	defer w.Release()
	empty, null := floats(mem, nil, nil), array.NewNull(2)
	defer empty.Release()
	got, err := w.raw.ranks(empty.DataType(), []arrow.ArrayData{empty.Data()}, nil, nil, sortKey{})
	require.NoError(t, err)
	require.Empty(t, got[0])
	got, err = w.raw.ranks(null.DataType(), []arrow.ArrayData{null.Data()}, nil, nil, sortKey{})
	require.NoError(t, err)
	require.Equal(t, [][]uint32{{0, 0}}, got)
}

// TestRanksOfManyEntries has long strings with common starts, entries that repeat, and more of them than one tile.
func TestRanksOfManyEntries(t *testing.T) {
	for seed := range uint64(30) {
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		rng := rand.New(rand.NewPCG(seed, 1))
		b := array.NewStringBuilder(mem)
		for range 1 + rng.IntN(3000) {
			b.Append(strings.Repeat("ab", rng.IntN(40)) + fmt.Sprint(rng.IntN(1+rng.IntN(500))))
		}
		a := b.NewStringArray()
		b.Release()
		distinct := map[string]bool{}
		for i := range a.Len() {
			distinct[a.Value(i)] = true
		}
		want := map[string]uint32{}
		for i, s := range slices.Sorted(maps.Keys(distinct)) {
			want[s] = uint32(i + 1)
		}
		w := newWork(&Input{}, Options{Allocator: mem, Ranker: cpu.New()})
		got, err := w.raw.ranks(a.DataType(), []arrow.ArrayData{a.Data()}, nil, nil, sortKey{})
		require.NoError(t, err)
		for i, rank := range got[0] {
			require.Equal(t, want[a.Value(i)], rank, "seed %d, entry %d", seed, i)
		}
		w.Release()
		a.Release()
		mem.AssertSize(t, 0)
	}
}

// dictionaryOf returns a dictionary array with the indices 0 and 1.
func dictionaryOf(entries arrow.Array) *array.Dictionary {
	b := array.NewInt8Builder(memory.DefaultAllocator)
	b.AppendValues([]int8{0, 1}, nil)
	return array.NewDictionaryArray(
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: entries.DataType()}, b.NewArray(),
		entries,
	)
}

// TestSharedDictionariesAreRankedOnce counts the ranks of chunks that share, repeat and change their dictionary.
func TestSharedDictionariesAreRankedOnce(t *testing.T) {
	mem := memory.DefaultAllocator
	entries := floats(mem, []float64{2, 1}, nil)
	again := floats(mem, []float64{2, 1}, nil) // other memory, the same bytes
	other := floats(mem, []float64{2, 3}, nil)
	chunks := []arrow.Array{dictionaryOf(entries), dictionaryOf(entries), dictionaryOf(again), dictionaryOf(other)}
	in := &Input{Rows: 8, Columns: []Column{{Type: chunks[0].DataType(), Chunks: chunks}}}
	distinct, of := dictionaries(in.parts([]int{0}, nil))
	require.Len(t, distinct, 2)
	require.Equal(t, []int{0, 0, 0, 1}, of)

	w := newWork(in, Options{Allocator: mem, Ranker: cpu.New()})
	require.NoError(
		t, w.AddKey(Leaf{Path: []int{0}, Type: chunks[0].DataType()}, keyencode.Ascending, keyencode.NullsAtEnd),
	)
	c := w.Job.Columns[0]
	require.Equal(t, keyencode.Dictionary8, c.Kind)
	require.Equal(t, []uint32{2, 1}, c.Chunks[2].Ranks)
	require.Equal(t, []uint32{2, 3}, c.Chunks[3].Ranks)
	require.NoError(t, w.AddPayloads())
	require.True(t, w.payloads[0].taken, "the dictionaries differ")

	in.Columns[0].Chunks, in.Rows = chunks[:3], 6
	w = newWork(in, Options{Allocator: mem, Ranker: cpu.New()})
	require.NoError(t, w.AddPayloads())
	require.False(t, w.payloads[0].taken)
	require.Equal(t, keyencode.Int8, w.Job.Columns[0].Kind)
}
