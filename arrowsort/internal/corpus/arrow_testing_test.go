package corpus

import (
	_ "embed"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

//go:embed arrow_testing.txt
var arrowTesting string

// arrowTestingFolder is the environment variable with the folder of a checkout of apache/arrow-testing.
const arrowTestingFolder = "ARROWSORT_ARROW_TESTING"

// TestArrowTesting checks the form of the list of apache/arrow-testing and, where there is a checkout, that each of its
// files is read or refused as the list has it.
func TestArrowTesting(t *testing.T) {
	checkout := os.Getenv(arrowTestingFolder)
	seen := map[string]bool{}
	for line := range strings.Lines(arrowTesting) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		parts := strings.Split(line, " | ")
		require.Len(t, parts, 3, line)
		refused, isRefused := strings.CutPrefix(parts[1], "refused: ")
		require.True(t, isRefused && refused != "" || parts[1] == "read", line)
		for _, name := range strings.Fields(parts[2]) {
			file := parts[0] + "/generated_" + name
			require.False(t, seen[file], "%s is listed twice", file)
			seen[file] = true
			if checkout != "" {
				folder := filepath.Join(checkout, "data", "arrow-ipc-stream", "integration")
				requireOutcome(t, filepath.Join(folder, filepath.FromSlash(file)), refused)
			}
		}
	}
	require.Greater(t, len(seen), 80)
	if checkout != "" {
		requireListed(t, filepath.Join(checkout, "data", "arrow-ipc-stream", "integration"), seen)
		requireCalm(t, filepath.Join(checkout, "data", "arrow-ipc-*", "*fuzz*"))
	}
}

// requireOutcome reads a file and a stream, which are refused with some words, or read when there are none.
func requireOutcome(t *testing.T, path, refused string) {
	for extension, format := range arrowFormats {
		in, err := tablefile.Read(t.Context(), path+extension, tablefile.ReadOptions{Format: format})
		if refused != "" {
			require.ErrorIs(t, err, tablefile.ErrUnsupported)
			require.ErrorContains(t, err, refused)
			continue
		}
		require.NoError(t, err)
		in.Table.Release()
	}
}

var arrowFormats = map[string]tablefile.Format{".arrow_file": tablefile.IPCFile, ".stream": tablefile.IPCStream}

// requireListed makes sure that all files of the checkout are in the list.
func requireListed(t *testing.T, folder string, listed map[string]bool) {
	paths, err := filepath.Glob(filepath.Join(folder, "*", "*.stream"))
	require.NoError(t, err)
	for _, path := range paths {
		name, err := filepath.Rel(folder, strings.TrimSuffix(path, ".stream"))
		require.NoError(t, err)
		require.True(t, listed[filepath.ToSlash(name)], "%s is not listed", path)
	}
}

// requireCalm reads damaged files: an error or a table, no panic.
func requireCalm(t *testing.T, pattern string) {
	paths, err := filepath.Glob(pattern)
	require.NoError(t, err)
	slices.Sort(paths)
	for _, path := range paths {
		for _, format := range arrowFormats {
			in, err := tablefile.Read(t.Context(), path, tablefile.ReadOptions{Format: format})
			if err == nil {
				in.Table.Release()
			}
		}
	}
}
