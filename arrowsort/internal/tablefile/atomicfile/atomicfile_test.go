package atomicfile

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// writeFile writes a file and commits it.
func writeFile(t *testing.T, path, content string) {
	t.Helper()
	file, err := Create(t.Context(), path)
	require.NoError(t, err)
	_, err = file.Write([]byte(content))
	require.NoError(t, err)
	require.NoError(t, file.Flush())
	require.NoError(t, file.Commit())
}

// requireOnly requires a file with a content that is alone in its folder.
func requireOnly(t *testing.T, path, content string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, entries, 1)
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, content, string(b))
}

func TestFilesAreCompleteOrRemoved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	require.True(t, Replaces(path))
	file, err := Create(t.Context(), path)
	require.NoError(t, err)
	_, err = file.Write([]byte("new"))
	require.NoError(t, err)
	file.Abort()
	require.NoFileExists(t, path)
	writeFile(t, path, "longer than what replaces it")
	writeFile(t, path, "new")
	requireOnly(t, path, "new")
}

func TestDevicesAreWrittenInPlace(t *testing.T) {
	require.False(t, Replaces(os.DevNull))
	writeFile(t, os.DevNull, "nothing keeps it")
}

func TestCheck(t *testing.T) {
	folder := t.TempDir()
	old := filepath.Join(folder, "old.csv")
	require.NoError(t, os.WriteFile(old, nil, 0o600))
	for _, path := range []string{os.DevNull, old, filepath.Join(folder, "new.csv")} {
		require.NoError(t, Check(path))
	}
	for path, want := range map[string]string{
		folder:                           "is a folder",
		filepath.Join(folder, "no", "x"): "there is no folder " + filepath.Join(folder, "no"),
		filepath.Join(old, "x"):          old,
	} {
		require.ErrorContains(t, Check(path), want)
	}
	require.ErrorIs(t, Check(filepath.Join(folder, "no", "x")), fs.ErrNotExist)
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, entries, 1)
}

// TestCheckAgreesWithTheSystem: some may write to any folder.
func TestCheckAgreesWithTheSystem(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "locked")
	require.NoError(t, os.Mkdir(folder, 0o500))
	err := Check(filepath.Join(folder, "new.csv"))
	file, made := os.Create(filepath.Join(folder, "probe"))
	file.Close()
	require.Equal(t, made == nil, err == nil, "%v, %v", made, err)
}
