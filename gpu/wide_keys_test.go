//go:build cuda && linux && amd64

package gpu

import (
	"math"
	"testing"

	"github.com/arrowsort/arrowsort/kernels"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A wideCase is keys whose ranges have more values than a number of 64 bits: the leading ones, and a part of the next
// one, are the number; the others are the rest.
type wideCase struct {
	name    string
	sorted  bool // by partition and bucket sort; else either way
	drawn   []drawnKey
	replace func(rows int, keys []numberKey) // values of some keys, in place of those that are drawn
}

// wideCases are adversarial mixes of types, nulls and values.
func wideCases() []wideCase {
	key := func(kind keyencode.Kind, nulls int) drawnKey { return drawnKey{kind, "uniform", nulls, false} }
	drawn := func(kind keyencode.Kind, name string) drawnKey { return drawnKey{kind, name, 0, true} }
	int16s, int32s, int64s := keyencode.Int16, keyencode.Int32, keyencode.Int64
	float32s, float64s := keyencode.Float32, keyencode.Float64
	few := func(of uint64) func(int, []numberKey) {
		return func(_ int, keys []numberKey) {
			value := keys[0].value
			keys[0].value = func(row int) uint64 { return mix(value(row)) % of }
		}
	}
	ties := func(of uint64) func(int, []numberKey) { // 1 % of the rows tie in the number, and then many of them
		return func(_ int, keys []numberKey) {
			last, value := len(keys)-1, keys[len(keys)-1].value
			keys[last].value = func(row int) uint64 { return mix(value(row) % of) }
		}
	}
	pairs := func(rows int, keys []numberKey) { // each number has a few rows, those of a pair far apart
		value := keys[0].value
		keys[0].value = func(row int) uint64 { return value(row % (rows/2 + 1)) }
	}
	reals := func(scale float64) func(rows int, keys []numberKey) { // and NaN, infinities and zeros of both signs
		return func(rows int, keys []numberKey) {
			last := len(keys) - 1
			kind, value := keys[last].kind, keys[last].value
			keys[last].value = func(row int) uint64 {
				r := value(row)
				special := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), math.MaxFloat64,
					5e-324, -5e-324}
				v := (float64(mix(r+9))/(1<<63) - 1) * scale
				if at := mix(r) % 300; at < uint64(len(special)) {
					v = special[at]
				}
				return floatBits(kind, v)
			}
		}
	}
	categories := func(of uint64, scale float64) func(rows int, keys []numberKey) {
		return func(rows int, keys []numberKey) { few(of)(rows, keys); reals(scale)(rows, keys) }
	}
	return []wideCase{
		{"two of 64 bits", true, []drawnKey{key(int64s, 0), key(int64s, 0)}, nil},
		{"nulls in the first", true, []drawnKey{key(int64s, 10), key(int32s, 0)}, nil},
		{"nulls in both", false, []drawnKey{key(int64s, 10), key(int64s, 30)}, nil},
		{"three", true, []drawnKey{key(int32s, 0), key(int32s, 20), key(int32s, 0)}, nil},
		{"four with nulls", true, []drawnKey{key(int16s, 5), key(int32s, 5), key(int32s, 5), key(int16s, 5)}, nil},
		{"seven", true, []drawnKey{key(keyencode.Bool, 9), key(int16s, 0), key(int32s, 0), key(float32s, 3),
			key(keyencode.Uint8, 0), key(keyencode.Float16, 0), key(keyencode.Bool, 0)}, nil},
		{"more than 128 bits", false, []drawnKey{key(int64s, 0), key(int64s, 0), key(int64s, 0)}, nil},
		{"pairs", true, []drawnKey{key(int64s, 0), key(int64s, 0)}, pairs},
		{"pairs with nulls", false, []drawnKey{key(int64s, 5), key(float64s, 20)}, pairs},
		{"ties", false, []drawnKey{drawn(int64s, "1 % hot"), key(int32s, 0)}, nil},
		{"ties with nulls", false, []drawnKey{drawn(int64s, "1 % hot"), key(int32s, 30), key(int16s, 20)}, nil},
		{"ties, then few values", false, []drawnKey{drawn(int64s, "1 % hot"), key(int64s, 0)}, ties(40)},
		{"ties, then one value", false, []drawnKey{drawn(int64s, "1 % hot"), key(int64s, 0)}, ties(1)},
		{"2^17 values", false, []drawnKey{drawn(int64s, "2^17 values"), key(int64s, 0)}, nil},
		{"five values", false, []drawnKey{drawn(int64s, "five values"), key(int64s, 0)}, nil},
		{"sorted numbers", false, []drawnKey{drawn(int64s, "sorted"), key(int64s, 0)}, nil},
		{"sorted pairs", false, []drawnKey{drawn(int64s, "ties in pairs"), key(int64s, 0)}, nil},
		{"outliers in the first", false, []drawnKey{drawn(int64s, "two outliers"), key(int64s, 0)}, nil},
		{"outliers in the second", false, []drawnKey{key(int32s, 0), drawn(int64s, "two outliers")}, nil},
		{"categories, reals", true, []drawnKey{key(int32s, 0), key(float64s, 0)}, categories(50, 1)},
		{"categories, reals with nulls", true, []drawnKey{key(int32s, 5), key(float64s, 10)}, categories(50, 1e9)},
		{"categories, short reals", false, []drawnKey{key(int64s, 5), key(float32s, 10)}, categories(1<<40, 1e9)},
		{"categories, reals beyond 2^1000", false, []drawnKey{key(int32s, 0), key(float64s, 0)},
			categories(50, math.MaxFloat64)},
		{"categories, tiny reals", false, []drawnKey{key(int32s, 0), key(float64s, 0)}, categories(50, 1e-320)},
		{"reals, integers", false, []drawnKey{key(float64s, 0), key(int64s, 0)}, nil},
	}
}

// TestWideKeys sorts by keys of more than 64 bits in all orders and null placements, of numbers of rows around the
// tiles of the pass that reads them.
func TestWideKeys(t *testing.T) {
	e := openForTest(t)
	e.tuning.SmallSortRows, e.tuning.KeysRows, e.tuning.RangesRows = 0, 0, 0
	launched := launches(e)
	tile := kernels.PartitionWideTile
	sizes := []int{2, 33, 2047, tile - 1, tile, tile + 1, 20_001, 30_007}
	for c, w := range wideCases() {
		for mode := range 4 {
			rows := sizes[(c+mode)%len(sizes)]
			if w.sorted && mode == 0 {
				rows = 20_002
			}
			var keys []numberKey
			for i, d := range w.drawn {
				seed := uint64(16*c + 4*i + mode)
				k := numberKey{kind: d.kind, null: percent(d.nulls, seed)}
				bytes := max(1, k.bytes())
				if d.low {
					bytes = 8
				}
				k.value = draws[d.name].by(rows, bytes, seed)
				keys = append(keys, k)
			}
			if w.replace != nil {
				w.replace(rows, keys)
			}
			for i := range keys {
				keys[i] = keys[i].in(mode + i)
			}
			clear(launched)
			checkNumbers(t, e, "wide, "+w.name, rows, keys...)
			expect(t, e, !w.sorted || launched["statistics"] == 0 || rows < 20_000, "%s, %d rows are declined", w.name,
				rows)
		}
	}
}
