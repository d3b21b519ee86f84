package output

import (
	"fmt"
	"path"
	"strings"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

// Files of a store appear with their commit, one after the other in the order of their rows. The last one, which may be
// the only one, is held until all rows are known to be right.

// checkElsewhere makes sure, before any work, that files of a store can be created, and that none of them is there
// already under the numbered names of several: a store has no rename, so that those of an earlier sort would stand
// among the new ones.
func (t *Target) checkElsewhere(paths, files []string) error {
	if t.Partitioned {
		return fmt.Errorf("%w: PartitionBy writes folders of this machine, and %s is an address", errkind.ErrFileOption,
			t.Path)
	}
	if err := t.checkOverlap(paths, files, "place"); err != nil {
		return err
	}
	if t.Split {
		old, err := t.Store.List(strings.TrimSuffix(t.Path, path.Ext(t.Path)) + "-")
		if err != nil {
			return err
		}
		for _, file := range old {
			if t.isOutput(file) {
				return fmt.Errorf("%w: %s is there already, with the name of one of several outputs: remove it, or "+
					"choose another name", errkind.ErrFileOption, file)
			}
		}
	}
	return t.Store.Check(t.name(1))
}

// complete commits a file, while the next one is written. Of a store's files it commits the one before, and holds this
// one.
func (f *Files) complete(file *tablefile.Writer) {
	if !f.isElsewhere() {
		f.closing.Go(func() error { return f.commit(file) })
		return
	}
	f.commitHeld()
	f.held = file
}

// commitHeld commits the file of a store that is held, unless one before it has failed.
func (f *Files) commitHeld() {
	file := f.held
	f.held = nil
	if file == nil {
		return
	}
	f.closing.Go(func() error {
		if f.failed.Load() {
			file.Abort()
			return nil
		}
		err := f.commit(file)
		f.failed.Store(err != nil)
		if err == nil {
			f.standing.Add(1)
		}
		return err
	})
}

func (f *Files) commit(file *tablefile.Writer) error {
	n, err := file.Commit()
	f.total.Add(n)
	return err
}

// Standing adds to an error which files of a store stand already. They stay.
func (f *Files) Standing(err error) error {
	if !f.isElsewhere() || err == nil {
		return err
	}
	f.closing.Wait() // an error of it was returned, or follows from err
	switch n := f.standing.Load(); n {
	case 0:
		return err
	case 1:
		return fmt.Errorf("%w; this output is complete and stays: %s", err, f.paths[0])
	default:
		return fmt.Errorf("%w; these %d outputs are complete and stay: %s to %s", err, n, f.paths[0], f.paths[n-1])
	}
}
