package arrow18_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	_ "github.com/arrowsort/arrowsort/arrowsort/computefn"
	_ "github.com/arrowsort/arrowsort/arrowsort/parquetsort"
	_ "github.com/arrowsort/arrowsort/gpu"
)

// The program of docs/arrow18.md, which has the Parquet of v18, the core and this package, is built and prints what its
// last comment says. The program of this test has all other packages of the project and the Parquet of v18.
func TestProgramOfTheDocuments(t *testing.T) {
	page, err := os.ReadFile("../../docs/arrow18.md")
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?ms)^```go\n(.*?)^```$").FindAllStringSubmatch(string(page), -1)
	require.Len(t, blocks, 1)
	source, program := filepath.Join(t.TempDir(), "main.go"), filepath.Join(t.TempDir(), "program.exe")
	require.NoError(t, os.WriteFile(source, []byte(blocks[0][1]), 0o600))
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, source).CombinedOutput()
	require.NoError(t, err, string(out))
	out, err = exec.CommandContext(t.Context(), program, "../../examples/data/flights.parquet").CombinedOutput()
	require.NoError(t, err, string(out))
	comments := regexp.MustCompile(`// (\[.*\])`).FindAllStringSubmatch(blocks[0][1], -1)
	require.Equal(t, comments[len(comments)-1][1], strings.TrimSpace(string(out)))
}

// The packages have what they need and no more: not the Parquet and the compute functions of v15, with which those of
// v18 do not link, nor files and engines that they are not asked for. Only the functions of Register need v18's.
func TestImports(t *testing.T) {
	const arrow, project = "github.com/apache/arrow/go/v15/", "github.com/arrowsort/arrowsort/"
	const arrow18 = "github.com/apache/arrow-go/v18/"
	everywhere := []string{arrow + "parquet", arrow + "arrow/compute", arrow + "arrow/flight", arrow18 + "arrow/flight",
		project + "gpu", project + "arrowsort/parquetsort", "github.com/spf13/cobra"}
	for path, unwanted := range map[string][]string{
		".":      {project + "arrowsort/internal/tablefile"},
		"./rows": {project + "arrowsort/internal/tablefile", arrow18 + "arrow/compute", arrow18 + "parquet/file"},
		"./extsort": {project + "arrowsort/internal/tablefile/parquet", arrow18 + "arrow/compute",
			arrow18 + "parquet/file"},
	} {
		out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", path).CombinedOutput()
		require.NoError(t, err, string(out))
		for dependency := range strings.Lines(string(out)) {
			for _, not := range append(unwanted, everywhere...) {
				require.False(t, strings.HasPrefix(dependency, not), "%s imports %s", path, dependency)
			}
		}
	}
}
