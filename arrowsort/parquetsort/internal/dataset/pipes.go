package dataset

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/extsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/atomicfile"
)

// pipes are the files that can be read once: standard input and named pipes. They are copied to files in a folder for
// spilled runs.
type pipes struct {
	folder *atomicfile.TempDir
	copies map[string]string // by the path of the pipe
	named  *os.File          // a named pipe that is not copied
}

// file returns the path at which a file can be read.
func (p *pipes) file(path string) string {
	if at, found := p.copies[path]; found {
		return at
	}
	return path
}

func (p *pipes) close() {
	if p.folder != nil {
		p.folder.Remove()
		p.folder = nil
	}
	if p.named != nil {
		p.named.Close()
		p.named = nil
	}
}

// copy copies the pipes among some files. With once a stream that is the only file is opened instead: the scanner.
func (p *pipes) copy(ctx context.Context, files []string, opts *Options, once bool) (*tablefile.Scanner, error) {
	for _, path := range files {
		compressed := path != tablefile.Pipe && !tablefile.IsPipe(path) && isCompressed(path, opts)
		_, twice := p.copies[path]
		if compressed && twice || !compressed && !tablefile.IsPipe(path) {
			continue
		}
		if twice {
			return nil, fmt.Errorf("%w: %s is named twice and can be read once", errkind.ErrFileOption,
				displayName(path))
		}
		format, err := opts.Format.Resolve(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		stream := once && len(files) == 1 && format == tablefile.IPCStream
		if s, err := p.open(ctx, path, format, opts, stream); s != nil || err != nil {
			return s, err
		}
	}
	return nil, nil
}

// open copies a pipe, or opens it to be read as a stream.
func (p *pipes) open(ctx context.Context, path string, format tablefile.Format, opts *Options, stream bool) (
	*tablefile.Scanner, error) {
	source := cmp.Or[io.Reader](opts.Stdin, os.Stdin)
	if path != tablefile.Pipe && tablefile.IsPipe(path) {
		file, err := atomicfile.Open(ctx, func() (*os.File, error) { return os.Open(path) })
		if err != nil {
			return nil, err
		}
		if stream {
			p.named = file
		} else {
			defer file.Close()
		}
		source = file
	}
	source = tablefile.Interruptible(ctx, source)
	if stream {
		read := opts.reading(path, nil)
		read.Stdin = source
		return tablefile.Scan(tablefile.Pipe, 0, read)
	}
	if p.folder == nil {
		folder, err := atomicfile.NewTempDir(opts.SpillDir, extsort.SpillPrefix)
		if err != nil {
			return nil, err
		}
		p.folder, p.copies = folder, map[string]string{}
	}
	to := p.folder.Next(".copy")
	p.copies[path] = to
	progress := func(bytes int64) { opts.Progress(PhaseLoad, bytes, 0) }
	if !tablefile.IsPipe(path) {
		err := tablefile.CopyCompressed(ctx, path, opts.opener(path), format, to, progress)
		return nil, errkind.SpillFull(opts.SpillDir, err)
	}
	return nil, errkind.SpillFull(opts.SpillDir, tablefile.CopyPipe(source, path, format, to, progress))
}

// isCompressed reports whether a file is compressed as a whole, which only CSV can be. Files of an object store are not
// opened to find out that another one is.
func isCompressed(path string, opts *Options) bool {
	open := opts.opener(path)
	return (open == nil || opts.formatOf(path) == tablefile.CSV) && tablefile.IsCompressed(path, open)
}
