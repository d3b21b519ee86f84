package repotest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPackagesLinkWithEitherVersionOfParquet builds and runs programs with the Parquet package of one version of
// Arrow. No program has both: they define the same symbols, which the linker refuses, and register the same messages.
func TestPackagesLinkWithEitherVersionOfParquet(t *testing.T) {
	for name, imports := range map[string][]string{
		"v15": {parquet + "/pqarrow"},
		"v18": {pqarrow, module + "/arrowsort/parquetsort"},
	} {
		t.Run(name, func(t *testing.T) {
			source, program := filepath.Join(t.TempDir(), "main.go"), filepath.Join(t.TempDir(), "program.exe")
			imports = append(imports, module+"/arrowsort", module+"/arrowsort/computefn", gpu)
			text := "package main\nimport _ \"" + strings.Join(imports, "\"\nimport _ \"") + "\"\nfunc main() {}\n"
			require.NoError(t, os.WriteFile(source, []byte(text), 0o600))
			build := exec.CommandContext(t.Context(), "go", "build", "-o", program, source)
			build.Dir = root
			out, err := build.CombinedOutput()
			require.NoError(t, err, string(out))
			out, err = exec.CommandContext(t.Context(), program).CombinedOutput()
			require.NoError(t, err, string(out))
		})
	}
}
