package atomicfile

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

const (
	outputPrefix = ".arrowsort-output-" // readers of a folder pass hidden files by
	lockName     = "lock"
)

// errLocked is returned by lockFile for a file that another process, or another open file, has locked.
var errLocked = errors.New("locked")

// errReplaced is returned for a folder or lock that another process put in its place.
var errReplaced = errors.New("another user has put something in its place")

// tryLock is lockFile, but for tests.
var tryLock = lockFile

// BeforeChange is called before each call that gives a file its name or removes one. Tests end the process there.
var BeforeChange = func() {}

// Remove removes a file or a link.
func Remove(path string) error {
	BeforeChange()
	return os.Remove(path)
}

// A TempDir is a folder for the runs or the unfinished outputs of one sort. The process holds a lock on a file in
// it: the operating system drops the lock with the process, however that ends. Files are removed relative to the opened
// folder, so that nothing outside it is removed, whatever another user puts in the place of its path.
type TempDir struct {
	path   string
	parent *os.Root // the folder in which it is
	root   *os.Root // the folder itself
	lock   *os.File
	files  int
	around *folderLock // of the folder that its files are moved to, which is released after it is removed; or nil
}

// NewTempDir makes a folder in dir, whose name has the prefix, and removes those that dead processes left there.
func NewTempDir(dir, prefix string) (*TempDir, error) {
	RemoveAbandoned(dir, prefix)
	live.Lock()
	defer live.Unlock()
	const attempts = 100 // RemoveAbandoned of another process may take a new folder before it is locked
	for range attempts {
		path, err := os.MkdirTemp(dir, prefix)
		if err != nil {
			return nil, cannotMake(dir, err)
		}
		f, err := openTempDir(dir, filepath.Base(path))
		if err == nil {
			err = f.take(os.O_CREATE | os.O_EXCL)
		}
		if err == nil {
			live.folders[f] = true
			return f, nil
		}
		again := errors.Is(err, errLocked) || errors.Is(err, os.ErrNotExist)
		if f != nil && !again {
			f.remove()
		}
		if f != nil {
			f.close()
		}
		if !again {
			return nil, fmt.Errorf("a folder for temporary files: %w", err)
		}
	}
	return nil, fmt.Errorf("a folder for temporary files: none in %s could be locked", dir)
}

// cannotMake returns the error of a folder that could not be made in dir. It leaves out its name, which nobody knows.
// It is an fs.ErrNotExist only where dir is missing.
func cannotMake(dir string, err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	if _, missing := os.Stat(dir); missing == nil && errors.Is(err, fs.ErrNotExist) {
		err = errors.New("its file system makes none")
	}
	return fmt.Errorf("no folder for temporary files can be made in %s: %w", dir, err)
}

// openTempDir opens a folder, which is not a link.
func openTempDir(dir, name string) (_ *TempDir, err error) {
	f := &TempDir{path: filepath.Join(dir, name)}
	if f.parent, err = os.OpenRoot(dir); err != nil {
		return nil, err
	}
	if f.root, err = f.parent.OpenRoot(name); err == nil {
		err = f.checkNamed()
	}
	if err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

// checkNamed makes sure that the opened folder is the one with the name.
func (f *TempDir) checkNamed() error {
	opened, err := f.root.Stat(".")
	if err != nil {
		return err
	}
	named, err := f.parent.Lstat(filepath.Base(f.path))
	if err != nil {
		return err
	}
	if !os.SameFile(opened, named) {
		return fmt.Errorf("%s: %w", f.path, errReplaced)
	}
	return nil
}

// take locks the folder. After it the folder is this process's, and was not removed before it was locked. A lock that
// is a link, or that another user owns than the folder, is errReplaced.
func (f *TempDir) take(flag int) (err error) {
	if flag&os.O_CREATE == 0 {
		if info, err := f.root.Lstat(lockName); err != nil || !info.Mode().IsRegular() {
			return cmp.Or(err, errReplaced)
		}
	}
	if f.lock, err = f.root.OpenFile(lockName, flag|os.O_RDWR, 0o600); err != nil {
		return err
	}
	switch err = tryLock(f.lock); {
	case err == nil:
		err = f.checkLock()
	case flag&os.O_CREATE != 0 && errors.Is(err, errors.ErrUnsupported):
		err = f.root.Rename(lockName, lockName+"-missing") // no locks, as on Lustre by default; see RemoveAbandoned
	}
	return err
}

// checkLock makes sure that the open lock is still the one in the folder, and of the folder's owner.
func (f *TempDir) checkLock() error {
	opened, err := f.lock.Stat()
	if err != nil {
		return err
	}
	named, err := f.root.Lstat(lockName)
	if err != nil {
		return err
	}
	folder, err := f.root.Stat(".")
	switch {
	case err != nil:
		return err
	case !os.SameFile(opened, named):
		return errLocked
	case ownerOf(named) != ownerOf(folder):
		return fmt.Errorf("%s: %w", f.path, errReplaced)
	}
	return nil
}

// RemoveAbandoned removes the folders in dir with the prefix and a lock that nobody holds. Links and folders of other
// users stay, and folders without a lock that are not empty, which somebody else made.
func RemoveAbandoned(dir, prefix string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // making the folder returns the error
	}
	for _, e := range entries {
		if e.IsDir() && strings.HasPrefix(e.Name(), prefix) {
			removeDead(dir, e.Name())
		}
	}
}

