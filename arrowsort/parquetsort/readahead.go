package parquetsort

import (
	"context"
	"io"

	"github.com/apache/arrow/go/v15/arrow"
)

// A piece is the next rows of a source, and how many of its bytes were read with them.
type piece struct {
	arrow.Table
	done int64
}

// readAhead gives the pieces of a source, up to io.EOF, to use, while the next one is on its way. It releases them. The
// first error ends it.
func readAhead(ctx context.Context, next func(ctx context.Context) (piece, error),
	use func(ctx context.Context, p piece) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	pieces := make(chan piece)
	go func() {
		defer close(pieces)
		for {
			p, err := next(ctx)
			if err != nil {
				if err != io.EOF {
					cancel(err)
				}
				return
			}
			pieces <- p
		}
	}()
	for p := range pieces { // to the end, so that the goroutine ends
		if ctx.Err() == nil {
			if err := use(ctx, p); err != nil {
				cancel(err)
			}
		}
		p.Release()
	}
	return context.Cause(ctx)
}
