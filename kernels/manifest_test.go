package kernels

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestImageIsBuiltFromTheSources fails when a source has changed since the image was built.
func TestImageIsBuiltFromTheSources(t *testing.T) {
	manifest := readManifest(t)
	for _, name := range sources(t, ".cu", ".h") {
		require.Equal(t, manifest.sources[name], hashOf(t, name), "%s has changed: run make kernels", name)
		delete(manifest.sources, name)
	}
	require.Empty(t, manifest.sources, "sources are gone: run make kernels")
	require.Equal(t, manifest.image, hashOf(t, filepath.Join("image", "arrowsort.fatbin")))
	require.NotEmpty(t, manifest.compiler)
	require.NotEmpty(t, manifest.flags)
}

// TestKernelsAreInTheSources compares the list with what the sources define.
func TestKernelsAreInTheSources(t *testing.T) {
	var text strings.Builder
	for _, name := range sources(t, ".cu") {
		b, err := os.ReadFile(name)
		require.NoError(t, err)
		text.Write(b)
	}
	for _, k := range All {
		require.Contains(t, text.String(), "("+k.Name+",", "no source defines kernel %s", k.Name)
	}
}

// sources are the files that the image is built from, of some extensions: those of all folders but the tests'.
func sources(t *testing.T, extensions ...string) (names []string) {
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if name == "emulation" || name == "test" {
			return filepath.SkipDir
		}
		if slices.Contains(extensions, filepath.Ext(name)) {
			names = append(names, filepath.ToSlash(name))
		}
		return err
	})
	require.NoError(t, err)
	require.NotEmpty(t, names)
	return names
}

// manifest is the content of MANIFEST.
type manifest struct {
	compiler, flags, image string
	sources                map[string]string // hashes by name
}

func readManifest(t *testing.T) manifest {
	text, err := os.ReadFile("MANIFEST")
	require.NoError(t, err)
	m := manifest{sources: map[string]string{}}
	for line := range strings.Lines(string(text)) {
		what, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch what {
		case "compiler":
			m.compiler = rest
		case "flags":
			m.flags = rest
		case "source":
			hash, name, _ := strings.Cut(rest, "  ")
			m.sources[name] = hash
		case "image":
			m.image = rest
		default:
			t.Fatalf("MANIFEST: %q", line)
		}
	}
	return m
}

func hashOf(t *testing.T, name string) string {
	b, err := os.ReadFile(name)
	require.NoError(t, err)
	return fmt.Sprintf("%x", sha256.Sum256(b))
}
