package atomicfile

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

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
