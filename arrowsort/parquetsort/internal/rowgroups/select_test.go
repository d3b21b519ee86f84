package rowgroups

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

var schema = arrow.NewSchema([]arrow.Field{{Name: "k", Type: arrow.PrimitiveTypes.Float64, Nullable: true}}, nil)

// TestSelectedRowGroupsHoldTheFirstRows of random row groups with values, NaNs and nulls, of which a footer knows all,
// some or nothing. What it knows holds for the rows.
func TestSelectedRowGroupsHoldTheFirstRows(t *testing.T) {
	rng, leftOut := rand.New(rand.NewPCG(1, 2)), 0
	for round := range 300 {
		key := randomKey(t, rng)
		places, err := key.places(t.Context(), memory.DefaultAllocator)
		require.NoError(t, err)
		groups, inputs := map[string][]*Group{}, []string{"a", "b", "a"}
		keys := map[*Group][][]byte{} // of the rows
		for number := range 1 + rng.IntN(8) {
			path := inputs[rng.IntN(2)]
			g, of := randomGroup(t, rng, key, &places, number)
			groups[path], keys[g] = append(groups[path], g), of
		}
		type row struct {
			key   []byte
			group *Group
		}
		var sorted []row
		for _, path := range inputs {
			for _, g := range groups[path] {
				for _, k := range keys[g] {
					sorted = append(sorted, row{k, g})
				}
			}
		}
		if key.ties < 0 {
			slices.Reverse(sorted)
		}
		slices.SortStableFunc(sorted, func(a, b row) int { return bytes.Compare(a.key, b.key) })
		n := 1 + rng.IntN(min(len(sorted)+2, 20))
		s := Select(key, inputs, groups, int64(n))
		read := append(slices.Clone(s.Files["a"]), s.Files["b"]...)
		for i, r := range sorted {
			if i < n || key.ties == 0 && bytes.Equal(r.key, sorted[n-1].key) { // further keys may move it up
				require.Contains(t, read, r.group, "round %d, row %d of %d", round, i, n)
			}
		}
		leftOut += s.All - s.Read
		require.Equal(t, s.All, 2*len(groups["a"])+len(groups["b"]))
		require.Equal(t, s.Read, 2*len(s.Files["a"])+len(s.Files["b"]))
	}
	require.Greater(t, leftOut, 100)
}

func randomKey(t *testing.T, rng *rand.Rand) Key {
	keys := []arrowsort.Key{{Path: "k", Order: arrowsort.Order(rng.IntN(2)),
		Nulls: arrowsort.NullPlacement(rng.IntN(2))}, {Path: "other"}}
	key, err := LeadingKey(schema, keys[:1+rng.IntN(2)], rng.IntN(2) == 0)
	require.NoError(t, err)
	return key
}

// randomGroup returns a row group of 1 to 20 rows, whose classes its rows are checked to be in, and their keys.
func randomGroup(t *testing.T, rng *rand.Rand, key Key, places *places, number int) (*Group, [][]byte) {
	b := array.NewFloat64Builder(memory.DefaultAllocator)
	defer b.Release()
	counts := tablefile.GroupCounts{Rows: 1 + rng.Int64N(20)}
	low, high, middle := math.Inf(1), math.Inf(-1), rng.IntN(100)
	odd := max(0, rng.IntN(10)-5)
	for range counts.Rows {
		switch x := float64(middle + rng.IntN(5)); {
		case rng.IntN(10) < odd && rng.IntN(2) == 0:
			b.AppendNull()
			counts.Nulls++
		case rng.IntN(10) < odd:
			b.Append(math.NaN())
			counts.NaNs++
		default:
			b.Append(x)
			low, high = min(low, x), max(high, x)
		}
	}
	values := b.NewArray()
	defer values.Release()
	b.AppendValues([]float64{low - float64(rng.IntN(2)), high + float64(rng.IntN(2))}, nil) // they may be inexact
	bounds := b.NewArray()
	defer bounds.Release()
	limits := append(encoded(t, key, bounds), nil)
	first, last := limits[0], limits[1]
	if key.Order == arrowsort.Descending {
		first, last = last, first
	}
	unknown := rng.IntN(16) & rng.IntN(16) & rng.IntN(16)
	for i, forget := range []func(){func() { first = nil }, func() { last = nil }, func() { counts.Nulls = -1 },
		func() { counts.NaNs = -1 }} {
		if unknown>>i&1 != 0 {
			forget()
		}
	}
	g := &Group{Number: number, Rows: counts.Rows, Classes: places.classes(counts, first, last)}
	require.Equal(t, counts.Rows, sum(g.Classes))
	table := array.NewTableFromRecords(schema, []arrow.Record{array.NewRecord(schema, []arrow.Array{values}, -1)})
	defer table.Release()
	s := Selection{Key: key, Files: map[string][]*Group{"x": {g}}}
	checkAll(t, &s, table)
	return g, encoded(t, key, values)
}

