package keyencode

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNewPlanRejects(t *testing.T) {
	columns := []Column{{Kind: Int8}, {Kind: 99}}
	one := make([]Statistics, 1)
	for _, c := range []struct {
		keys  []Key
		stats []Statistics
		want  error
	}{
		{[]Key{{Name: "k"}}, nil, ErrColumn}, {[]Key{{Name: "k", Column: 2}}, one, ErrColumn},
		{[]Key{{Name: "k", Column: -1}}, one, ErrColumn}, {[]Key{{Name: "k", Column: 1}}, one, ErrKind},
	} {
		_, err := NewPlan(columns, c.keys, c.stats)
		require.ErrorIs(t, err, c.want)
		if c.stats != nil {
			require.ErrorContains(t, err, `"k"`)
		}
	}
}

func TestOnAnotherOrderOfRows(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 9))
		n := 1 + rng.IntN(60)
		columns, keys, cells := randomTable(rng, n)
		p := planOf(t, columns, keys)
		moved := make([]Column, len(columns))
		perm := rng.Perm(n)
		for i, c := range columns {
			shuffled := make([]cell, n)
			for to, from := range perm {
				shuffled[to] = cells[i][from]
			}
			moved[i] = build(rng, c.Kind, c.Width, 3, nil, shuffled)
		}
		was, now := codesOf(p, n), codesOf(p.On(moved), n)
		for word := range was {
			for to, from := range perm {
				require.Equal(t, was[word][from], now[word][to], "seed %d, plan %v, word %d", seed, p, word)
			}
		}
	}
}

// TestSortedAndReversedWithSeveralKeys: keys that never fall are in order together; after a key that rises or falls
// strictly the others do not matter.
func TestSortedAndReversedWithSeveralKeys(t *testing.T) {
	column := func(values ...int64) testKey {
		return testKey{Key{}, Int64, int64Cells(len(values), func(i int) int64 { return values[i] })}
	}
	constant, ties, up, down, wild := column(5, 5, 5), column(1, 1, 2), column(1, 2, 3), column(
		3, 2, 1,
	), column(1, 3, 2)
	for _, c := range []struct {
		keys             []testKey
		sorted, reversed bool
	}{
		{nil, true, false}, {[]testKey{constant}, true, false}, {[]testKey{ties, ties}, true, false},
		{[]testKey{ties, wild}, false, false}, {[]testKey{up, wild}, true, false},
		{[]testKey{constant, up, wild}, true, false}, {[]testKey{down, wild}, false, true},
		{[]testKey{constant, down}, false, true}, {[]testKey{ties, down}, false, false},
	} {
		p, _ := planOfCells(t, c.keys...)
		require.Equal(t, []bool{c.sorted, c.reversed}, []bool{p.Sorted(), p.Reversed()}, "%v", p)
	}
}
