package atomicfile

import (
	"io/fs"
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
	f, err := NewTempDir(folder, testPrefix)
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
	f, err := NewTempDir(folder, testPrefix)
	require.NoError(t, err)
	RemoveAbandoned(folder, testPrefix)
	tryLock = lockFile // as on another machine that has the folder
	RemoveAbandoned(folder, testPrefix)
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

// precious is a folder with a file, which nobody may remove.
func precious(t *testing.T) (folder string, check func()) {
	folder = t.TempDir()
	for _, name := range []string{lockName, "run-1.arrows", "secret"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte("precious"), 0o600))
	}
	return folder, func() {
		t.Helper()
		for _, name := range []string{lockName, "run-1.arrows", "secret"} {
			require.FileExists(t, filepath.Join(folder, name))
		}
	}
}

// TestLinksInAFolderOfOthers: what another user puts into a folder for temporary files leads nowhere, neither links in
// the place of folders, of locks and of runs, nor folders of that user. A test that runs as another user than root
// plants links only.
func TestLinksInAFolderOfOthers(t *testing.T) {
	secret, check := precious(t)
	folder := t.TempDir()
	require.NoError(t, os.Chmod(folder, 0o777|os.ModeSticky))
	plant := func(name string, locked bool) string {
		path := filepath.Join(folder, testPrefix+name)
		require.NoError(t, os.Mkdir(path, 0o700))
		if locked {
			require.NoError(t, os.WriteFile(filepath.Join(path, lockName), nil, 0o600))
		}
		return path
	}
	require.NoError(t, os.Symlink(secret, filepath.Join(folder, testPrefix+"link")))
	lock := plant("lock", false)
	require.NoError(t, os.Symlink(filepath.Join(secret, lockName), filepath.Join(lock, lockName)))
	inner := plant("inner-lock", false)
	require.NoError(t, os.WriteFile(filepath.Join(inner, "other"), nil, 0o600))
	require.NoError(t, os.Symlink("other", filepath.Join(inner, lockName)))
	dead := plant("dead", true)
	require.NoError(t, os.Symlink(secret, filepath.Join(dead, "run-1.arrows")))
	require.NoError(t, os.Symlink(filepath.Join(secret, "secret"), filepath.Join(dead, "run-2.arrows")))
	stay := []string{filepath.Join(folder, testPrefix+"link"), lock, inner}
	if os.Geteuid() == 0 {
		const nobody = 65534
		foreign, half := plant("foreign", true), plant("half", true)
		require.NoError(t, os.Chown(foreign, nobody, nobody))
		require.NoError(t, os.Chown(filepath.Join(foreign, lockName), nobody, nobody))
		require.NoError(t, os.Chown(filepath.Join(half, lockName), nobody, nobody))
		stay = append(stay, foreign, half)
	}
	f, err := NewTempDir(folder, testPrefix)
	require.NoError(t, err)
	require.NoError(t, f.Remove())
	require.NoDirExists(t, dead)
	for _, path := range stay {
		_, err := os.Lstat(path)
		require.NoError(t, err)
	}
	check()
}

// TestFolderThatIsReplaced: a link that takes the place of a folder while it is used leads Remove nowhere.
func TestFolderThatIsReplaced(t *testing.T) {
	secret, check := precious(t)
	folder, aside := t.TempDir(), filepath.Join(t.TempDir(), "aside")
	f, err := NewTempDir(folder, testPrefix)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(f.Next(".arrows"), nil, 0o600))
	require.NoError(t, os.Rename(f.path, aside))
	require.NoError(t, os.Symlink(secret, f.path))
	require.ErrorIs(t, f.Remove(), errReplaced)
	check()
	requireEmpty(t, aside)
	require.NoError(t, os.Remove(f.path))

	f, err = NewTempDir(folder, testPrefix) // and while it is locked
	require.NoError(t, err)
	require.NoError(t, f.lock.Close())
	tryLock = func(lock *os.File) error {
		require.NoError(t, os.Remove(aside))
		require.NoError(t, os.Rename(f.path, aside))
		require.NoError(t, os.Symlink(secret, f.path))
		return lockFile(lock)
	}
	defer func() { tryLock = lockFile }()
	RemoveAbandoned(folder, testPrefix)
	check()
}

// TestFoldersThatCannotBeMade: the error names the folder in which, not the name that was tried.
func TestFoldersThatCannotBeMade(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	_, err := NewTempDir(missing, testPrefix)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, "can be made in "+missing+": ")
	require.NotContains(t, err.Error(), testPrefix)

	tried := &fs.PathError{Op: "mkdir", Path: "tried", Err: fs.ErrNotExist}
	err = cannotMake(filepath.Dir(missing), tried)
	require.NotErrorIs(t, err, fs.ErrNotExist)
	require.NotContains(t, err.Error(), "tried")
}
