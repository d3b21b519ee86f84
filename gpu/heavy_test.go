//go:build cuda && linux && amd64

package gpu

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/keyencode"
)

// TestSplitHeavy sorts columns most of whose rows are null, of numbers of rows for which the stand-in splits heavy
// values.
func TestSplitHeavy(t *testing.T) {
	e := openForTest(t)
	keepThresholds(t)
	thresholds.smallSortRows = 0
	for _, kind := range []keyencode.Kind{keyencode.Uint32, keyencode.Uint64} {
		for i, rows := range []int{5, 60, 2_050, 35_005, 40_005} {
			key := keyencode.Key{Order: keyencode.Order(i % 2), Nulls: keyencode.NullPlacement(i / 2 % 2)}
			column, order := mostlyNull(kind, rows, key)
			job := &engine.Job{Rows: rows, RowNumbers: 4, Keys: []keyencode.Key{key},
				Columns: []keyencode.Column{column}}
			for range 2 { // counts must be clear for the second sort
				requireOrder(t, e, job, order, fmt.Sprintf("kind %d, %d rows", kind, rows))
			}
		}
	}
}

// TestSplitHeavyIsCancelled cancels a sort at every point where it asks, and sorts again: what a kernel was to clear is
// clear.
func TestSplitHeavyIsCancelled(t *testing.T) {
	e := openForTest(t)
	keepThresholds(t)
	thresholds.smallSortRows = 0
	column, order := mostlyNull(keyencode.Uint32, 35_005, keyencode.Key{})
	job := &engine.Job{Rows: 35_005, RowNumbers: 4, Keys: []keyencode.Key{{}}, Columns: []keyencode.Column{column}}
	for asked := 0; ; asked++ {
		_, err := e.Sort(&askedContext{t.Context(), asked}, job, goMemory{})
		requireOrder(t, e, job, order, fmt.Sprintf("behind a sort that was cancelled when it had asked %d times",
			asked))
		if err == nil {
			require.Greater(t, asked, 5)
			return
		}
		require.ErrorIs(t, err, context.Canceled)
	}
}

// askedContext is cancelled when its error has been requested a given number of times.
type askedContext struct {
	context.Context
	left int
}

func (c *askedContext) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// mostlyNull makes a column, and the order of its rows by it.
func mostlyNull(kind keyencode.Kind, rows int, key keyencode.Key) (c keyencode.Column, order []uint32) {
	const null = -1
	r := rand.New(rand.NewPCG(uint64(rows), uint64(kind)))
	chunk := keyencode.Chunk{Rows: rows, Validity: make([]byte, (rows+7)/8)}
	numbers := make([]int, rows)
	for i := range numbers {
		numbers[i] = null
		value := r.Uint32() >> (i % 30)
		if i%4 == 1 {
			numbers[i] = int(value)
			chunk.Validity[i/8] |= 1 << (i % 8)
		}
		chunk.Values = binary.LittleEndian.AppendUint32(chunk.Values, value)
		if kind == keyencode.Uint64 {
			chunk.Values = append(chunk.Values, 0, 0, 0, 0)
		}
		order = append(order, uint32(i))
	}
	slices.SortStableFunc(order, func(a, b uint32) int {
		x, y := numbers[a], numbers[b]
		switch {
		case x != null && y != null && key.Order == keyencode.Descending:
			return y - x
		case x == null && y == null, x != null && y != null:
			return x - y
		case (x == null) == (key.Nulls == keyencode.NullsAtStart):
			return -1
		default:
			return 1
		}
	})
	return keyencode.Column{Kind: kind, Chunks: []keyencode.Chunk{chunk}}, order
}
