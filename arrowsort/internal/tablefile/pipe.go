package tablefile

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/atomicfile"
)

// pipeStep is the number of bytes asked of a pipe at a time.
const pipeStep = 1 << 18

// pipeOf returns the decompressed bytes of a pipe, at most limit of them, 0 for no limit. First bytes that look like
// another format are an error.
func pipeOf(r io.Reader, format Format, limit int64) (io.Reader, error) {
	buffered := bufio.NewReaderSize(r, headSize)
	head, err := buffered.Peek(headSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if err := checkMagic(head, format); err != nil {
		return nil, err
	}
	return decompress(buffered, head, limit)
}

// CopyPipe copies a pipe to a new file. Errors of reading name the pipe, those of writing the file.
func CopyPipe(r io.Reader, name string, format Format, to string, progress func(bytes int64)) error {
	return copyPipe(r, name, format, to, 0, progress)
}

// copyPipe is CopyPipe, of text that takes no more than a limit where it is compressed; 0: any number.
func copyPipe(r io.Reader, name string, format Format, to string, limit int64, progress func(bytes int64)) error {
	buffered, err := pipeOf(r, format, limit)
	if err != nil {
		return nameFile(name, "standard input", err)
	}
	file, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return errkind.InFile(to, err)
	}
	defer file.Close()
	buffer := make([]byte, pipeStep)
	for done := int64(0); ; progress(done) {
		n, err := buffered.Read(buffer)
		if _, full := file.Write(buffer[:n]); full != nil {
			return errkind.InFile(to, full)
		}
		if done += int64(n); errors.Is(err, io.EOF) {
			if err := file.Close(); err != nil { // what was written may not be on the disk
				return errkind.InFile(to, err)
			}
			return nil
		}
		if err != nil {
			return nameFile(name, "standard input", err)
		}
	}
}

// IsPipe reports whether an input can only be read once and from front to back: standard input, or a named pipe.
func IsPipe(path string) bool {
	if path == Pipe {
		return true
	}
	info, err := os.Stat(path)
	return err == nil && !info.IsDir() && !info.Mode().IsRegular()
}

// interruptible reads from r until the context is cancelled, also while a read waits for data. The read that waits
// keeps its goroutine and its buffer until the pipe is written to or closed.
type interruptible struct {
	ctx  context.Context
	r    io.Reader
	buf  []byte
	rest []byte // read and not yet taken
	err  error  // what follows rest
}

// Interruptible returns a reader of a pipe that the context ends, also while it waits for data.
func Interruptible(ctx context.Context, r io.Reader) io.Reader {
	return &interruptible{ctx: ctx, r: r, buf: make([]byte, pipeStep)}
}

func (p *interruptible) Read(b []byte) (int, error) {
	if len(p.rest) == 0 {
		if p.err != nil {
			return 0, p.err
		}
		n, err := atomicfile.Await(p.ctx, func() (int, error) { return p.r.Read(p.buf) })
		if p.rest, p.err = p.buf[:n], err; n == 0 {
			return 0, err
		}
	}
	n := copy(b, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

// countingReader counts the bytes that are read.
type countingReader struct {
	r io.Reader
	n int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}
