package keyencode

import (
	"math"
	"math/rand/v2"
	"strings"
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

func int64Cells(n int, value func(i int) int64) []cell {
	cells := make([]cell, n)
	for i := range cells {
		cells[i].raw = make([]byte, 8)
		putWord(cells[i].raw, 8, uint64(value(i)))
	}
	return cells
}

func float64Cells(values ...float64) []cell {
	return int64Cells(len(values), func(i int) int64 { return int64(math.Float64bits(values[i])) })
}

func stringCells(values ...string) []cell {
	cells := make([]cell, len(values))
	for i, v := range values {
		cells[i].raw = []byte(v)
	}
	return cells
}

func withNulls(cells []cell, rows ...int) []cell {
	for _, r := range rows {
		cells[r] = cell{null: true}
	}
	return cells
}

type testKey struct {
	Key
	kind  Kind
	cells []cell
}

func planOfCells(t testing.TB, keys ...testKey) (*Plan, []Column) {
	rng := rand.New(rand.NewPCG(1, 2))
	var columns []Column
	var plain []Key
	for i, k := range keys {
		k.Key.Column = i
		plain = append(plain, k.Key)
		columns = append(columns, build(rng, k.kind, 0, 3, []int{1}, k.cells))
	}
	return planOf(t, columns, plain), columns
}

func TestString(t *testing.T) {
	const minute = 60_000_000
	delay := testKey{
		Key{Name: "delay", Type: "int64", Order: Descending}, Int64,
		int64Cells(2000, func(i int) int64 { return int64(i*7%1500) - 40 }),
	}
	date := testKey{
		Key{Name: "date", Type: "timestamp[us]"}, Int64,
		int64Cells(2000, func(i int) int64 { return int64(i*i%525600) * minute }),
	}
	for name, c := range map[string]struct {
		keys []testKey
		want string
	}{
		"two keys": {[]testKey{delay, date}, `delay: int64, 11 live bits of 64, descending, no nulls;
			date: timestamp[us], 20 live bits of 64, ascending, no nulls, stride 60000000; one 31-bit code, 4 digits`},
		"all of 64 bits with null": {[]testKey{{Key{Name: "v", Type: "int64", Nulls: NullsAtStart}, Int64,
			withNulls(int64Cells(5, func(i int) int64 { return []int64{5, 0, math.MinInt64, math.MaxInt64, 4}[i] }),
				1)}},
			`v: int64, 65 live bits of 64, ascending, 1 null at the start; one 65-bit code in 2 words, 9 digits`},
		"float": {[]testKey{{Key{Name: "f", Type: "double", Order: Descending}, Float64,
			withNulls(float64Cells(2, math.NaN(), 0, 1.5, 1, math.NaN()), 2)}},
			`f: double, 3 live bits of 64, descending, 2 NaNs and 1 null at the end; one 3-bit code, 1 digit`},
		"constant": {[]testKey{{Key{Name: "c", Type: "utf8"}, Binary, stringCells("abc", "abc", "abc")}},
			`c: utf8, 3 bytes, constant, ascending, no nulls; all rows tie`},
		"null": {[]testKey{{Key{Name: "n", Type: "null"}, Null, withNulls(make([]cell, 2), 0, 1)}},
			`n: null, constant, ascending, 2 nulls at the end; all rows tie`},
		"strings": {[]testKey{{Key{Name: "s", Type: "utf8"}, Binary, stringCells("flight ATL", "flight ORD",
			"flight ABE")}},
			`s: utf8, 10 bytes, 7 of them shared, 20 live bits, ascending, no nulls; one 20-bit code, 3 digits`},
		"long strings": {[]testKey{{Key{Name: "s", Type: "utf8"}, Binary, stringCells("b", "a", strings.Repeat("c", 30),
			"d")}},
			`s: utf8, 1 to 30 bytes, 58 live bits and up to 4 words, ascending, no nulls; ` +
				`a code of up to 5 words, the first of 58 bits`},
		"booleans": {[]testKey{{Key{Name: "b", Type: "bool"}, Bool, []cell{{raw: []byte{0}}, {raw: []byte{1}}}}},
			`b: bool, 1 live bit, ascending, no nulls; one 1-bit code, 1 digit; sorted already`},
		"reversed": {[]testKey{{Key{Name: "i", Type: "int64"}, Int64, int64Cells(9,
			func(i int) int64 { return int64(-5 * i) })}},
			`i: int64, 4 live bits of 64, ascending, no nulls, stride 5; one 4-bit code, 1 digit; in reverse order`},
		"no keys": {nil, "all rows tie"},
	} {
		p, _ := planOfCells(t, c.keys...)
		require.Equal(t, strings.Join(strings.Fields(c.want), " "), p.String(), name)
		require.Equal(t, p.String(), p.Detach().String(), name)
	}
}
