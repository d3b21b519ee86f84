//go:build cuda && !standin && linux && amd64

package gpu

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/keyencode"
)

// TestFullDevice sorts on a device whose memory is nearly all taken, as by another program, and once more when it is
// not.
func TestFullDevice(t *testing.T) {
	e := openForTest(t)
	const rows = 20_000_000
	give := fillDevice(t, e, 100<<20)
	requireRowsInOrder(t, e, keyencode.Int64, 100_000)
	_, err := e.Sort(t.Context(), randomJob(goMemory{}, keyencode.Int64, rows, 1), goMemory{})
	require.ErrorIs(t, err, engine.ErrMemory)
	require.NotErrorIs(t, err, ErrDevice)
	require.Regexp(t, `the sort needs at least \d+ bytes, of which it has \d+: .* has \d+, of which \d+ are free`,
		err.Error())
	requireRowsInOrder(t, e, keyencode.Int64, 100_000)
	give()
	requireRowsInOrder(t, e, keyencode.Int64, rows)
}

// fillDevice takes the memory of the device but for some bytes; give gives it back.
func fillDevice(t *testing.T, e *Engine, but int64) (give func()) {
	s := <-e.turn
	defer func() { e.turn <- s }()
	leave, err := s.Enter()
	require.NoError(t, err)
	defer leave()
	free, err := s.FreeMemory()
	require.NoError(t, err)
	taken, err := s.Alloc(int(free - but))
	require.NoError(t, err)
	return func() {
		s := <-e.turn
		defer func() { e.turn <- s }()
		leave, err := s.Enter()
		require.NoError(t, err)
		defer leave()
		require.NoError(t, s.Free(taken))
	}
}
