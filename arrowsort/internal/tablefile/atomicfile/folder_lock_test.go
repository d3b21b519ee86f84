package atomicfile

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOneTreeAtATime is written to a folder: another one is an error that says by which process, until the first one is
// in its place or given up. No lock stays.
func TestOneTreeAtATime(t *testing.T) {
	for _, replace := range []bool{false, true} {
		out := t.TempDir()
		first := treeOf(t, out, replace, "a=1")
		for range 2 {
			_, err := NewTree(out+"/", replace)
			require.ErrorContains(t, err, out+": another sort writes to the folder: ")
			require.ErrorContains(t, err, fmt.Sprintf("process %d on ", os.Getpid()))
		}
		require.NoError(t, first.Place())
		_, err := NewTree(out, replace)
		require.ErrorContains(t, err, "another sort writes to the folder", "it may still move folders back")
		first.Remove()
		second := treeOf(t, out, replace, "a=2")
		require.NoError(t, second.Place())
		second.Remove()
		require.Equal(t, map[string]string{"a=1/file": "new", "a=2/file": "new"}, filesBelow(t, out))
	}
}

// TestLockOfAKilledProcess is taken over, whatever is in it, and a folder on a file system without locks is written to.
func TestLockOfAKilledProcess(t *testing.T) {
	out := t.TempDir()
	path := filepath.Join(out, folderLockName)
	longer := " process 1 on a host with a very long name that is longer than most, since a long time"
	require.NoError(t, os.WriteFile(path, []byte(longer), 0o600))
	tree := treeOf(t, out, true)
	holder := holderOf(tree.temp.around.file)
	require.Regexp(t, fmt.Sprintf(`^process %d on .*, since [0-9-]+ [0-9:]+$`, os.Getpid()), holder)
	tree.Remove()
	requireEmpty(t, out)

	defer func() { tryLock = lockFile }()
	tryLock = func(*os.File) error { return syscall.ENOSYS }
	tree = treeOf(t, out, true, "a=1")
	require.NoError(t, tree.Place())
	tree.Remove()
	require.Equal(t, map[string]string{"a=1/file": "new"}, filesBelow(t, out))
}

// TestLockThatIsALink leads nowhere.
func TestLockThatIsALink(t *testing.T) {
	out, secret := t.TempDir(), filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(secret, []byte("precious"), 0o600))
	for _, target := range []string{secret, "inside"} {
		require.NoError(t, os.Symlink(target, filepath.Join(out, folderLockName)))
		_, err := NewTree(out, true)
		require.Error(t, err)
		require.NoError(t, os.Remove(filepath.Join(out, folderLockName)))
	}
	b, err := os.ReadFile(secret)
	require.NoError(t, err)
	require.Equal(t, "precious", string(b))
}

// TestLockThatIsRemovedMeanwhile: a file that its holder removes after another process has opened it is no lock.
func TestLockThatIsRemovedMeanwhile(t *testing.T) {
	out, attempts := t.TempDir(), 0
	defer func() { tryLock = lockFile }()
	tryLock = func(file *os.File) error {
		if attempts++; attempts == 1 {
			require.NoError(t, os.Remove(filepath.Join(out, folderLockName)))
		}
		return lockFile(file)
	}
	lock, err := lockFolder(out)
	require.NoError(t, err)
	require.Equal(t, 2, attempts)
	lock.release()
	lock.release()
	requireEmpty(t, out)
}
