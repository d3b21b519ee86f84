package cpu

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/cputest"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/internal/testrun"
	"github.com/arrowsort/arrowsort/keyencode"
)

// narrowColumn are n random values of a kind in two chunks, -2,500 to 2,499 or, unsigned, 0 to 4,999, and which of them
// are valid.
func narrowColumn(r *rand.Rand, kind keyencode.Kind, width, n, nulls int) (c keyencode.Column, valid []bool) {
	values := make([]byte, n*width)
	for i := range n {
		v := r.Int64N(5000)
		if kind < keyencode.Uint8 || kind > keyencode.Uint64 {
			v -= 2500
		}
		for k := range width {
			values[i*width+k] = byte(v >> min(8*k, 63))
		}
	}
	valid = make([]bool, n)
	for i := range valid {
		valid[i] = r.IntN(100) >= nulls
	}
	c.Kind = kind
	for _, rows := range [][2]int{{0, n / 3}, {n / 3, n}} {
		k := keyencode.Chunk{Rows: rows[1] - rows[0], Values: values[rows[0]*width : rows[1]*width]}
		if nulls > 0 {
			k.Validity = cputest.Bitmap(r, 0, valid[rows[0]:rows[1]])
		}
		c.Chunks = append(c.Chunks, k)
	}
	return c, valid
}

// TestSortKeysOnly compares keys that are sorted alone with those that row numbers are sorted with: all of them, and
// the first ones, of every kind in all orders.
func TestSortKeysOnly(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	const n = 2*tileRows + 77
	kinds := map[keyencode.Kind]int{
		keyencode.Int8: 1, keyencode.Uint8: 1, keyencode.Int16: 2, keyencode.Uint16: 2, keyencode.Int32: 4,
		keyencode.Uint32: 4, keyencode.Int64: 8, keyencode.Uint64: 8, keyencode.Decimal128: 16,
		keyencode.Decimal256: 32,
	}
	for kind, width := range kinds {
		for mode := range 4 {
			nulls := []int{0, 3, 50}[(mode+width)%3]
			c, valid := narrowColumn(r, kind, width, n, nulls)
			key := keyencode.Key{Order: keyencode.Order(mode % 2), Nulls: keyencode.NullPlacement(mode / 2)}
			for _, limit := range []int{0, n / 10, n/2 + 1} {
				job := engine.Job{
					Rows: n, Columns: []keyencode.Column{c}, Keys: []keyencode.Key{key}, Gather: []int{0}, Threads: 2,
					Limit: limit,
				}
				name := fmt.Sprintf("kind %d, %+v, limit %d", kind, key, limit)
				if !testrun.Share(4, name) {
					continue
				}
				s := newTestSorter(t, &job)
				require.True(t, s.onlyCountableKey(), name)
				keys, _ := mustSort(t, &job)
				job.RowNumbers = 4
				want, _ := mustSort(t, &job)
				require.Equal(t, want.Columns[0].Nulls, keys.Columns[0].Nulls, name)
				require.Equal(t, want.Columns[0].Validity, keys.Columns[0].Validity, name)
				for i, row := range buffers.View[uint32](want.RowNumbers) {
					if at := i * width; valid[row] && string(want.Columns[0].Values[at:at+width]) !=
						string(keys.Columns[0].Values[at:at+width]) {
						require.Failf(t, "wrong key", "%s: place %d, row %d", name, i, row)
					}
				}
			}
		}
	}
}

// TestSortsKeysOnly: keys that codes do not hold whole, many codes, and other columns are sorted in other ways.
func TestSortsKeysOnly(t *testing.T) {
	const n = 100_000
	r := rand.New(rand.NewPCG(3, 4))
	float, _ := narrowColumn(r, keyencode.Float32, 4, n, 0)
	fixed, _ := narrowColumn(r, keyencode.Int32, 4, n, 0)
	many := uint64Column(drawn(1, n, func(r *rand.Rand, _, _ int) uint64 { return r.Uint64N(2 << countedKeyBits) }))
	first := []keyencode.Key{{}}
	for name, job := range map[string]engine.Job{
		"floats":      {Columns: []keyencode.Column{float}, Keys: first, Gather: []int{0}},
		"many codes":  {Columns: []keyencode.Column{many}, Keys: first, Gather: []int{0}},
		"row numbers": {Columns: []keyencode.Column{fixed}, Keys: first, Gather: []int{0}, RowNumbers: 8},
		"two columns": {Columns: []keyencode.Column{fixed, many}, Keys: first, Gather: []int{0, 1}},
		"another":     {Columns: []keyencode.Column{fixed, many}, Keys: first, Gather: []int{1}},
		"two keys": {
			Columns: []keyencode.Column{fixed, fixed}, Keys: []keyencode.Key{{}, {Column: 1}}, Gather: []int{0},
		},
	} {
		job.Rows, job.Threads = n, 2
		s := newTestSorter(t, &job)
		require.NoError(t, s.allocate())
		require.False(t, s.onlyCountableKey(), name)
	}
}
