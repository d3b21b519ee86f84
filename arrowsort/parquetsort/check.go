package parquetsort

import (
	"context"
	"io"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/rawmem"
)

// A Violation is a row that sorts before the one above it.
type Violation struct {
	File string
	Row  int64 // in the file, from 0; row 0 sorts before the last row of the file before
}

// A Checked is what Check read.
type Checked struct {
	Files     []string
	Keys      []arrowsort.Key // those by position have the name of their column if no other has it
	Rows      int64           // that were checked: up to the violation or the limit
	Columns   int
	Bytes     int64      // of the files
	Violation *Violation // nil: all rows are in order
}

// Check finds the first row of some files, read one after the other, that sorts before the one above it. It streams.
// Of the options it uses Keys, KeysFor, Limit (the first rows of the files),
// Memory, InputFormat, Stdin, Delimiter, Threads, Allocator and Progress.
func Check(ctx context.Context, paths []string, opts Options) (*Checked, error) {
	in, err := begin(ctx, paths, opts, true)
	if err != nil {
		return nil, err
	}
	defer in.close()
	result := &Checked{Files: in.paths, Keys: in.opts.Keys, Columns: in.schema.NumFields(), Bytes: in.bytes}
	in.readKeysOnly()
	in.flat = rawmem.NewRecycler(in.opts.Allocator, 0)
	defer in.flat.Release()
	c := &checker{in: in, order: ordered{schema: in.schema, opts: in.opts}, result: result}
	defer c.order.forget()
	done := int64(0)
	for _, path := range in.paths {
		bytes, err := c.file(ctx, path, done)
		if err != nil {
			return nil, err
		}
		if c.done() {
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

// done reports whether all rows that are wanted were checked.
func (c *checker) done() bool {
	return c.result.Violation != nil || c.in.opts.Limit > 0 && c.result.Rows == c.in.opts.Limit
}

func (c *checker) file(ctx context.Context, path string, done int64) (int64, error) {
	s, err := c.in.open(path)
	if err != nil {
		return 0, err
	}
	defer s.Close()
	for first := int64(0); !c.done(); {
		piece, err := s.next(ctx)
		if err == io.EOF {
			break
		}
		if err != nil {
			return 0, err
		}
		rows := piece.NumRows()
		if limit := c.in.opts.Limit; limit > 0 && c.result.Rows+rows > limit {
			rows = limit - c.result.Rows
			whole := piece
			piece = slice(whole, 0, rows)
			whole.Release()
		}
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
	c.result.Bytes = max(c.result.Bytes, done+s.Bytes) // of a pipe they are known now
	return s.Bytes, nil
}
