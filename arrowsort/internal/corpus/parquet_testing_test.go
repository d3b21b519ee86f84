package corpus

import (
	_ "embed"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

//go:embed parquet_testing.txt
var parquetTesting string

// parquetTestingFolder is the environment variable with the folder of a checkout of apache/parquet-testing, or of some
// of its files.
const parquetTestingFolder = "ARROWSORT_PARQUET_TESTING"

// TestParquetTesting checks the form of the list of apache/parquet-testing and, where there is a checkout, that each of
// its files is read or refused as the first line with its name has it.
func TestParquetTesting(t *testing.T) {
	checkout := os.Getenv(parquetTestingFolder)
	listed := map[string]string{} // the patterns and, in a checkout, the files, with what is expected of them
	for line := range strings.Lines(parquetTesting) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		parts := strings.Split(line, " | ")
		require.Len(t, parts, 3, line)
		words, refused := strings.CutPrefix(parts[1], "refused: ")
		require.True(t, refused && words != "" || parts[1] == "read" || parts[1] == "either", line)
		names := strings.Fields(parts[2])
		if last := len(names) - 1; last > 0 && names[last] == "*" { // it was checked
			names = names[:last]
		}
		for _, name := range names {
			pattern := filepath.Join(filepath.FromSlash(parts[0]), name)
			require.NotContains(t, listed, pattern, "it is listed twice")
			listed[pattern] = parts[1]
			if checkout != "" {
				requireParquet(t, filepath.Join(checkout, pattern), parts[1], listed)
			}
		}
	}
	require.Greater(t, len(listed), 100)
	if checkout != "" {
		requireAllListed(t, checkout, listed)
	}
}

// requireParquet reads the files of a pattern that are not listed yet.
func requireParquet(t *testing.T, pattern, expected string, listed map[string]string) {
	if !strings.HasSuffix(pattern, ".encrypted") {
		pattern += ".parquet"
	}
	paths, err := filepath.Glob(pattern)
	require.NoError(t, err)
	for _, path := range paths {
		if _, before := listed[path]; before {
			continue
		}
		listed[path] = expected
		in, err := tablefile.Read(t.Context(), path, tablefile.ReadOptions{Format: tablefile.Parquet})
		if err == nil {
			in.Table.Release()
		}
		words, refused := strings.CutPrefix(expected, "refused: ")
		switch {
		case refused:
			require.ErrorContains(t, err, words, path)
		case expected == "read":
			require.NoError(t, err, path)
		case err != nil:
			require.NotContains(t, err.Error(), "runtime error", path)
		}
	}
}

// requireAllListed makes sure that all files of a checkout are in the list.
func requireAllListed(t *testing.T, checkout string, listed map[string]string) {
	for _, depth := range []string{"*", "*/*"} {
		for _, extension := range []string{".parquet", ".encrypted"} {
			paths, err := filepath.Glob(filepath.Join(checkout, depth, "*"+extension))
			require.NoError(t, err)
			for _, path := range paths {
				require.Contains(t, listed, path, "it is not listed")
			}
		}
	}
}
