//go:build cuda && linux && amd64

package gpu

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/engine/enginetest"
	"github.com/arrowsort/arrowsort/gpu/internal/argsort"
	"github.com/arrowsort/arrowsort/gpu/internal/device"
	"github.com/arrowsort/arrowsort/gpu/internal/keys"
	"github.com/arrowsort/arrowsort/gpu/internal/tuning"
	"github.com/arrowsort/arrowsort/keyencode"
)

// TestEngineWithoutSmallSorts runs the suite with few rows sorted as many are.
func TestEngineWithoutSmallSorts(t *testing.T) {
	enginetest.TestEngine(t, func(t testing.TB) engine.Engine {
		return openForTest(t, func(t *tuning.Table) {
			t.SmallSortRows, t.KeysRows, t.RangesRows, t.LargeSampleRows = 0, 0, 0, 0
		})
	})
}

// BenchmarkSmallSort sorts few rows of a column on the device, one sort after another.
func BenchmarkSmallSort(b *testing.B) {
	e := openForBenchmark(b)
	for _, kind := range []keyencode.Kind{keyencode.Uint32, keyencode.Int64, keyencode.Float64} {
		for _, rows := range []int{1000, 4000, 10_000, 1 << 16} {
			name := fmt.Sprintf("kind=%d/rows=%d", kind, rows)
			b.Run(name, func(b *testing.B) { benchmarkSmallSort(b, e, kind, rows) })
		}
	}
}

func benchmarkSmallSort(b *testing.B, e *Engine, kind keyencode.Kind, rows int) {
	job := randomJob(goMemory{}, kind, rows, 1)
	session := <-e.turn
	defer func() { e.turn <- session }()
	leave, err := session.Enter()
	require.NoError(b, err)
	defer leave()
	t := device.NewTask(b.Context(), session, 0)
	defer t.End()
	columns := keys.NewColumns(t, job, nil, nil)
	columns.Column(0)
	require.NoError(b, t.Wait())
	for b.Loop() {
		order, _ := argsort.Run(columns, func() {})
		require.NoError(b, t.Wait())
		t.Free(order)
		t.Arguments.Reset()
	}
}
