package tablefile

import (
	"context"
	"io"
)

// pipeStep is the number of bytes asked of a pipe at a time.
const pipeStep = 1 << 18

// interruptible reads from r until the context is cancelled, also while a read waits for data. The read that waits
// keeps its goroutine and its buffer until the pipe is written to or closed.
type interruptible struct {
	ctx  context.Context
	r    io.Reader
	buf  []byte
	rest []byte // read and not yet taken
	err  error  // what follows rest
	done chan pipeRead
}

type pipeRead struct {
	n   int
	err error
}

func newInterruptible(ctx context.Context, r io.Reader) *interruptible {
	return &interruptible{ctx: ctx, r: r, buf: make([]byte, pipeStep), done: make(chan pipeRead, 1)}
}

func (p *interruptible) Read(b []byte) (int, error) {
	if len(p.rest) == 0 {
		if p.err != nil {
			return 0, p.err
		}
		go func() {
			n, err := p.r.Read(p.buf)
			p.done <- pipeRead{n, err}
		}()
		select {
		case got := <-p.done:
			if p.rest, p.err = p.buf[:got.n], got.err; got.n == 0 {
				return 0, got.err
			}
		case <-p.ctx.Done():
			return 0, context.Cause(p.ctx)
		}
	}
	n := copy(b, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}
