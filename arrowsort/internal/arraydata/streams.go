package arraydata

import (
	"context"
	"io"
	"sync/atomic"

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

// Records is an array.RecordReader of the records that a function returns.
type Records struct {
	schema *arrow.Schema
	next   func() (arrow.Record, error)
	end    func()
	record arrow.Record // nil: there is none
	err    error
	refs   atomic.Int64
}

// NewRecords returns a reader with one reference. next returns the next record, which the reader releases, nil after
// the last; it is not called after an error. The last Release calls end.
func NewRecords(schema *arrow.Schema, next func() (arrow.Record, error), end func()) *Records {
	r := &Records{schema: schema, next: next, end: end}
	r.refs.Store(1)
	return r
}

// Schema returns the schema.
func (r *Records) Schema() *arrow.Schema { return r.schema }

// Record returns the record of the last Next, which stays until the next call; nil when there was none.
func (r *Records) Record() arrow.Record { return r.record }

// Err returns the error that ended the records.
func (r *Records) Err() error { return r.err }

// Retain adds a reference.
func (r *Records) Retain() { r.refs.Add(1) }

// Release drops a reference.
func (r *Records) Release() {
	if r.refs.Add(-1) == 0 {
		r.drop()
		r.end()
	}
}

// Next steps to the next record. It returns false after the last and after an error.
func (r *Records) Next() bool {
	r.drop()
	if r.err == nil {
		r.record, r.err = r.next()
	}
	return r.record != nil
}

func (r *Records) drop() {
	if r.record != nil {
		r.record.Release()
		r.record = nil
	}
}
