package parquetsort

import (
	"context"
	"io"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

// A Violation is a row that sorts before the one above it.
type Violation struct {
	File string
	Row  int64 // in the file, from 0; row 0 sorts before the last row of the file before
}

// A Checked is what Check read.
type Checked struct {
	Files     []string
	Rows      int64 // up to the violation
	Columns   int
	Bytes     int64      // of the files
	Violation *Violation // nil: all rows are in order
}

// Check finds the first row of some files, read one after the other, that sorts before the one above it. It streams: of
// the options it uses Keys, Memory, InputFormat, Threads, Allocator and Progress, which is told PhaseCheck.
func Check(ctx context.Context, paths []string, opts Options) (*Checked, error) {
	in, err := begin(ctx, paths, opts)
	if err != nil {
		return nil, err
	}
	result := &Checked{Files: in.paths, Columns: in.schema.NumFields(), Bytes: in.bytes}
	in.readKeysOnly()
	in.flat = tablefile.NewRecycler(in.opts.Allocator, 0)
	defer in.flat.Release()
	c := &checker{in: in, order: ordered{schema: in.schema, opts: in.opts}, result: result}
	defer c.order.forget()
	done := int64(0)
	for _, path := range in.paths {
		bytes, err := c.file(ctx, path, done)
		if err != nil {
			return nil, err
		}
		if c.result.Violation != nil {
			break
		}
		done += bytes
	}
	return c.result, nil
}

// A checker looks at one file after the other.
type checker struct {
	in     *inputs
	order  ordered
	result *Checked
}

func (c *checker) file(ctx context.Context, path string, done int64) (int64, error) {
	s, err := c.in.open(path)
	if err != nil {
		return 0, err
	}
	defer s.Close()
	for first := int64(0); c.result.Violation == nil; {
		piece, err := s.next(ctx)
		if err == io.EOF {
			break
		}
		if err != nil {
			return 0, err
		}
		rows := piece.NumRows()
		at, err := c.order.add(ctx, piece)
		piece.Release()
		switch {
		case err != nil:
			return 0, err
		case at >= 0:
			c.result.Violation = &Violation{File: path, Row: first + at}
			c.result.Rows += at
		default:
			c.result.Rows += rows
		}
		first += rows
		c.in.opts.Progress(PhaseCheck, done+s.Done(), c.in.bytes)
	}
	return s.Bytes, nil
}
