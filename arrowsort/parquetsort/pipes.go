package parquetsort

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"

	"github.com/arrowsort/arrowsort/arrowsort/internal/extsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/atomicfile"
)

// pipes are the inputs that can be read once: standard input and named pipes. They are copied to files in a folder for
// spilled runs.
type pipes struct {
	folder *atomicfile.Folder
	copies map[string]string // by the path of the pipe
	open   *os.File          // a named pipe that is not copied

	stream *tablefile.Scanner // the one input, which is not read yet; nil: inputs can be read any number of times
}

// file returns the path at which an input can be read.
func (p *pipes) file(path string) string {
	if at, found := p.copies[path]; found {
		return at
	}
	return path
}

func (p *pipes) close() {
	if p.stream != nil {
		p.stream.Close()
		p.stream = nil
	}
	if p.folder != nil {
		p.folder.Remove()
		p.folder = nil
	}
	if p.open != nil {
		p.open.Close()
		p.open = nil
	}
}

// openPipes copies the pipes among the inputs. With once a stream that is the only input is opened instead.
func (in *inputs) openPipes(ctx context.Context, once bool) error {
	for _, path := range in.paths {
		compressed := path != tablefile.Pipe && !tablefile.IsPipe(path) && tablefile.IsCompressed(path)
		_, twice := in.pipes.copies[path]
		if compressed && twice || !compressed && !tablefile.IsPipe(path) {
			continue
		}
		if twice {
			return fmt.Errorf("%w: %s is named twice and can be read once", errOption, displayName(path))
		}
		format, err := in.format.Resolve(path)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		stream := once && len(in.paths) == 1 && format == tablefile.IPCStream
		if err := in.openPipe(ctx, path, format, stream); err != nil {
			return err
		}
	}
	return nil
}

func (in *inputs) openPipe(ctx context.Context, path string, format tablefile.Format, stream bool) error {
	source := cmp.Or[io.Reader](in.opts.Input.Stdin, os.Stdin)
	if path != tablefile.Pipe {
		file, err := atomicfile.Open(ctx, func() (*os.File, error) { return os.Open(path) })
		if err != nil {
			return err
		}
		if stream {
			in.pipes.open = file
		} else {
			defer file.Close()
		}
		source = file
	}
	source = tablefile.Interruptible(ctx, source)
	if stream {
		read := in.reading(path)
		read.Stdin = source
		return in.openStream(read)
	}
	if in.pipes.folder == nil {
		folder, err := atomicfile.NewFolder(in.opts.Memory.SpillDir, extsort.SpillPrefix)
		if err != nil {
			return err
		}
		in.pipes.folder, in.pipes.copies = folder, map[string]string{}
	}
	to := in.pipes.folder.Next(".copy")
	in.pipes.copies[path] = to
	return tablefile.CopyPipe(source, path, format, to, func(bytes int64) { in.opts.Run.Progress(PhaseLoad, bytes, 0) })
}

// openStream opens the one input, which is read as it comes.
func (in *inputs) openStream(read tablefile.ReadOptions) (err error) {
	if in.pipes.stream, err = tablefile.Scan(tablefile.Pipe, 0, read); err != nil {
		return err
	}
	in.schema, in.rows = in.pipes.stream.Schema, -1
	return nil
}
