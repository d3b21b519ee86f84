package cpu_test

import (
	"testing"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/engine/enginetest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu"
)

func TestConformance(t *testing.T) {
	enginetest.TestEngine(t, func(testing.TB) engine.Engine { return cpu.New() })
}
