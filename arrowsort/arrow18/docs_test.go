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

// The package has what it needs and no more: not the Parquet and the compute functions of v15, with which those of v18
// do not link, nor files and engines that it is not asked for.
func TestImports(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").CombinedOutput()
	require.NoError(t, err, string(out))
	for path := range strings.Lines(string(out)) {
		for _, unwanted := range []string{
			"github.com/apache/arrow/go/v15/parquet", "github.com/apache/arrow/go/v15/arrow/compute",
			"github.com/apache/arrow/go/v15/arrow/flight", "github.com/apache/arrow-go/v18/arrow/flight",
			"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile", "github.com/arrowsort/arrowsort/gpu",
			"github.com/spf13/cobra",
		} {
			require.False(t, strings.HasPrefix(path, unwanted), path)
		}
	}
}
