//go:build cuda && linux && amd64

package gpu

import (
	"testing"

	"github.com/arrowsort/arrowsort/internal/testrun"
	"github.com/arrowsort/arrowsort/kernels"
	"github.com/arrowsort/arrowsort/keyencode"
)

// TestDigitBinning sorts by digits alone: numbers of rows around the edges of tiles, and tiles enough to wait for one
// another.
func TestDigitBinning(t *testing.T) {
	e := openForTest(t)
	e.tuning.SmallSortRows, e.tuning.BucketRows = 0, 0
	const tile, wide = kernels.BinningTile, kernels.BinningWideTile
	for _, rows := range []int{1, 2, 31, 33, 1000} {
		for _, kind := range []keyencode.Kind{keyencode.Bool, keyencode.Uint8, keyencode.Int32, keyencode.Float64} {
			checkBinning(t, e, kind, rows, "uniform", 0)
		}
	}
	for _, rows := range []int{wide - 1, wide + 1, tile - 1, tile, tile + 1} {
		checkBinning(t, e, keyencode.Int16, rows, "uniform", 20)
		checkBinning(t, e, keyencode.Decimal128, rows, "five values", 0)
	}
	for i, name := range []string{"tile after tile", "uniform"} {
		for k, kind := range []keyencode.Kind{keyencode.Uint16, keyencode.Uint32, keyencode.Float32, keyencode.Uint64} {
			checkBinning(t, e, kind, 3*tile+5+k, name, 10*((i+k)%2))
		}
	}
	few := numberKey{kind: keyencode.Uint8, value: func(row int) uint64 { return mix(uint64(row)) % 4 }}
	ends := numberKey{kind: keyencode.Uint64, value: func(row int) uint64 {
		return pick(mix(uint64(row))%8 < 4, 0, 1<<63|1)
	}}
	for _, e.tuning.AskManyRows = range []int{0, 1 << 21} { // whether the device is asked
		checkNumbers(t, e, "one digit of the leading word varies", 3*wide+5, few, ends)
	}
	for _, e.tuning.StripRows = range []int{2 * wide, tile + 7*32} { // the latter of parts of tiles
		checkBinning(t, e, keyencode.Uint64, 3*tile+5, "two values", 0)
		checkBinning(t, e, keyencode.Uint32, 3*tile+5, "tile after tile", 0)
		checkBinning(t, e, keyencode.Int16, 3*tile+5, "five values", 20)
	}
	e.tuning.StripRows = kernels.StripRows
	e.tuning.RecordRows = 1 << 32 // as of some rows of a larger column
	checkBinning(t, e, keyencode.Uint64, 2*wide+77, "and of 2", 0)
	checkBinning(t, e, keyencode.Uint32, 2*tile+77, "and of 2", 20)
	e.tuning.RecordRows = 1
}

// TestDigitsOfDistributions sorts keys of every distribution by digits.
func TestDigitsOfDistributions(t *testing.T) {
	e := openForTest(t)
	e.tuning.SmallSortRows, e.tuning.BucketRows = 0, 0
	kinds := []keyencode.Kind{keyencode.Uint32, keyencode.Int64, keyencode.Float64, keyencode.Int32}
	i := 0
	for name := range draws {
		for range 2 {
			e.tuning.AskManyRows = i % 5 * 2000
			checkBinning(t, e, kinds[i/2%4], []int{4000, kernels.BinningTile + 77}[i%2], name, i%3*10)
			i++
		}
	}
}

// checkBinning sorts rows by numbers of a distribution, some percent of them null.
func checkBinning(t *testing.T, e *Engine, kind keyencode.Kind, rows int, name string, nulls int) {
	t.Helper()
	seed := uint64(rows + int(kind))
	k := numberKey{kind: kind, null: percent(nulls, seed)}
	k.value = draws[name].by(rows, min(8, max(1, k.bytes())), seed)
	checkNumbers(t, e, name, rows, k.in(int(seed)))
}

// TestDigitsOfCodes sorts by two keys, the first of which is constant, so that the second makes a word as it lies
// there. Its lower bits are constant: the digits of its codes are not those of its numbers.
func TestDigitsOfCodes(t *testing.T) {
	e := openForTest(t)
	e.tuning.SmallSortRows = 0
	sizes := []int{40_005, 2_000_003}
	if !testrun.Long() {
		sizes = sizes[:1]
	}
	for _, rows := range sizes {
		constant := numberKey{kind: keyencode.Uint32, value: func(int) uint64 { return 0 }}
		checkNumbers(t, e, "digits of codes", rows, constant, numberKey{kind: keyencode.Uint32,
			value: func(row int) uint64 {
				k := uint32(row) * 2654435761 >> 7 % 1000 // few values, so that they are sorted by digits
				return uint64((k*k*16 + k) << 8)
			}})
	}
}
