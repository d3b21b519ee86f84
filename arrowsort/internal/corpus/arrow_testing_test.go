package corpus

import (
	_ "embed"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
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

// TestRead reads every file: names, types and values are those that the writer says.
func TestRead(t *testing.T) {
	for _, file := range Files(t) {
		t.Run(file.Name, func(t *testing.T) {
			in, err := tablefile.Read(t.Context(), file.Path, tablefile.ReadOptions{})
			if file.Unsupported() {
				require.ErrorIs(t, err, tablefile.ErrUnsupported)
				require.ErrorContains(t, err, "not supported")
				require.ErrorContains(t, err, `"column"`)
				return
			}
			require.NoError(t, err)
			defer in.Table.Release()
			require.EqualValues(t, len(file.Columns), in.Table.NumCols())
			for i, want := range file.Columns {
				field := in.Schema.Field(i)
				require.Equal(t, want.Name, field.Name)
				require.Equal(t, want.Type, TypeName(field), want.Name)
				values := append([]string{}, arrowtest.Values(in.Table.Column(i).Data())...)
				require.Equal(t, want.Values, values, want.Name)
			}
		})
	}
}
