//go:build cuda && linux && amd64

package gpu

import (
	"testing"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/engine/enginetest"
	"github.com/arrowsort/arrowsort/gpu/internal/tuning"
)

// TestEngineSelects holds the engine to the suite once more, with the first rows selected among few rows as they are
// among many.
func TestEngineSelects(t *testing.T) {
	enginetest.TestEngine(t, func(t testing.TB) engine.Engine {
		return openForTest(t, func(t *tuning.Table) { t.SmallSortRows, t.SelectRows = 1000, 1 })
	})
}
