package beamsort

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// blockBytes is the least that is fetched of an object that can be read by ranges.
const blockBytes = 1 << 20

// opener returns a function that opens inputs; nil if all are local files, which package parquetsort opens.
func (o *Options) opener(ctx context.Context, paths ...string) func(path string) (parquetsort.File, error) {
	if !slices.ContainsFunc(paths, isRemote) {
		return nil
	}
	folder := o.SpillDir
	return func(path string) (parquetsort.File, error) { return open(ctx, path, folder) }
}

// open opens an input: a local file, or a file of one of Beam's file systems, which is cached in a folder.
func open(ctx context.Context, path, folder string) (parquetsort.File, error) {
	if !isRemote(path) {
		return tablefile.OpenLocal(path)
	}
	fs, err := filesystem.New(ctx, path)
	if err != nil {
		return nil, err
	}
	defer fs.Close()
	size, err := fs.Size(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	local, err := os.CreateTemp(folder, "arrowsort-stage-*"+filepath.Ext(path))
	if err != nil {
		return nil, err
	}
	f := &cachedObject{ctx: ctx, path: path, size: size, local: local}
	if f.ranges, err = rangesOf(ctx, path); err == nil && f.ranges == nil {
		err = f.fetchAll(fs)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// A cachedObject is an object whose blocks are copied to a local file when they are read.
type cachedObject struct {
	ctx    context.Context
	path   string
	size   int64
	ranges RangeReader // nil: all of it is in the local file

	mu    sync.Mutex
	local *os.File
	here  []bool // by block
}

func (f *cachedObject) Size() int64 { return f.size }

func (f *cachedObject) ReadAt(p []byte, off int64) (int, error) {
	if f.ranges != nil && off < f.size {
		if err := f.fetch(off, min(off+int64(len(p)), f.size)); err != nil {
			return 0, fmt.Errorf("%s: %w", f.path, err)
		}
	}
	return f.local.ReadAt(p, off)
}

// fetch fetches the missing blocks of a range of bytes, neighbouring blocks by one request.
func (f *cachedObject) fetch(from, to int64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.here == nil {
		f.here = make([]bool, (f.size+blockBytes-1)/blockBytes)
	}
	end := (to + blockBytes - 1) / blockBytes
	for first := from / blockBytes; first < end; {
		last := first
		for last < end && !f.here[last] {
			last++
		}
		if last == first {
			first++
			continue
		}
		if err := f.copyRange(first*blockBytes, min(last*blockBytes, f.size)); err != nil {
			return err
		}
		for ; first < last; first++ {
			f.here[first] = true
		}
	}
	return nil
}

func (f *cachedObject) copyRange(from, to int64) error {
	r, err := f.ranges.OpenRange(f.ctx, f.path, from, to-from)
	if err != nil {
		return err
	}
	defer r.Close()
	if _, err = io.CopyN(io.NewOffsetWriter(f.local, from), r, to-from); err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// fetchAll copies an object whose file system reads from the start only.
func (f *cachedObject) fetchAll(fs filesystem.Interface) error {
	r, err := fs.OpenRead(f.ctx, f.path)
	if err != nil {
		return err
	}
	defer r.Close()
	f.size, err = io.Copy(f.local, r)
	return err
}

// Close removes the local file.
func (f *cachedObject) Close() error {
	if f.ranges != nil {
		f.ranges.Close()
	}
	f.local.Close()
	return os.Remove(f.local.Name())
}

// A RangeReader reads ranges of the files of a file system. Beam's own file systems do not.
type RangeReader interface {
	// OpenRange reads length bytes of a file from an offset on. The file has them.
	OpenRange(ctx context.Context, filename string, offset, length int64) (io.ReadCloser, error)
	Close() error
}

var ranges = struct {
	sync.Mutex
	open map[string]func(ctx context.Context) (RangeReader, error)
}{open: map[string]func(ctx context.Context) (RangeReader, error){}}

// RegisterRanges makes inputs of a scheme, such as gs, be fetched by the ranges that a step reads: the sample reads the
// key columns only. Inputs of other schemes are copied as a whole. Package beamsort/objects calls it for gs and s3. It
// panics if the scheme is registered already.
func RegisterRanges(scheme string, open func(ctx context.Context) (RangeReader, error)) {
	ranges.Lock()
	defer ranges.Unlock()
	if ranges.open[scheme] != nil {
		panic(fmt.Sprintf("beamsort: ranges of scheme %q are registered already", scheme))
	}
	ranges.open[scheme] = open
}

// rangesOf returns a reader of ranges of a path; nil if its file system has none.
func rangesOf(ctx context.Context, path string) (RangeReader, error) {
	scheme, _, _ := strings.Cut(path, "://")
	ranges.Lock()
	open := ranges.open[scheme]
	ranges.Unlock()
	if open == nil {
		return nil, nil
	}
	return open(ctx)
}
