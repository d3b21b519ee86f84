package adapter

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/textorder"
	"github.com/arrowsort/arrowsort/internal/testrun"
	"github.com/arrowsort/arrowsort/keyencode"
)

// sortKeysOf returns the sort keys of an array of text, nil for null, and the bytes of temporary memory.
func sortKeysOf(t *testing.T, a arrow.Array, by textorder.Collation, threads int) (keys [][]byte, bytes int) {
	mem := arrowtest.Checked(t)
	var in Input
	require.NoError(t, in.Open(a))
	var r RawColumns
	r.Start(t.Context(), Options{Allocator: mem, Threads: threads})
	defer r.Release()
	values, err := r.Values(&in, Leaf{Path: []int{0}, Type: a.DataType(), Collation: by})
	require.NoError(t, err)
	require.NoError(t, keyencode.Validate(&values.Column))
	keys = make([][]byte, a.Len())
	values.Strings(keys, &values.Chunks[0], 0)
	for i, key := range keys {
		if key != nil {
			keys[i] = append([]byte{}, key...)
		}
	}
	return keys, mem.CurrentAlloc()
}

// TestSortKeys compares sort keys of texts of all lengths, of which few or many repeat, with those of the encoder.
func TestSortKeys(t *testing.T) {
	r := rand.New(rand.NewPCG(testrun.Seed(), 5))
	for _, distinct := range []int{1, 10, 300, 40_000, 1 << 30} {
		rows := testrun.Count(200_000, 50_000)
		b := array.NewStringBuilder(memory.NewGoAllocator())
		for range rows {
			if n := r.IntN(distinct); n%11 == 3 {
				b.AppendNull()
			} else {
				b.Append(strings.Repeat(fmt.Sprintf("Zoë %x ", n), n%5))
			}
		}
		a := b.NewStringArray()
		for _, by := range []textorder.Collation{"nocase", "natural", "de"} {
			keys, _ := sortKeysOf(t, a, by, 1+r.IntN(3))
			e := textorder.NewEncoder(by)
			var want []byte
			for i, key := range keys {
				require.Equal(t, a.IsNull(i), key == nil)
				if want = e.Append(want[:0], []byte(a.Value(i))); key != nil && string(want) != string(key) {
					require.Equal(t, want, key, "%d distinct, row %d of %s", distinct, i, by)
				}
			}
			e.Close()
		}
	}
}

// TestTextsThatRepeat share their sort keys: each worker has one of each.
func TestTextsThatRepeat(t *testing.T) {
	const rows = 50_000
	b := array.NewStringBuilder(memory.NewGoAllocator())
	for i := range rows {
		b.Append(strings.Repeat(fmt.Sprint(i%100, " long enough for a buffer "), 3))
	}
	a := b.NewStringArray()
	for threads := 1; threads <= 2; threads++ {
		_, bytes := sortKeysOf(t, a, "de", threads)
		require.Less(t, bytes, viewBytes*rows+threads*100_000)
	}
}

// TestTextTable grows, is full at its end, and stops where few texts repeat.
func TestTextTable(t *testing.T) {
	table := newTextTable()
	text := func(i int) []byte { return []byte(fmt.Sprint("text ", i)) }
	for i := range mostTexts/2 + 10 {
		entry, found := table.find(text(i))
		require.False(t, found)
		require.Equal(t, i < mostTexts/2, entry != nil, i)
		if entry != nil {
			entry.text, entry.view[0] = text(i), byte(i)
		}
	}
	require.Len(t, table.entries, mostTexts)
	require.False(t, table.pays())
	for i := range mostTexts / 2 {
		entry, found := table.find(text(i))
		require.True(t, found, i)
		require.Equal(t, byte(i), entry.view[0])
	}
	require.True(t, table.pays())
	require.True(t, table.pays(), "nothing is decided by few lookups")
}
