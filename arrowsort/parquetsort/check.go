package parquetsort

import (
	"context"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort"
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
	opts, err := opts.resolved()
	if err != nil {
		return nil, err
	}
	in, err := openInputs(ctx, paths, &opts)
	if err != nil {
		return nil, err
	}
	c := &checker{in: in, opts: &opts, result: &Checked{Files: in.paths, Columns: in.schema.NumFields(), Bytes: in.bytes}}
	defer c.forget()
	empty := concatenate(in.schema, nil)
	defer empty.Release()
	if err := c.add(ctx, in.paths[0], 0, empty); err != nil { // finds keys that there are not
		return nil, err
	}
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

// A checker remembers the last row.
type checker struct {
	in     *inputs
	opts   *Options
	last   arrow.Table // nil before the first row
	result *Checked
}

func (c *checker) file(ctx context.Context, path string, done int64) (int64, error) {
	s, err := c.in.scan(path)
	if err != nil {
		return 0, err
	}
	defer s.Close()
	if _, err := agree(c.in.schema, s.Schema, path, c.in.paths[0]); err != nil {
		return 0, err
	}
	for first := int64(0); c.result.Violation == nil; {
		table, err := s.Next(ctx)
		if err == io.EOF {
			break
		}
		if err != nil {
			return 0, err
		}
		piece := arrange(table, c.in.schema)
		table.Release()
		rows := piece.NumRows()
		err = c.add(ctx, path, first, piece)
		piece.Release()
		if err != nil {
			return 0, err
		}
		first += rows
		c.opts.Progress(PhaseCheck, done+s.Done(), c.in.bytes)
	}
	return s.Bytes, nil
}

// add checks a piece, whose first row has a number in its file, behind the last row.
func (c *checker) add(ctx context.Context, path string, first int64, piece arrow.Table) error {
	parts, above := []arrow.Table{piece}, int64(0)
	if c.last != nil {
		parts, above = []arrow.Table{c.last, piece}, 1
	}
	all := concatenate(c.in.schema, parts)
	defer all.Release()
	sorted, row, err := arrowsort.IsSorted(ctx, all, c.opts.Keys, c.opts.sorting())
	if err != nil {
		return err
	}
	if !sorted {
		at := int64(row) - above
		c.result.Violation = &Violation{File: path, Row: first + at}
		c.result.Rows += at
		return nil
	}
	c.result.Rows += piece.NumRows()
	if piece.NumRows() == 0 {
		return nil
	}
	return c.remember(ctx, piece)
}

// remember copies the last row of a piece, which would keep the piece in memory.
func (c *checker) remember(ctx context.Context, piece arrow.Table) error {
	b := array.NewUint64Builder(c.opts.Allocator)
	defer b.Release()
	b.Append(uint64(piece.NumRows() - 1))
	number := b.NewArray()
	defer number.Release()
	last, err := arrowsort.Take(ctx, piece, number, c.opts.sorting())
	if err != nil {
		return fmt.Errorf("the last row of a piece: %w", err)
	}
	c.forget()
	c.last = last
	return nil
}

func (c *checker) forget() {
	if c.last != nil {
		c.last.Release()
		c.last = nil
	}
}
