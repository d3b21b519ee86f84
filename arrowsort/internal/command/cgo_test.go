package command

import (
	"debug/buildinfo"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/internal/testrun"
)

// TestDocumentedBuildsAreWithoutCgo, as SECURITY.md promises.
func TestDocumentedBuildsAreWithoutCgo(t *testing.T) {
	for name, want := range map[string]string{
		"README.md":        "\nCGO_ENABLED=0 go install github.com/arrowsort/arrowsort/arrowsort/cmd/arrowsort@",
		"Containerfile":    "\nRUN CGO_ENABLED=0 go build ",
		".goreleaser.yaml": "\n    goarch: [amd64, arm64]\n    env: [CGO_ENABLED=0]\n",
	} {
		text := readFile(t, filepath.Join("..", "..", "..", name))
		require.Contains(t, string(text), want, name)
		for line := range strings.Lines(string(text)) {
			if strings.Contains(line, "go install ") || strings.Contains(line, "go build ") {
				require.Contains(t, line, "CGO_ENABLED=0", name)
			}
		}
	}
}

// TestOnlyGoItselfUsesCgo: where cgo is on, no package but those of Go's standard library has files of it.
func TestOnlyGoItselfUsesCgo(t *testing.T) {
	list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f",
		"{{if and .CgoFiles (not .Standard)}}{{.ImportPath}}{{end}}", ".")
	list.Env = append(os.Environ(), "CGO_ENABLED=1")
	packages, err := list.Output()
	require.NoError(t, err)
	require.Empty(t, strings.Fields(string(packages)))
}

// TestBuildWithoutCgo is what `go version -m` shows of the command, which is a static program on Linux. .ci/images
// looks at the one of Containerfile each time.
func TestBuildWithoutCgo(t *testing.T) {
	if !testrun.Long() {
		return // everything that imports net is compiled anew
	}
	path := filepath.Join(t.TempDir(), "arrowsort")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", path, "../../cmd/arrowsort")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	info, err := buildinfo.ReadFile(path)
	require.NoError(t, err)
	require.Contains(t, info.Settings, debug.BuildSetting{Key: "CGO_ENABLED", Value: "0"})
	if runtime.GOOS == "linux" {
		file, err := elf.Open(path)
		require.NoError(t, err)
		defer file.Close()
		libraries, err := file.ImportedLibraries()
		require.NoError(t, err)
		require.Empty(t, libraries)
	}
}
