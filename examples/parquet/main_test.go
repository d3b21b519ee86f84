package main

import (
	"io"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/examples/internal/doctest"
)

const flights = "../data/flights.parquet"

func TestOutput(t *testing.T) {
	doctest.Check(t, func(w io.Writer) error {
		return run(t.Context(), w, flights, filepath.Join(t.TempDir(), "sorted.parquet"))
	})
}

func TestSchemaSurvives(t *testing.T) {
	out := filepath.Join(t.TempDir(), "sorted.parquet")
	require.NoError(t, sortFile(t.Context(), flights, out))
	before, err := read(t.Context(), flights)
	require.NoError(t, err)
	defer before.Release()
	after, err := read(t.Context(), out)
	require.NoError(t, err)
	defer after.Release()
	require.Equal(t, before.NumRows(), after.NumRows())
	for i, field := range before.Schema().Fields() {
		require.Equal(t, field.Name, after.Schema().Field(i).Name)
		require.Equal(t, field.Type, after.Schema().Field(i).Type)
	}
}