func removeDead(dir, name string) {
	f, err := openTempDir(dir, name)
	if err != nil {
		return
	}
	defer f.close()
	if info, err := f.root.Stat("."); err != nil || ownerOf(info) != os.Geteuid() {
		return
	}
	if err := f.take(0); err == nil {
		f.remove()
	} else if errors.Is(err, os.ErrNotExist) {
		f.removeItself() // of a process that was killed before it had the lock
	}
}

// live are the folders of this process.
var live = struct {
	sync.Mutex
	folders map[*TempDir]bool
}{folders: map[*TempDir]bool{}}

// RemoveLive removes all folders of this process, which ends right after it: calls that make or remove a folder do not
// return any more.
func RemoveLive() {
	live.Lock()
	for f := range live.folders {
		for range removals {
			if f.remove() == nil {
				break
			}
		}
	}
}

// Uninterrupted runs a change that must be whole, such as giving several files their names: RemoveLive, and with it the
// end of the process, waits for it. The change neither makes nor removes a TempDir.
func Uninterrupted(change func() error) error {
	live.Lock()
	defer live.Unlock()
	return change()
}

// removals is how often a folder is removed into which files may still be written.
const removals = 100

// Path returns the path of the folder.
func (f *TempDir) Path() string { return f.path }

// Next returns the path of a new file.
func (f *TempDir) Next(ext string) string {
	f.files++
	return filepath.Join(f.path, fmt.Sprintf("run-%d%s", f.files, ext))
}

// Remove removes the folder and all files in it, the lock last: a folder without one is never removed later.
func (f *TempDir) Remove() error {
	err := f.remove()
	live.Lock()
	delete(live.folders, f)
	live.Unlock()
	f.close()
	return err
}

// Unlock removes the lock: from now on nobody but Remove removes the folder, which stays when the process is killed.
func (f *TempDir) Unlock() error {
	f.lock.Close()
	BeforeChange()
	if err := f.root.Remove(lockName); !errors.Is(err, os.ErrNotExist) { // on a file system without locks there is none
		return err
	}
	return nil
}

// Keep leaves the folder, which is not locked, and its files to the user.
func (f *TempDir) Keep() {
	f.around.release()
	live.Lock()
	delete(live.folders, f)
	live.Unlock()
	f.close()
}

func (f *TempDir) remove() error {
	defer f.around.release()
	entries, err := fs.ReadDir(f.root.FS(), ".")
	for _, e := range entries {
		if e.Name() != lockName {
			BeforeChange()
			err = errors.Join(err, f.root.RemoveAll(e.Name()))
		}
	}
	f.lock.Close() // Windows removes no open file
	BeforeChange()
	if removing := f.root.Remove(lockName); !errors.Is(removing, os.ErrNotExist) {
		err = errors.Join(err, removing)
	}
	return errors.Join(err, f.removeItself())
}

// removeItself removes the folder, which is empty; one that is gone is no error.
func (f *TempDir) removeItself() error {
	err := f.checkNamed()
	if err == nil {
		BeforeChange()
		err = f.parent.Remove(filepath.Base(f.path))
	}
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// close closes what is open.
func (f *TempDir) close() {
	if f.lock != nil {
		f.lock.Close()
	}
	if f.root != nil {
		f.root.Close()
	}
	f.parent.Close()
}