func encoded(t *testing.T, key Key, values arrow.Array) (keys [][]byte) {
	rows, err := key.encode(t.Context(), values, memory.DefaultAllocator)
	require.NoError(t, err)
	defer rows.Release()
	for i := range rows.Len() {
		keys = append(keys, bytes.Clone(rows.Row(i)))
	}
	return keys
}

func sum(classes []Class) (rows int64) {
	for _, c := range classes {
		rows += c.Rows
	}
	return rows
}

// TestSelectReadsAsFewRowGroupsAsBoundsAllow: with further keys rows that tie may follow in any order, without they
// keep that of the inputs.
func TestSelectReadsAsFewRowGroupsAsBoundsAllow(t *testing.T) {
	group := func(first, last byte, rows int64) *Group {
		return &Group{Rows: rows, Classes: []Class{{"values", rows, []byte{first}, []byte{last}}}}
	}
	inOrder := []*Group{group(1, 2, 10), group(3, 4, 10), group(4, 5, 10), group(6, 7, 10)}
	for n, read := range map[int64]int{1: 1, 10: 1, 11: 3, 20: 3, 21: 3, 30: 3, 31: 4, 40: 4, 41: 4} {
		s := Select(Key{}, []string{"a"}, map[string][]*Group{"a": inOrder}, n)
		require.Equal(t, read, s.Read, "the first %d", n)
		require.Equal(t, int64(10*(4-read)), s.LeftOut)
		twice := Select(Key{}, []string{"a", "a"}, map[string][]*Group{"a": inOrder}, 2*n)
		require.Equal(t, 2*read, twice.Read, "a file that is named twice is read twice")
		require.Equal(t, s.Ranges("a"), twice.Ranges("a"))
	}
	ties := []*Group{group(5, 5, 10), group(5, 5, 10), group(5, 5, 10)}
	for places, want := range map[int][]*Group{0: ties, 1: ties[:2], -1: ties[1:]} {
		s := Select(Key{ties: places}, []string{"a"}, map[string][]*Group{"a": ties}, 11)
		require.Equal(t, want, s.Files["a"])
	}
	require.NotNil(t, Select(Key{}, nil, nil, 1).Ranges("a"), "none, not all")
}

// TestPagesAreReadInFewRanges: those of fewest rows between selected pages are read, too, so that a row group has few
// ranges, or one where a column has no page index.
func TestPagesAreReadInFewRanges(t *testing.T) {
	rng := rand.New(rand.NewPCG(testrun.Seed(), 3))
	for range 300 {
		var pages []*Group
		selected, wanted := make(map[*Group]bool), make(map[*Group]bool)
		apart := []bool{rng.IntN(2) == 0, rng.IntN(2) == 0}
		for number := range apart {
			first := int64(0)
			for range 1 + rng.IntN(60) {
				g := &Group{Number: number, Rows: 1 + rng.Int64N(9), Page: &Page{First: first, Apart: apart[number]}}
				pages, first = append(pages, g), first+g.Rows
				if rng.IntN(9) == 0 {
					selected[g], wanted[g] = true, true
				}
			}
		}
		joinRanges(pages, selected)
		s := newSelection(Key{}, []string{"a"}, map[string][]*Group{"a": pages}, selected)
		ranges, unread := make([]int, len(apart)), make([]int64, len(apart))
		for _, r := range s.Ranges("a") {
			ranges[r.Group]++
		}
		for _, g := range pages {
			require.True(t, selected[g] || !wanted[g])
			if !selected[g] {
				unread[g.Number] += g.Rows
			}
		}
		for number := range apart {
			most := 1
			if apart[number] {
				most = maxRanges
			}
			require.LessOrEqual(t, ranges[number], most)
			of := slices.DeleteFunc(slices.Clone(pages), func(g *Group) bool { return g.Number != number })
			require.True(t, ranges[number] == 0 || unread[number] == 0 ||
				unread[number] >= rowsOf(of)/leastLeftOut)
		}
	}
}
