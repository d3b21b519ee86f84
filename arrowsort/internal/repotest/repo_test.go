package repotest

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// root is the repository, seen from the folder that go test runs this package in.
const root = "../../.."

// A source is a text file of the repository.
type source struct {
	path string // from the repository's root, with slashes
	text string
}

// sources reads all text files of the repository: what is in version control, not what is built or installed in it.
func sources(t *testing.T) []source {
	var all []source
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			hidden := strings.HasPrefix(name, ".") && path != root && name != ".ci"
			if hidden || slices.Contains([]string{"build", "__pycache__", "results"}, name) {
				return fs.SkipDir
			}
			return nil
		}
		// In a git worktree .git is a file with the path of the repository.
		if name == ".git" || slices.Contains([]string{".parquet", ".test", ".prof"}, filepath.Ext(name)) {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil || bytes.IndexByte(text, 0) >= 0 {
			return err
		}
		from, err := filepath.Rel(root, path)
		all = append(all, source{filepath.ToSlash(from), string(text)})
		return err
	})
	require.NoError(t, err)
	require.NotEmpty(t, all)
	return all
}

// withSuffix keeps the files whose path ends so.
func withSuffix(all []source, suffix string) []source {
	return slices.DeleteFunc(slices.Clone(all), func(s source) bool { return !strings.HasSuffix(s.path, suffix) })
}
