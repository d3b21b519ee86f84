//go:build cuda && linux && amd64

package gpu

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/keyencode"
)

// byDictionary has few rows sorted by digits, after a dictionary where one saves time.
func byDictionary(t *testing.T) {
	keepThresholds(t)
	thresholds.bucketRows, thresholds.smallSortRows, thresholds.dictionaryRows = 0, 4096, 1
}

// dictionaries counts what sorts have done with dictionaries.
type dictionaries struct{ inserted, ranked, short, long int }

// count counts the launches of an engine.
func (d *dictionaries) count(e *Engine) {
	s := <-e.turn
	defer func() { e.turn <- s }()
	s.onLaunch = func(kernel string) {
		switch kernel {
		case "dictionary_insert":
			d.inserted++
		case "dictionary_ranks":
			d.ranked++
		case "gather_4":
			d.short++
		case "dictionary_encode":
			d.long++
		}
	}
}

// TestDictionary sorts columns of every distribution by digits, in place of whose leading bits ranks are sorted where
// they take few values.
func TestDictionary(t *testing.T) {
	e := openForTest(t)
	byDictionary(t)
	var all dictionaries
	all.count(e)
	encoded := map[string]bool{}
	kinds := []keyencode.Kind{keyencode.Int64, keyencode.Uint64, keyencode.Float64}
	for i, name := range slices.Sorted(maps.Keys(draws)) {
		for k, kind := range kinds {
			for nulls := range 2 {
				rows, before := []int{9001, 20_003, 32_768}[(i+k)%3], all.ranked
				key := numberKey{kind: kind, value: draws[name].by(rows, 8, uint64(i)), null: percent(30*nulls, 7)}
				checkNumbers(t, e, name, rows, key.in(i+k+nulls))
				encoded[name] = encoded[name] || all.ranked > before
			}
		}
	}
	for _, name := range []string{"five values", "powers of two", "normal clusters", "sawtooth", "like Zipf"} {
		require.True(t, encoded[name], "%s: no dictionary", name)
	}
	for _, name := range []string{"constant", "uniform", "and of 2", "20 live bits"} {
		require.False(t, encoded[name], "%s: a dictionary", name)
	}
	require.Greater(t, all.short, 20)
	require.Greater(t, all.long, 5)
}

// TestDictionaryOfKeys sorts by two keys, whose codes are encoded first and then again by a dictionary.
func TestDictionaryOfKeys(t *testing.T) {
	e := openForTest(t)
	byDictionary(t)
	var all dictionaries
	all.count(e)
	few := func(seed uint64) func(row int) uint64 {
		return func(row int) uint64 { return mix(mix(uint64(row)+seed) % 50) }
	}
	for mode := range 4 {
		checkNumbers(t, e, "two keys", 20_000, numberKey{kind: keyencode.Int32, value: few(1)}.in(mode),
			numberKey{kind: keyencode.Int32, value: few(2), null: percent(10, 3)}.in(mode+1))
	}
	require.Equal(t, 4, all.ranked)
}

// TestDictionaryIsDeclined sorts by digits what a dictionary was begun for: of more prefixes than the sample suggested,
// so that they are too many for the list or for the table, and of the one prefix that looks like a free slot.
func TestDictionaryIsDeclined(t *testing.T) {
	e := openForTest(t)
	byDictionary(t)
	var all dictionaries
	all.count(e)
	zipf := func(bits float64) numberKey {
		return numberKey{kind: keyencode.Uint64, value: func(row int) uint64 {
			return mix(uint64(math.Exp2(bits * unit(mix(uint64(row))))))
		}}
	}
	thresholds.dictionaryPrefixes = 38_000
	checkNumbers(t, e, "too many for the list", 1<<17, zipf(20))
	thresholds.dictionaryPrefixes = 62_000
	checkNumbers(t, e, "too many for the table", 1<<19, zipf(24))
	require.Equal(t, dictionaries{inserted: 2}, all)
	thresholds.dictionaryPrefixes = 1000
	checkNumbers(t, e, "too many in the sample", 1<<17, zipf(20))
	require.Equal(t, 2, all.inserted)

	all = dictionaries{}
	const rows, bits = 20_000, 0x5851f42d4c957f2d                    // of PrefixHash
	for _, free := range []uint64{bits ^ bits>>32, math.MaxUint64} { // of the kernel, of its twin
		value := func(row int) uint64 { return pick(row == rows/2, free, uint64(row)%8*0x2030405060708091) }
		checkNumbers(t, e, fmt.Sprintf("%#x", free), rows, numberKey{kind: keyencode.Uint64, value: value})
	}
	require.Equal(t, dictionaries{inserted: 2, ranked: 1, short: 1}, all, "one of them is a prefix like others")
}
