package beamsort

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"github.com/arrowsort/arrowsort/arrowsort/internal/extsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/atomicfile"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// A Store has inputs of which the ranges are fetched that a step reads: the sample reads the key columns only. All
// steps and pipelines of a process share it. Module arrowsort/blob has one.
type Store interface {
	parquetsort.Store
	// Forget drops what is known of files that were opened, as they may have been replaced since.
	Forget()
}

// stores are the registered stores, by scheme.
var stores = struct {
	sync.Mutex
	of map[string]Store
}{of: map[string]Store{}}

// RegisterStore makes inputs of some schemes, such as gs, be read from a store. Those of other schemes are copied as a
// whole by Beam's file systems, and so are all outputs. Package beamsort/objects calls it for object stores. Workers
// run the program that builds the pipeline, so call it before beam.Init. It panics if a scheme is registered already.
func RegisterStore(store Store, schemes ...string) {
	stores.Lock()
	defer stores.Unlock()
	for _, scheme := range schemes {
		if stores.of[scheme] != nil {
			panic(fmt.Sprintf("beamsort: a store of scheme %q is registered already", scheme))
		}
		stores.of[scheme] = store
	}
}

// storeOf returns the store of a path; nil if it has none.
func storeOf(path string) Store {
	stores.Lock()
	defer stores.Unlock()
	return stores.of[tablefile.Scheme(path)]
}

// forgetInputs makes all stores forget.
func forgetInputs() {
	stores.Lock()
	defer stores.Unlock()
	for _, store := range stores.of {
		store.Forget()
	}
}

// opener returns a function that opens inputs; nil if all are local files, which package parquetsort opens.
func (o *Options) opener(ctx context.Context, paths ...string) func(path string) (parquetsort.File, error) {
	if !slices.ContainsFunc(paths, isRemote) {
		return nil
	}
	return func(path string) (parquetsort.File, error) {
		if !isRemote(path) {
			return tablefile.OpenLocal(path)
		}
		if store := storeOf(path); store != nil {
			store.Limit(extsort.StoreMemory(o.memory()))
			return store.Open(ctx, path)
		}
		return stage(ctx, path, o.SpillDir)
	}
}

// A stagedFile is a local copy of a file, which is removed with its folder when it is closed.
type stagedFile struct {
	*os.File
	size   int64
	folder *atomicfile.TempDir
}

// stage copies a file of one of Beam's file systems, which read from the start only, to a folder.
func stage(ctx context.Context, path, folder string) (parquetsort.File, error) {
	fs, err := fileSystem(ctx, path)
	if err != nil {
		return nil, err
	}
	defer fs.Close()
	r, err := fs.OpenRead(ctx, path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	f := &stagedFile{}
	if f.folder, err = atomicfile.NewTempDir(cmp.Or(folder, os.TempDir()), "arrowsort-stage-"); err != nil {
		return nil, err
	}
	if f.File, err = os.Create(f.folder.Next("")); err == nil {
		f.size, err = io.Copy(f.File, r)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func (f *stagedFile) Size() int64 { return f.size }

func (f *stagedFile) Close() error { return errors.Join(f.File.Close(), f.folder.Remove()) }
