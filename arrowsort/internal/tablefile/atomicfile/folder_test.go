package parquetsort

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFoldersOfOthersStay: a folder with the prefix that somebody else made is not taken for one of a killed process,
// whose folder has a lock.
func TestFoldersOfOthersStay(t *testing.T) {
	folder := t.TempDir()
	other, dead := filepath.Join(folder, spillPrefix+"2024"), filepath.Join(folder, spillPrefix+"2025")
	for _, path := range []string{other, dead} {
		require.NoError(t, os.Mkdir(path, 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(path, "run-1.arrows"), nil, 0o600))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dead, lockName), nil, 0o600))
	empty := filepath.Join(folder, spillPrefix+"2026")
	require.NoError(t, os.Mkdir(empty, 0o700))
	f, err := newLockedFolder(folder, spillPrefix)
	require.NoError(t, err)
	require.NoError(t, f.remove())
	require.FileExists(t, filepath.Join(other, "run-1.arrows"))
	require.NoDirExists(t, dead)
	require.NoDirExists(t, empty)
}

// TestFileSystemWithoutLocks: folders there can be used, and nobody removes them.
func TestFileSystemWithoutLocks(t *testing.T) {
	tryLock = func(*os.File) error { return syscall.ENOSYS }
	defer func() { tryLock = lockFile }()
	folder := t.TempDir()
	f, err := newLockedFolder(folder, spillPrefix)
	require.NoError(t, err)
	removeDead(folder, spillPrefix)
	tryLock = lockFile // as on another machine that has the folder
	removeDead(folder, spillPrefix)
	require.DirExists(t, f.path)
	require.NoError(t, f.remove())
	requireEmpty(t, folder)
}
