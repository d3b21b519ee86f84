package valuesort

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/keyencode"
)

// TestApplies: the only column is the only key, nothing else is wanted, and equal values have equal bits.
func TestApplies(t *testing.T) {
	job := func(kind keyencode.Kind, change func(*engine.Job)) *engine.Job {
		j := &engine.Job{Rows: 10, Columns: []keyencode.Column{{Kind: kind}, {Kind: kind}},
			Keys: []keyencode.Key{{Column: 1}}, Gather: []int{1}}
		change(j)
		return j
	}
	as := func(*engine.Job) {}
	for kind := range keyencode.Dictionary64 + 1 {
		want := kind == keyencode.Int32 || kind == keyencode.Uint32 || kind == keyencode.Int64 ||
			kind == keyencode.Uint64
		require.Equal(t, want, Applies(job(kind, as)), "kind %d", kind)
	}
	for name, change := range map[string]func(*engine.Job){
		"descending":    func(j *engine.Job) { j.Keys[0].Order = keyencode.Descending },
		"nulls first":   func(j *engine.Job) { j.Keys[0].Nulls = keyencode.NullsAtStart },
		"a limit of 10": func(j *engine.Job) { j.Limit = 10 },
	} {
		require.True(t, Applies(job(keyencode.Int64, change)), name)
	}
	for name, change := range map[string]func(*engine.Job){
		"another column": func(j *engine.Job) { j.Gather = []int{0} },
		"two columns":    func(j *engine.Job) { j.Gather = []int{1, 0} },
		"the key twice":  func(j *engine.Job) { j.Gather = []int{1, 1} },
		"no column":      func(j *engine.Job) { j.Gather = nil },
		"two keys":       func(j *engine.Job) { j.Keys = append(j.Keys, keyencode.Key{}) },
		"no key":         func(j *engine.Job) { j.Keys = nil },
		"row numbers":    func(j *engine.Job) { j.RowNumbers = 4 },
		"a limit":        func(j *engine.Job) { j.Limit = 9 },
		"a plan":         func(j *engine.Job) { j.Plan = true },
	} {
		require.False(t, Applies(job(keyencode.Int64, change)), name)
	}
}
