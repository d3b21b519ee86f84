package keys

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/cputest"
	"github.com/arrowsort/arrowsort/internal/arena"
	"github.com/arrowsort/arrowsort/internal/workers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// TestStringDictionary: the indices of several dictionaries, each of every third batch of a column's rows, stand for
// the rows' strings, and their ranks for the strings' order.
func TestStringDictionary(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, kind := range []keyencode.Kind{keyencode.Binary, keyencode.LargeBinary, keyencode.FixedSizeBinary} {
		for _, spec := range cputest.AllTexts {
			n, batch := 1+r.IntN(1500), 1+r.IntN(200)
			texts, valid := spec.Draw(n)
			column := spec.Column(kind, texts, valid)
			if kind == keyencode.FixedSizeBinary {
				column, texts = fixedTexts(r, valid)
			}
			dictionaries := make([]*stringDictionary, 3)
			for i := range dictionaries {
				dictionaries[i] = newStringDictionary(&column, n)
			}
			indices := make([]uint16, n)
			of := func(row int) int { return row / batch % 3 }
			for lo := 0; lo < n; lo += batch {
				require.True(t, dictionaries[of(lo)].encodeRows(indices[lo:min(lo+batch, n)], lo))
			}
			ranks, rows := rankStrings(dictionaries)
			rank := func(row int) uint16 { return ranks[of(row)][indices[row]] }
			var strings [][]byte
			for row, text := range texts {
				if spec.Nulls > 0 && !valid[row] {
					require.Zero(t, rank(row), "null has no rank")
					continue
				}
				require.Equal(t, string(text), string(texts[dictionaries[of(row)].rows[indices[row]]]), spec.Name)
				strings = append(strings, text)
			}
			slices.SortFunc(strings, bytes.Compare)
			strings = slices.CompactFunc(strings, bytes.Equal)
			for row, text := range texts {
				if spec.Nulls == 0 || valid[row] {
					require.Equal(t, string(text), string(strings[rank(row)-1]), "ranks are dense, and begin at 1")
					require.Equal(t, string(text), string(texts[rows[rank(row)]]), "a row of the rank")
				}
			}
		}
	}
}

// fixedTexts is a column of strings of 12 bytes that are null where they are not valid.
func fixedTexts(r *rand.Rand, valid []bool) (c keyencode.Column, texts [][]byte) {
	values := make([]byte, 12*len(valid))
	for i := range valid {
		text := values[12*i : 12*i+12]
		copy(text, fmt.Sprintf("fixed %d", r.IntN(100)))
		texts = append(texts, text)
	}
	chunk := keyencode.Chunk{Rows: len(valid), Values: values, Validity: cputest.Bitmap(r, 0, valid)}
	return keyencode.Column{Kind: keyencode.FixedSizeBinary, Width: 12, Chunks: []keyencode.Chunk{chunk}}, texts
}

func numberedStrings(n int, text func(i int) string) keyencode.Column {
	texts := make([][]byte, n)
	for i := range texts {
		texts[i] = []byte(text(i))
	}
	return cputest.Texts{}.Column(keyencode.Binary, texts, make([]bool, n))
}

// TestStringDictionaryIsLimited: more strings than the limit end an encoding, after at most a block of rows.
func TestStringDictionaryIsLimited(t *testing.T) {
	c := numberedStrings(maxStringDictionary+stringBlock, func(i int) string { return fmt.Sprint(i) })
	for _, limit := range []int{1, 100, 1 << 20} {
		d, rows := newStringDictionary(&c, limit), min(limit, maxStringDictionary-1)
		require.True(t, d.encodeRows(make([]uint16, rows), 0))
		require.True(t, d.encodeRows(make([]uint16, rows), 0), "no new ones")
		require.False(t, d.encodeRows(make([]uint16, stringBlock), rows))
		require.LessOrEqual(t, len(d.rows), rows+1+stringBlock)
	}
}

func TestWorthDictionary(t *testing.T) {
	const n = 4096
	rows := make([]uint32, n)
	for i := range rows {
		rows[i] = uint32(i)
	}
	for _, c := range []struct {
		name string
		few  bool
		text func(i int) string
	}{
		{"all distinct", false, func(i int) string { return fmt.Sprintf("a long string %d", i) }},
		{"few", true, func(i int) string { return fmt.Sprintf("a long string %d", i%500) }},
		{"few short ones", true, func(i int) string { return fmt.Sprint(i % 1000) }},
		{"more short ones", false, func(i int) string { return fmt.Sprint(i % 1500) }},
		{"a quarter is one", true, func(i int) string { return fmt.Sprintf("a long string %d", max(i*37%n, n/4)) }},
		{"a fifth is one", false, func(i int) string { return fmt.Sprintf("a long string %d", max(i*37%n, n/5)) }},
		{"in order", false, func(i int) string { return fmt.Sprintf("a long string %04d", i/100) }},
		{"in reverse order", false, func(i int) string { return fmt.Sprintf("a long string %04d", 50-i/100) }},
		{"half of them long", true, func(i int) string { return []string{"short", "a long string"}[i%2] }},
	} {
		column := numberedStrings(n, c.text)
		require.Equal(t, c.few, worthDictionary(&column, rows), c.name)
	}
	require.False(t, worthDictionary(&keyencode.Column{Kind: keyencode.Int64}, nil))
}

// TestMisleadingSample: a column of which only the sampled rows have few strings gets no dictionary.
func TestMisleadingSample(t *testing.T) {
	const n = 2 * TileRows
	sampled := make([]bool, n)
	for _, row := range SampledRows(n) {
		sampled[row] = true
	}
	column := numberedStrings(n, func(i int) string {
		if sampled[i] {
			i %= 7
		}
		return fmt.Sprintf("a long string %d", i)
	})
	require.True(t, worthDictionary(&column, sampledStrings(n)))
	pool, mem := workers.NewPool(t.Context(), 2, 0, nil), arena.New(t.Context(), cputest.NewMeter(t))
	defer mem.Release()
	k := New(&engine.Job{Rows: n, Columns: []keyencode.Column{column}, Keys: []keyencode.Key{{}}})
	require.NoError(t, k.EncodeStrings(pool, mem, nil))
	require.Empty(t, k.Dictionaries)
}
