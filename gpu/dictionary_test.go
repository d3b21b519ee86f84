//go:build cuda && linux && amd64

package gpu

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/gpu/internal/tuning"
	"github.com/arrowsort/arrowsort/keyencode"
)

// byDictionary has few rows sorted by digits, after a dictionary where one saves time.
func byDictionary(t *tuning.Table) {
	t.BucketRows, t.SmallSortRows, t.DictionaryRows = 0, 4096, 1
}

// dictionaries counts what sorts have done with dictionaries: begun, and sorted codes that are ranks alone, or codes of
// 4 or 8 bytes with low bits.
type dictionaries struct{ inserted, ranks, short, long int }

func (d dictionaries) encoded() int { return d.ranks + d.short + d.long }

// count counts the launches of an engine.
func (d *dictionaries) count(e *Engine) {
	s := <-e.turn
	defer func() { e.turn <- s }()
	lowBits := false
	s.OnLaunch = func(kernel string) {
		switch {
		case kernel == "dictionary_insert":
			d.inserted++
		case kernel == "gather_4":
			d.ranks++
		case kernel == "dictionary_encode":
			lowBits = true
		case lowBits && strings.HasPrefix(kernel, "digit_binning"):
			lowBits = false
			if kernel == "digit_binning_first_short" || kernel == "digit_binning_only" {
				d.short++
			} else {
				d.long++
			}
		}
	}
}

// TestDictionary sorts columns of every distribution by digits, in place of whose leading bits ranks are sorted where
// they take few values.
func TestDictionary(t *testing.T) {
	e := openForTest(t, byDictionary)
	var all dictionaries
	all.count(e)
	encoded := map[string]bool{}
	kinds := []keyencode.Kind{keyencode.Int64, keyencode.Uint64, keyencode.Float64, keyencode.Int32}
	for i, name := range slices.Sorted(maps.Keys(draws)) {
		for k, kind := range kinds {
			for nulls := range 2 {
				rows, before := []int{9001, 20_003, 32_768}[(i+k)%3], all.encoded()
				key := numberKey{kind: kind, null: percent(30*nulls, 7)}
				key.value = draws[name].by(rows, key.bytes(), uint64(i))
				checkNumbers(t, e, name, rows, key.in(i+k+nulls))
				encoded[name] = encoded[name] || all.encoded() > before
			}
		}
	}
	require.True(t, encoded["five values"])
	for _, name := range []string{"constant", "uniform", "and of 2", "20 live bits"} {
		require.False(t, encoded[name], "%s: a dictionary", name)
	}
	if decides(e) { // all of so few rows may be read at a time: then many prefixes are new late
		return
	}
	for _, name := range []string{"powers of two", "normal clusters", "sawtooth", "like Zipf"} {
		require.True(t, encoded[name], "%s: no dictionary", name)
	}
	require.Greater(t, all.ranks, 20)
	require.Greater(t, all.short, 5)
	require.Greater(t, all.long, 5)
}

// TestDictionaryOfKeys sorts by two keys, whose codes are encoded first and then again by a dictionary.
func TestDictionaryOfKeys(t *testing.T) {
	e := openForTest(t, byDictionary)
	var all dictionaries
	all.count(e)
	few := func(seed uint64) func(row int) uint64 {
		return func(row int) uint64 { return mix(mix(uint64(row)+seed) % 5) }
	}
	for mode := range 4 {
		checkNumbers(t, e, "two keys", 20_000, numberKey{kind: keyencode.Int32, value: few(1)}.in(mode),
			numberKey{kind: keyencode.Int32, value: few(2), null: percent(10, 3)}.in(mode+1))
	}
	require.Equal(t, 4, all.encoded())
}

// TestDictionaryOfWords sorts by codes of two words, of which the first has few leading bits, so that their ranks and
// the second word are one word. Where these have more than 64 bits, one word is sorted after the other.
func TestDictionaryOfWords(t *testing.T) {
	e := openForTest(t, byDictionary)
	var all dictionaries
	all.count(e)
	few := func(row int) uint64 { return mix(mix(uint64(row)) % 30) }
	clusters := func(row int) uint64 { return mix(mix(uint64(row))%30)<<12 | mix(uint64(row)+3)&0xfff }
	for mode := range 8 {
		leading := numberKey{kind: keyencode.Int64, value: []func(int) uint64{few, clusters}[mode/4]}.in(mode)
		for i, bits := range []int{20, 40, 64} {
			before := all.encoded()
			second := numberKey{kind: keyencode.Uint64, null: percent(mode%3*10, 5)}.in(mode + 1)
			second.value = func(row int) uint64 { return mix(uint64(row)+7) >> (64 - bits) }
			checkNumbers(t, e, "words", 20_000+mode, leading, second)
			if mode < 4 || !decides(e) { // of so few rows all may be read at a time: then many prefixes are new late
				require.Equal(t, i < 2, all.encoded() > before, "%d bits, mode %d", bits, mode)
			}
		}
	}
}

// TestDictionaryOfEncodedKeys sorts by two keys whose codes have low bits below few prefixes, with as little memory as
// will do and more: codes are read until they are encoded.
func TestDictionaryOfEncodedKeys(t *testing.T) {
	e := openForTest(t, byDictionary)
	var all dictionaries
	all.count(e)
	cluster := func(row int) uint64 { return mix(mix(uint64(row)) % 20) }
	within := func(row int) uint64 { return mix(uint64(row)+5) & 0xffff }
	for mode := range 4 {
		checkNumbers(t, e, "clusters", 30_000, numberKey{kind: keyencode.Int32, value: cluster}.in(mode),
			numberKey{kind: keyencode.Uint16, value: within}.in(mode+1))
	}
	require.Equal(t, 4, all.short+all.long)
}

// TestDictionaryIsDeclined sorts by digits what a dictionary was begun for: of more prefixes than the sample suggested,
// so that they are too many for the list or for the table, and of the one prefix that looks like a free slot.
func TestDictionaryIsDeclined(t *testing.T) {
	e := openForTest(t, byDictionary)
	var all dictionaries
	all.count(e)
	zipf := func(bits float64) numberKey {
		return numberKey{kind: keyencode.Uint64, value: func(row int) uint64 {
			return mix(uint64(math.Exp2(bits * unit(mix(uint64(row))))))
		}}
	}
	e.tuning.DictionaryPrefixes = 38_000
	checkNumbers(t, e, "too many for the list", 1<<17, zipf(20))
	e.tuning.DictionaryPrefixes = 62_000
	checkNumbers(t, e, "too many for the table", 1<<19, zipf(24))
	require.Equal(t, dictionaries{inserted: 2}, all)
	e.tuning.DictionaryPrefixes = 1000
	checkNumbers(t, e, "too many in the sample", 1<<17, zipf(20))
	require.Equal(t, 2, all.inserted)

	all = dictionaries{}
	const rows, bits = 20_000, 0x5851f42d4c957f2d                    // of PrefixHash
	for _, free := range []uint64{bits ^ bits>>32, math.MaxUint64} { // of the kernel, of its twin
		value := func(row int) uint64 { return pick(row == rows/2, free, uint64(row)%8*0x2030405060708091) }
		checkNumbers(t, e, fmt.Sprintf("%#x", free), rows, numberKey{kind: keyencode.Uint64, value: value})
	}
	require.Equal(t, dictionaries{inserted: 2, ranks: 1}, all, "one of them is a prefix like others")
}
