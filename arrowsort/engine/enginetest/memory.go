package enginetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/keyencode"
)

// busy is a job that needs everything: several keys of more than 64 bits, strings, nulls, all outputs.
func busy(rows int) *engine.Job {
	job := scenario{
		seed: 12, rows: rows,
		keys: []keySpec{
			{columnSpec: columnSpec{kind: keyencode.Int64, dist: plain[8], nulls: 0.1}},
			{columnSpec: columnSpec{kind: keyencode.Float64, dist: uniform, nulls: 0.1}, order: keyencode.Descending},
		},
		payload: []columnSpec{
			rowID, {kind: keyencode.Binary, dist: uniform, style: 3, nulls: 0.1},
			{kind: keyencode.Bool, dist: uniform, nulls: 0.1},
		},
	}.job()
	return wanting(job, 8, allColumns(job)...)
}

// testMemory lets every single allocation fail, by nil and by a panic.
func testMemory(t *testing.T, e suite) {
	const enough = 10_000 // allocations; no engine should need more
	for _, rows := range e.sizes(30, 3000, 70_000, 300_000) {
		job := busy(rows)
		for _, panics := range []bool{false, true} {
			for failAt := 1; ; failAt++ {
				require.Less(t, failAt, enough, "%d rows: the engine still asks for memory", rows)
				mem := newGuard()
				mem.failAt, mem.panics = failAt, panics
				res, err := e.Sort(t.Context(), job, mem)
				if mem.calls < failAt {
					require.NoError(t, err, "%d rows, no allocation failed", rows)
					res.Release(mem)
					require.NoError(t, mem.check(), "%d rows", rows)
					break
				}
				require.ErrorIs(
					t, err, engine.ErrMemory, "%d rows, allocation %d fails, by panic: %v", rows, failAt, panics,
				)
				require.Nil(t, res, "%d rows, allocation %d fails", rows, failAt)
				require.NoError(t, mem.check(), "%d rows, allocation %d fails, by panic: %v", rows, failAt, panics)
				if failAt > 40 {
					failAt += failAt / 8
				}
			}
		}
	}
}
