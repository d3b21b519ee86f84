package tablefile

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/atomicfile"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
)

// A File is a file that is elsewhere, in an object store. ReadAt may be called by several goroutines. One that is also
// an Announcer fetches ahead what will be read. One that is also a Versioned may be of the same size as the file that
// it replaces.
type File interface {
	io.ReaderAt
	io.Closer
	Size() int64
}

// An Announcer is passed the ranges of bytes of a file that will be read, before they are.
type Announcer = page.Announcer

// A Range is the bytes of a file from one offset up to another.
type Range = page.Range

// A Versioned is a File with a version that no other file at its path has.
type Versioned interface{ Version() string }

// An Opener opens files.
type Opener func(path string) (File, error)

// Elsewhere are the files of an object store, by their addresses; nil has none.
type Elsewhere struct {
	Has    func(path string) bool                // whether a path is an address of the store
	Open   Opener                                // for reading
	List   func(prefix string) ([]string, error) // all files whose addresses begin with a prefix
	Create func(ctx context.Context, path string) (atomicfile.File, error)
	Check  func(path string) error // why no file can be created at a path, before the work that it is to hold is done
}

// Holds reports whether a path is an address of the store.
func (e *Elsewhere) Holds(path string) bool { return e != nil && Scheme(path) != "" && e.Has(path) }

// Opener returns how the file at a path is opened; nil: it is a local one.
func (e *Elsewhere) Opener(path string) Opener {
	if e.Holds(path) {
		return e.Open
	}
	return nil
}

// SizeOf returns the size of a file; 0 if it cannot be opened: opening it later returns the error.
func SizeOf(path string, open Opener) int64 {
	file, err := openSource(path, open)
	if err != nil {
		return 0
	}
	defer file.Close()
	return file.size
}

// Scheme returns the scheme of an address such as s3://bucket/x.parquet; empty for the path of a file, which may begin
// with a drive letter.
func Scheme(path string) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-." // RFC 3986
	scheme, _, found := strings.Cut(path, "://")
	if !found || len(scheme) < 2 || strings.Trim(scheme, letters) != "" {
		return ""
	}
	return scheme
}

// source is the bytes of an input; a Parquet or IPC file is read at random places, the others from front to back.
type source interface {
	io.Reader
	io.ReaderAt
	io.Seeker
}

// opened is a file that is open for reading.
type opened struct {
	source
	io.Closer
	size       int64
	version    string // of a Versioned
	compressed bool   // as a whole
}

// Size returns the size of the file.
func (o *opened) Size() int64 { return o.size }

// remote is the bytes of a file that is elsewhere.
type remote struct {
	*io.SectionReader
	Announcer
}

// wholeReads reads bytes of which io.ReaderAt may return the last ones with io.EOF.
type wholeReads struct{ io.ReaderAt }

func (r wholeReads) ReadAt(p []byte, at int64) (int, error) {
	n, err := r.ReaderAt.ReadAt(p, at)
	if n == len(p) {
		err = nil
	}
	return n, err
}

// open opens a file that can be read at any place: a local one, or one that is elsewhere. One whose first bytes look
// like another format is an error.
func (o *ReadOptions) open(path string, format Format) (f *opened, err error) {
	if f, err = openSource(path, o.Open); err != nil {
		return nil, err
	}
	if f.compressed, err = checkStart(f, f.size, format); err != nil {
		f.Close()
		return nil, err
	}
	if format == CSV || format == IPCStream { // files of other formats list what is read of them
		f.announceAll()
	}
	return f, nil
}

// announceAll announces all bytes to a file that fetches ahead.
func (o *opened) announceAll() {
	if a, ok := o.source.(Announcer); ok {
		a.Announce([]Range{{From: 0, To: o.size}})
	}
}

func openElsewhere(path string, open Opener) (*opened, error) {
	file, err := open(path)
	if err != nil {
		return nil, err
	}
	bytes := io.NewSectionReader(wholeReads{file}, 0, file.Size())
	o := &opened{source: bytes, Closer: file, size: file.Size()}
	if a, ok := file.(Announcer); ok {
		o.source = remote{bytes, a}
	}
	if v, ok := file.(Versioned); ok {
		o.version = v.Version()
	}
	return o, nil
}

// OpenLocal opens a local file.
func OpenLocal(path string) (File, error) { return openLocal(path) }

func openLocal(path string) (*opened, error) {
	info, err := os.Stat(path) // opening a named pipe would wait for who writes to it
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, errFolder
	case !info.Mode().IsRegular():
		return nil, ErrScan
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if info, err = file.Stat(); err != nil {
		file.Close()
		return nil, err
	}
	return &opened{source: file, Closer: file, size: info.Size()}, nil
}

var errFolder = errors.New("is a folder, not a file")

// resolveInput returns the format of an input. A local file that is not there is an fs.ErrNotExist, not an ErrFormat.
func (o *ReadOptions) resolveInput(path string) (Format, error) {
	format, err := o.Format.Resolve(path)
	if err != nil && o.Open == nil {
		if _, missing := os.Stat(path); missing != nil {
			return Auto, missing
		}
	}
	return format, err
}

// IsCompressed reports whether a file is compressed as a whole. CSV that is has to be copied by CopyPipe before it is
// scanned. A file that cannot be opened is not: opening it later returns the error.
func IsCompressed(path string, open Opener) bool {
	file, err := openSource(path, open)
	if err != nil {
		return false
	}
	defer file.Close()
	head := make([]byte, headSize)
	n, _ := file.ReadAt(head, 0)
	return fileCodecOf(head[:n]) != nil
}

// CopyCompressed is CopyPipe of a file that IsCompressed.
func CopyCompressed(ctx context.Context, path string, open Opener, format Format, to string,
	progress func(bytes int64)) error {
	file, err := openSource(path, open)
	if err != nil {
		return nameFile(path, "standard input", err)
	}
	defer file.Close()
	file.announceAll()
	return copyPipe(Interruptible(ctx, file), path, format, to, textLimit(file.size), progress)
}

func openSource(path string, open Opener) (*opened, error) {
	if open == nil {
		return openLocal(path)
	}
	return openElsewhere(path, open)
}

// checkStart returns an error for a file whose first bytes look like another format, and whether it is compressed as a
// whole.
func checkStart(src io.ReaderAt, size int64, format Format) (compressed bool, err error) {
	head := make([]byte, min(headSize, size))
	if _, err := src.ReadAt(head, 0); err != nil && size > 0 {
		return false, err
	}
	return fileCodecOf(head) != nil, checkMagic(head, format)
}
