//go:build cuda && linux && amd64

package gpu

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/engine/enginetest"
)

// TestEngineSelects holds the engine to the suite once more, with the first rows selected among few rows as they are
// among many.
func TestEngineSelects(t *testing.T) {
	keepThresholds(t)
	thresholds.smallSortRows, thresholds.selectRows = 1000, 1
	enginetest.TestEngine(t, func(t testing.TB) engine.Engine {
		e, err := Open(Options{})
		require.NoError(t, err, "this test needs a GPU")
		t.Cleanup(func() { require.NoError(t, e.Close()) })
		return e
	})
}
