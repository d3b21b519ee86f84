//go:build cuda && linux && amd64

package gpu

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/engine/enginetest"
	"github.com/arrowsort/arrowsort/keyencode"
)

// TestSplitHeavy sorts columns most of whose rows are null, of numbers of rows for which the stand-in splits heavy
// values.
func TestSplitHeavy(t *testing.T) {
	e := openForTest(t)
	e.tuning.SmallSortRows = 0
	for _, kind := range []keyencode.Kind{keyencode.Uint32, keyencode.Uint64} {
		for i, rows := range []int{5, 60, 2_050, 35_005, 40_005} {
			for range 2 { // counts must be clear for the second sort
				checkNumbers(t, e, "mostly null", rows, mostlyNull(kind).in(i))
			}
		}
	}
}

// TestSplitHeavyIsCancelled cancels a sort at every point where it asks, and sorts again: what a kernel was to clear is
// clear.
func TestSplitHeavyIsCancelled(t *testing.T) {
	e := openForTest(t)
	e.tuning.SmallSortRows = 0
	job := &engine.Job{Rows: 35_005, RowNumbers: 4, Keys: []keyencode.Key{{}},
		Columns: []keyencode.Column{mostlyNull(keyencode.Uint32).column(35_005)}}
	for asked := 0; ; asked++ {
		_, err := e.Sort(newAskedContext(t.Context(), asked), job, goMemory{})
		enginetest.CheckOrder(t, e, job, "after a sort that was cancelled when it had asked %d times", asked)
		if err == nil {
			require.Greater(t, asked, 5)
			return
		}
		require.ErrorIs(t, err, context.Canceled)
	}
}

// An askedContext is cancelled when its error has been requested a given number of times.
type askedContext struct {
	context.Context
	left atomic.Int64
}

func newAskedContext(ctx context.Context, times int) *askedContext {
	c := &askedContext{Context: ctx}
	c.left.Store(int64(times))
	return c
}

func (c *askedContext) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// mostlyNull is a column most of whose rows are null.
func mostlyNull(kind keyencode.Kind) numberKey {
	return numberKey{kind: kind, value: func(row int) uint64 { return mix(uint64(row)) >> (32 + row%30) },
		null: func(row int) bool { return row%4 != 1 }}
}
