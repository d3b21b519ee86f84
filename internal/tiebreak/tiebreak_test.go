package tiebreak

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/internal/referenceorder"
	"github.com/arrowsort/arrowsort/keyencode"
)

// textColumn returns a column of strings; nil is null.
func textColumn(texts [][]byte) keyencode.Column {
	data, offsets := []byte{}, make([]byte, 8, 8*len(texts)+8)
	validity := make([]byte, (len(texts)+7)/8)
	for i, text := range texts {
		data = append(data, text...)
		offsets = binary.LittleEndian.AppendUint64(offsets, uint64(len(data)))
		if text != nil {
			validity[i/8] |= 1 << (i % 8)
		}
	}
	chunk := keyencode.Chunk{Rows: len(texts), Validity: validity, Values: offsets, Data: [][]byte{data}}
	return keyencode.Column{Kind: keyencode.LargeBinary, Chunks: []keyencode.Chunk{chunk}}
}

func planOf(t *testing.T, keys []keyencode.Key, columns ...keyencode.Column) *keyencode.Plan {
	stats := make([]keyencode.Statistics, len(keys))
	for i, k := range keys {
		stats[i] = keyencode.Measure(&columns[i], k, 0, columns[i].Rows())
	}
	p, err := keyencode.NewPlan(columns, keys, stats)
	require.NoError(t, err)
	return p
}

// compare returns how the model orders two strings.
func compare(k keyencode.Key, a, b []byte) int {
	m := referenceorder.Key{
		Kind:       referenceorder.Bytes,
		Descending: k.Order == keyencode.Descending, NullsFirst: k.Nulls == keyencode.NullsAtStart,
	}
	return m.Compare(referenceorder.Cell{Null: a == nil, Value: a}, referenceorder.Cell{Null: b == nil, Value: b})
}

// randomText is up to 40 letters of a small alphabet, some of them after the same prefix.
func randomText(rng *rand.Rand) []byte {
	letters := []string{"ab", "\x00a", "\x00\xff", "abcdefghijklmnopqrstuvwxyz", "\x00"}[rng.IntN(5)]
	s := []byte([]string{"", "", "shared/", "\x00\x00", "a long prefix that all share \xff"}[rng.IntN(5)])
	for range rng.IntN([]int{4, 10, 12, 24, 40}[rng.IntN(5)]) {
		s = append(s, letters[rng.IntN(len(letters))])
	}
	return s
}

// tiedTexts are rows whose strings are at hand, or not.
type tiedTexts struct {
	*keyencode.Plan
	texts  [][]byte
	atHand bool
	asked  int
}

func (t *tiedTexts) Strings(dst [][]byte, _ int, rows []uint32) bool {
	for i, r := range rows[:len(dst)] {
		dst[i] = t.texts[r]
	}
	t.asked += len(dst)
	return t.atHand
}

func (t *tiedTexts) SortRun(rows []uint32, codes []uint64) {
	for i := range rows {
		for j := i; j > 0 && codes[j] < codes[j-1]; j-- {
			rows[j], rows[j-1], codes[j], codes[j-1] = rows[j-1], rows[j], codes[j-1], codes[j]
		}
	}
}

// TestTiesSkipSharedBytes breaks ties of strings that share many bytes, are prefixes of one another, or differ in zero
// bytes at their ends, with a number behind them.
func TestTiesSkipSharedBytes(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 3))
		n := 2 + rng.IntN(200)
		texts, numbers := make([][]byte, n), make([]byte, n)
		shared := bytes.Repeat([]byte{'s', 0}, rng.IntN(30))
		for i := range texts {
			texts[i] = append([]byte("8 bytes "), shared[:len(shared)-min(len(shared), rng.IntN(20)/19*7)]...)
			texts[i] = append(texts[i], randomText(rng)...)
			numbers[i] = byte(rng.IntN(3))
		}
		texts[0] = []byte("another beginning")
		if rng.IntN(3) == 0 {
			texts[n-1] = nil // null
		}
		key := keyencode.Key{Order: keyencode.Order(rng.IntN(2)), Nulls: keyencode.NullPlacement(rng.IntN(2))}
		p := planOf(t, []keyencode.Key{key, {Column: 1}}, textColumn(texts),
			keyencode.Column{Kind: keyencode.Uint8, Chunks: []keyencode.Chunk{{Rows: n, Values: numbers}}})
		for _, atHand := range []bool{true, false} {
			rows, codes := make([]uint32, n), make([]uint64, n)
			for i := range rows {
				rows[i] = uint32(i)
			}
			tied := &tiedTexts{p, texts, atHand, 0}
			p.Encode(codes, 0)
			tied.SortRun(rows, codes)
			b := Breaker{Runs: AppendRuns(nil, p, codes, 0, 0), Rows: make([]uint32, n), Codes: make([]uint64, n)}
			b.Break(t.Context(), p, tied, rows)
			for i := 1; i < n; i++ {
				x, y := rows[i-1], rows[i]
				order := cmp.Or(compare(key, texts[x], texts[y]), cmp.Compare(numbers[x], numbers[y]))
				inOrder := order < 0 || order == 0 && x < y
				require.True(t, inOrder, "seed %d, %v: %q before %q", seed, atHand, texts[x], texts[y])
			}
		}
	}
}

// TestLongSharedBytesAreSkippedAtOnce: rows that share a thousand bytes are not sorted once for every seven.
func TestLongSharedBytesAreSkippedAtOnce(t *testing.T) {
	texts := [][]byte{[]byte("another")}
	for i := range 100 {
		texts = append(texts, fmt.Appendf(nil, "%01000d", i))
	}
	p := planOf(t, []keyencode.Key{{}}, textColumn(texts))
	rows := make([]uint32, len(texts)-1)
	for i := range rows {
		rows[i] = uint32(len(texts) - 1 - i)
	}
	tied := &tiedTexts{p, texts, true, 0}
	b := Breaker{
		Runs: []Run{{Hi: len(rows), Word: 1}}, Rows: make([]uint32, len(rows)), Codes: make([]uint64, len(rows)),
	}
	b.Break(t.Context(), p, tied, rows)
	for i, r := range rows {
		require.EqualValues(t, i+1, r)
	}
	require.Less(t, tied.asked, 100*(1000/8+3))
}

func TestAppendRuns(t *testing.T) {
	var numbers []byte
	for _, x := range []uint64{0, 1, math.MaxUint64} {
		numbers = binary.LittleEndian.AppendUint64(numbers, x)
	}
	c := keyencode.Column{Kind: keyencode.Uint64, Chunks: []keyencode.Chunk{{Rows: 3, Values: numbers}}}
	p := planOf(t, []keyencode.Key{{}, {Column: 1}, {Column: 2}}, c, c, c)
	require.Equal(t, 3, p.Words())
	before := []Run{{Hi: 2, Word: 1}}
	require.Equal(t, before, AppendRuns(before, p, nil, 0, 0))
	require.Equal(t, before, AppendRuns(before, p, []uint64{1, 2, 3}, 0, 0), "no row ties")
	after := append(before, Run{Lo: 100, Hi: 102, Word: 1}, Run{Lo: 103, Hi: 106, Word: 1})
	require.Equal(t, after, AppendRuns(before, p, []uint64{7, 7, 8, 9, 9, 9}, 0, 100))
	require.Equal(t, []Run{{Hi: 2, Word: 2}}, AppendRuns(nil, p, []uint64{7, 7}, 1, 0))
	require.Empty(t, AppendRuns(nil, p, []uint64{7, 7}, 2, 0), "no word is left that differs")
}
