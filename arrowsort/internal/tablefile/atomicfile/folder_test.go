package atomicfile

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

const testPrefix = "arrowsort-test-"

// TestFoldersOfOthersStay: a folder with the prefix that somebody else made is not taken for one of a killed process,
// whose folder has a lock.
func TestFoldersOfOthersStay(t *testing.T) {
	folder := t.TempDir()
	other, dead := filepath.Join(folder, testPrefix+"2024"), filepath.Join(folder, testPrefix+"2025")
	for _, path := range []string{other, dead} {
		require.NoError(t, os.Mkdir(path, 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(path, "run-1.arrows"), nil, 0o600))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dead, lockName), nil, 0o600))
	empty := filepath.Join(folder, testPrefix+"2026")
	require.NoError(t, os.Mkdir(empty, 0o700))
	f, err := NewFolder(folder, testPrefix)
	require.NoError(t, err)
	require.NoError(t, f.Remove())
	require.FileExists(t, filepath.Join(other, "run-1.arrows"))
	require.NoDirExists(t, dead)
	require.NoDirExists(t, empty)
}

// TestFileSystemWithoutLocks: folders there can be used, and nobody removes them.
func TestFileSystemWithoutLocks(t *testing.T) {
	tryLock = func(*os.File) error { return syscall.ENOSYS }
	defer func() { tryLock = lockFile }()
	folder := t.TempDir()
	f, err := NewFolder(folder, testPrefix)
	require.NoError(t, err)
	RemoveDead(folder, testPrefix)
	tryLock = lockFile // as on another machine that has the folder
	RemoveDead(folder, testPrefix)
	require.DirExists(t, f.path)
	require.NoError(t, f.Remove())
	requireEmpty(t, folder)
}

// TestOutputsOfAKilledProcess are removed by the next output to the folder; those of a process that lives are not.
func TestOutputsOfAKilledProcess(t *testing.T) {
	folder := t.TempDir()
	out := filepath.Join(folder, "out")
	var dead, alive, next Placement
	for _, p := range []*Placement{&dead, &alive} {
		at, err := p.Path(out)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(at, []byte("half"), 0o600))
	}
	require.NoError(t, dead.folders[folder].lock.Close()) // as the system does for a process that ends
	_, err := next.Path(out)
	require.NoError(t, err)
	require.NoDirExists(t, dead.folders[folder].path)
	require.DirExists(t, alive.folders[folder].path)
	alive.Remove()
	next.Remove()
	requireEmpty(t, folder)
}

func requireEmpty(t *testing.T, folder string) {
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Empty(t, entries)
}
