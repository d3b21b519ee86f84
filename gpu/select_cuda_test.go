//go:build cuda && linux && amd64

package gpu

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/engine/enginetest"
)

// TestEngineSelects holds the engine to the suite once more, with the first rows selected among few rows as they are among many.
func TestEngineSelects(t *testing.T) {
	defer func(rows, from int) { launchRows, selectFrom = rows, from }(launchRows, selectFrom)
	launchRows, selectFrom = 1000, 1
	enginetest.TestEngine(t, func(t testing.TB) engine.Engine {
		e, err := Open(Options{})
		require.NoError(t, err, "this test needs a GPU")
		t.Cleanup(func() { require.NoError(t, e.Close()) })
		return e
	})
}
