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
	open   *os.File          // a named pipe that is not copied
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
	if p.open != nil {
		p.open.Close()
		p.open = nil
	}
}

// openPipes copies the pipes among the files. With once a stream that is the only file is opened instead.
func (d *Dataset) openPipes(ctx context.Context, once bool) error {
	for _, path := range d.Files {
		compressed := path != tablefile.Pipe && !tablefile.IsPipe(path) && tablefile.IsCompressed(path)
		_, twice := d.pipes.copies[path]
		if compressed && twice || !compressed && !tablefile.IsPipe(path) {
			continue
		}
		if twice {
			return fmt.Errorf("%w: %s is named twice and can be read once", errkind.ErrFileOption, displayName(path))
		}
		format, err := d.opts.Format.Resolve(path)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		stream := once && len(d.Files) == 1 && format == tablefile.IPCStream
		if err := d.openPipe(ctx, path, format, stream); err != nil {
			return err
		}
	}
	return nil
}

func (d *Dataset) openPipe(ctx context.Context, path string, format tablefile.Format, stream bool) (err error) {
	source := cmp.Or[io.Reader](d.opts.Stdin, os.Stdin)
	if path != tablefile.Pipe {
		file, err := atomicfile.Open(ctx, func() (*os.File, error) { return os.Open(path) })
		if err != nil {
			return err
		}
		if stream {
			d.pipes.open = file
		} else {
			defer file.Close()
		}
		source = file
	}
	source = tablefile.Interruptible(ctx, source)
	if stream {
		read := d.reading(path, ScanOptions{})
		read.Stdin = source
		if d.stream, err = tablefile.Scan(tablefile.Pipe, 0, read); err != nil {
			return err
		}
		d.Schema, d.Rows = d.stream.Schema, -1
		return nil
	}
	if d.pipes.folder == nil {
		folder, err := atomicfile.NewTempDir(d.opts.SpillDir, extsort.SpillPrefix)
		if err != nil {
			return err
		}
		d.pipes.folder, d.pipes.copies = folder, map[string]string{}
	}
	to := d.pipes.folder.Next(".copy")
	d.pipes.copies[path] = to
	return tablefile.CopyPipe(source, path, format, to, func(bytes int64) { d.opts.Progress(PhaseLoad, bytes, 0) })
}
