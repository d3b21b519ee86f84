package cpu_test

import (
	"testing"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/engine/enginetest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu"
)

// TestEngine holds the CPU engine to the suite that every engine passes.
func TestEngine(t *testing.T) {
	enginetest.TestEngine(t, func(testing.TB) engine.Engine { return cpu.New() })
}

// TestEngineNearlySorted holds its ways for nearly sorted rows to the model, with few rows.
func TestEngineNearlySorted(t *testing.T) {
	enginetest.TestNearlySorted(t, 34_000, cpu.NewNearlySorted())
}

// TestEngineEager holds its moves by write combining and its ways for many strings to the same, with fewer rows.
func TestEngineEager(t *testing.T) {
	enginetest.TestEngineBelow(t, 33_500, func(testing.TB) engine.Engine { return cpu.NewEager() })
}
