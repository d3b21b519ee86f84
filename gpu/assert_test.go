//go:build assert && cuda && linux && amd64

package gpu

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/gpu/internal/device"
	"github.com/arrowsort/arrowsort/internal/buffers"
)

// TestAssertPermutation: row numbers that no order has end the sort.
func TestAssertPermutation(t *testing.T) {
	for _, c := range []struct {
		rows  []uint32
		limit int
		want  string
	}{
		{[]uint32{2, 0, 3, 1}, 0, ""},
		{[]uint32{2, 0}, 2, ""},
		{[]uint32{2, 0, 2, 1}, 0, "1 of 4 row numbers are repeated or not below 4, the first at position "},
		{[]uint32{2, 0, 3, 4}, 0, "1 of 4 row numbers are repeated or not below 4, the first at position 3"},
		{[]uint32{2, 1 << 31}, 2, "1 of 2 row numbers are repeated or not below 4, the first at position 1"},
	} {
		err := assertRows(t, openForTest(t), &engine.Job{Rows: 4, Limit: c.limit}, c.rows)
		if c.want == "" {
			require.NoError(t, err, "%v", c.rows)
		} else {
			require.ErrorContains(t, err, c.want, "%v", c.rows)
		}
	}
}

// assertRows asserts row numbers as if they were those of a job.
func assertRows(t *testing.T, e *Engine, job *engine.Job, rows []uint32) error {
	s := <-e.turn
	defer func() { e.turn <- s }()
	leave, err := s.Enter()
	require.NoError(t, err)
	defer leave()
	k := device.NewTask(t.Context(), s, 1)
	defer k.End()
	p := k.Alloc(4 * len(rows))
	k.Upload(p, buffers.Bytes(rows))
	k.AssertPermutation(p, job.Out(), job.Rows)
	return k.Err
}
