package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// treeOf makes folders with a file each in a new tree.
func treeOf(t *testing.T, output string, replace bool, folders ...string) *Tree {
	tree, err := NewTree(output, replace)
	require.NoError(t, err)
	for _, name := range folders {
		at, err := tree.Folder(name)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(at, "file"), []byte("new"), 0o600))
	}
	require.NoError(t, tree.Sync(2))
	return tree
}

// dies drops the locks of a tree, as the system does for a process that ends.
func dies(t *testing.T, tree *Tree) {
	tree.temp.lock.Close() // which Place may have done
	if around := tree.temp.around; around != nil {
		require.NoError(t, around.file.Close())
	}
}

// filesBelow are the files below a folder, and what is in them.
func filesBelow(t *testing.T, root string) map[string]string {
	found := map[string]string{}
	require.NoError(t, filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		found[path[len(root)+1:]] = string(b)
		return err
	}))
	return found
}

// TestTreeIsThereAtOnce: a folder that was not there appears with all that is in it, by one change.
func TestTreeIsThereAtOnce(t *testing.T) {
	parent := t.TempDir()
	out := filepath.Join(parent, "out")
	tree := treeOf(t, out+"/", false, "a=1/b=1", "a=1/b=2", "a=2/b=1")
	require.NoDirExists(t, out)
	changes := 0
	BeforeChange = func() { changes++ }
	defer func() { BeforeChange = func() {} }()
	require.NoError(t, tree.Place())
	require.Equal(t, 1, changes)
	tree.Remove()
	require.Equal(t, map[string]string{"out/a=1/b=1/file": "new", "out/a=1/b=2/file": "new", "out/a=2/b=1/file": "new"},
		filesBelow(t, parent))
}

// TestTreeInAFolder: folders replace those of the same names, and no others. An error at any change leaves the folder
// as it was, and so does an abandoned tree. When even that fails, what was replaced is kept.
func TestTreeInAFolder(t *testing.T) {
	defer func() { rename = os.Rename }()
	for _, failures := range []int{1, 100} {
		for at, failed := 1, true; failed; at++ {
			out := t.TempDir()
			for _, name := range []string{"a=1/b=1", "a=1/b=9", "a=8/b=1"} {
				require.NoError(t, os.MkdirAll(filepath.Join(out, name), 0o700))
				require.NoError(t, os.WriteFile(filepath.Join(out, name, "old"), []byte("old"), 0o600))
			}
			before := filesBelow(t, out)
			tree := treeOf(t, out, true, "a=1/b=1", "a=1/b=2", "a=7/b=1")
			moves := 0
			failed = false
			rename = func(from, to string) error {
				if moves++; moves >= at && moves < at+failures {
					failed = true
					return &os.LinkError{Op: "rename", Old: from, New: to, Err: fs.ErrPermission}
				}
				return os.Rename(from, to)
			}
			err := tree.Place()
			tree.Remove()
			found := filesBelow(t, out)
			switch {
			case !failed:
				require.NoError(t, err)
				require.Equal(t, map[string]string{"a=1/b=1/file": "new", "a=1/b=2/file": "new", "a=7/b=1/file": "new",
					"a=1/b=9/old": "old", "a=8/b=1/old": "old"}, found)
				require.Equal(t, 5, at, "the changes of two new folders and one that is replaced")
			case failures == 1 || at == 1:
				require.ErrorIs(t, err, fs.ErrPermission)
				require.Equal(t, before, found)
				require.NoDirExists(t, filepath.Join(out, "a=7"))
			default:
				require.ErrorContains(t, err, "what was there before is in "+tree.at(oldFolders))
				RemoveAbandoned(out, outputPrefix)
				old, err := filepath.Rel(out, tree.at(oldFolders, "1", "old"))
				require.NoError(t, err)
				require.Equal(t, "old", filesBelow(t, out)[old])
			}
		}
	}
	out := t.TempDir()
	treeOf(t, out, true, "a=1").Remove()
	requireEmpty(t, out)
}

// TestTreeOfAKilledProcessKeepsWhatItReplaced: a process that is killed while folders get their names leaves what was
// there before, which nobody removes.
func TestTreeOfAKilledProcessKeepsWhatItReplaced(t *testing.T) {
	defer func() { rename = os.Rename }()
	out := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(out, "a=1"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(out, "a=1", "old"), []byte("old"), 0o600))
	tree := treeOf(t, out, true, "a=1")
	killed := errors.New("killed")
	rename = func(from, to string) error {
		if to == filepath.Join(out, "a=1") {
			panic(killed)
		}
		return os.Rename(from, to)
	}
	require.PanicsWithValue(t, killed, func() { _ = tree.Place() })
	rename = os.Rename
	dies(t, tree)
	treeOf(t, out, true, "a=2").Remove() // as the next process does
	old, err := filepath.Rel(out, tree.at(oldFolders, "1", "old"))
	require.NoError(t, err)
	require.Equal(t, "old", filesBelow(t, out)[old])
	tree.Remove()
	require.Empty(t, filesBelow(t, out))
}

// TestTreeReplacesOnlyWhenAsked: without that a folder that is there is an error, and those before it are moved back.
func TestTreeReplacesOnlyWhenAsked(t *testing.T) {
	out := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(out, "a=2"), 0o700))
	tree := treeOf(t, out, false, "a=1", "a=2", "a=3")
	err := tree.Place()
	require.ErrorIs(t, err, fs.ErrExist)
	require.ErrorContains(t, err, filepath.Join(out, "a=2"))
	tree.Remove()
	requireEmpty(t, filepath.Join(out, "a=2"))
	require.Empty(t, filesBelow(t, out))
}

// TestTreesOfAKilledProcess are removed by the next tree beside them, or in the same folder.
func TestTreesOfAKilledProcess(t *testing.T) {
	parent := t.TempDir()
	for _, output := range []string{filepath.Join(parent, "out"), parent} {
		dead := treeOf(t, output, false, "a=1/b=1")
		dies(t, dead)
		alive := treeOf(t, output, false, "a=1")
		require.NoDirExists(t, dead.temp.path)
		alive.Remove()
		requireEmpty(t, parent)
	}
}

// TestFoldersOfATree: a folder is made once, and not where there is a file.
func TestFoldersOfATree(t *testing.T) {
	out := t.TempDir()
	tree := treeOf(t, out, false, "a=1")
	defer tree.Remove()
	_, err := tree.Folder("a=1")
	require.ErrorContains(t, err, filepath.Join(out, "a=1")+": the file system does not tell its name")
	_, err = tree.Folder("a=1/file/b=1")
	require.ErrorContains(t, err, filepath.Join(out, "a=1", "file", "b=1")+": ")
	var path *os.PathError
	require.False(t, errors.As(err, &path), "the temporary name is not in the error")
}
