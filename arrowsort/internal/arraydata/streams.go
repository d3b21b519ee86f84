package arraydata

import (
	"context"
	"io"

	"github.com/apache/arrow/go/v15/arrow"
)

// A Piece is the next rows of a source, and the bytes of the source that were read so far.
type Piece struct {
	arrow.Table
	Done int64
}

// Prefetch gives the pieces of a source, up to io.EOF, to use, while the next one is on its way. It releases them. The
// first error ends it.
func Prefetch(ctx context.Context, next func(ctx context.Context) (Piece, error),
	use func(ctx context.Context, p Piece) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	pieces := make(chan Piece)
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
