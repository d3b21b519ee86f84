package cpu

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/keyencode"
)

// TestRecordsTie samples keys whose records hold all of a code, random codes that are cut, and codes of which a fifth
// occur twice.
func TestRecordsTie(t *testing.T) {
	const n = 1 << 18
	half := func(r *rand.Rand, n, i int) uint64 { return r.Uint64N(uint64(n)*5/2) * 0x9e3779b97f4a7c15 }
	for _, c := range []struct {
		name string
		keys []uint64
		want bool
	}{
		{"short codes", drawn(1, n, func(r *rand.Rand, n, i int) uint64 { return r.Uint64N(1000) }), false},
		{"random codes", drawn(2, n, uniform), false},
		{"repeated codes", drawn(3, n, half), true},
	} {
		columns := []keyencode.Column{uint64Column(c.keys)}
		job := engine.Job{Rows: n, Columns: columns, Keys: []keyencode.Key{{}}, RowNumbers: 8}
		require.Equal(t, c.want, newTestSorter(t, &job).recordsTie(), c.name)
		mustSort(t, &job)
	}
}
