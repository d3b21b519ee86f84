package kernels

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
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

// TestIncludesGoDown compares the folders, and which others each of them includes, with the table of docs/gpu.md.
func TestIncludesGoDown(t *testing.T) {
	include := regexp.MustCompile(`(?m)^#include "([a-z]+)/`)
	includes := map[string][]string{} // by folder
	for _, name := range sources(t, ".cu", ".h") {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		from := path.Dir(name)
		list := includes[from]
		for _, match := range include.FindAllStringSubmatch(string(text), -1) {
			if to := match[1]; to != from && to != "common" && to != "emulation" && !slices.Contains(list, to) {
				list = append(list, to)
			}
		}
		includes[from] = list
	}
	delete(includes, ".") // arrowsort.cu includes all

	docs, err := os.ReadFile(filepath.Join("..", "docs", "gpu.md"))
	require.NoError(t, err)
	_, table, _ := strings.Cut(string(docs), "| folder | has | includes |\n|---|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	name := regexp.MustCompile("[a-z]+")
	var above []string
	for row := range strings.Lines(table) {
		cells := strings.Split(row, "|")
		folder, named := name.FindString(cells[1]), name.FindAllString(cells[3], -1)
		require.ElementsMatch(t, named, includes[folder], "what %s includes", folder)
		require.Subset(t, above, named, "%s includes a folder below it", folder)
		above = append(above, folder)
	}
	require.ElementsMatch(t, slices.Collect(maps.Keys(includes)), above)
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
