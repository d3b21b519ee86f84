package main

import (
	"io"
	"testing"

	"github.com/arrowsort/arrowsort/examples/internal/doctest"
)

func TestOutput(t *testing.T) {
	doctest.Check(t, func(w io.Writer) error { return run(t.Context(), w) })
}
