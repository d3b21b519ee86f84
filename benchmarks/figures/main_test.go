package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestChartsAreThoseOfTheResults fails when results have changed and make figures has not been run.
func TestChartsAreThoseOfTheResults(t *testing.T) {
	root := filepath.Join("..", "..")
	for _, c := range charts {
		want, err := c.svg(root)
		require.NoError(t, err)
		is, err := os.ReadFile(filepath.Join(root, c.path))
		require.NoError(t, err)
		require.Equal(t, string(want), string(is), "%s: run make figures", c.path)
	}
}

func TestBestIsTheFastestWay(t *testing.T) {
	var r comparison
	require.NoError(t, json.Unmarshal([]byte(`{"Jobs": {"w": [
		{"engine": "polars", "variant": "sort", "median": 0.8},
		{"engine": "polars", "variant": "stable", "median": 0.9},
		{"engine": "duckdb", "median": 1.5, "inner": 1.25},
		{"engine": "pyarrow", "error": "killed", "median": 1}
	]}}`), &r))
	require.Equal(t, 0.8, r.best("w", "polars"))
	require.Equal(t, 1.25, r.best("w", "duckdb"))
	require.Zero(t, r.best("w", "pyarrow"))
	require.Zero(t, r.best("w", "datafusion"))
}

func TestResultsWithoutAJobAreAnError(t *testing.T) {
	for results, want := range map[string]string{
		`{"Jobs": {"w": [{"engine": "polars", "median": 1}]}}`: "no time of arrowsort for job w",
		`{"Jobs": {}}`: "no job was measured",
	} {
		_, err := drawReadme(strings.NewReader(results))
		require.ErrorContains(t, err, want)
	}
	_, err := drawGPU(strings.NewReader("u32 uniform    2^28   2.00 x   2.04 x   3.7 ms\n"))
	require.ErrorContains(t, err, "no line about i64 five values")
}
