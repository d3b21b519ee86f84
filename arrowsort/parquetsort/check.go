package parquetsort

import (
	"context"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/rawmem"
)

// A Violation is a row that sorts before the one above it.
type Violation struct {
	File string
	Row  int64 // in the file, from 0; row 0 sorts before the last row of the file before
	// Reason is set when the file may be in order by itself: its key has another type than in all CSV files together.
	Reason string
}

// String names the row and the one that it sorts before, without the file.
func (v *Violation) String() string {
	if v.Row == 0 {
		return "row 0 sorts before the last row of the files before it (rows count from 0)"
	}
	return fmt.Sprintf("row %d sorts before row %d (rows count from 0)", v.Row, v.Row-1)
}

// A CheckResult is what Check read.
type CheckResult struct {
	Files     []string
	Keys      []arrowsort.Key // those by position have the name of their column if no other has it
	Rows      int64           // that were checked: up to the violation or the limit
	Columns   int
	Bytes     int64      // of the files
	Violation *Violation // nil: all rows are in order
}

// Check finds the first row of some files, read one after the other, that sorts before the one above it. It streams.
// Of the options it uses Keys, KeysFor, Limit (the first rows of the files),
// Memory, InputFormat, Stdin, Delimiter, NoHeader, CSVTypes, Threads, Allocator and Progress.
func Check(ctx context.Context, paths []string, opts Options) (*CheckResult, error) {
	in, err := begin(ctx, paths, opts, true)
	if err != nil {
		return nil, err
	}
	defer in.close()
	c := checker{limit: in.opts.Limit, order: ordered{opts: in.opts},
		result: &CheckResult{Files: in.paths, Keys: in.opts.Keys, Columns: in.columns}}
	defer c.order.forget()
	in.readKeysOnly()
	in.flat = rawmem.NewRecycler(in.opts.Allocator, 0)
	defer in.flat.Release()
	err = in.each(ctx, PhaseCheck, func(file int, piece arrow.Table) error { return c.add(ctx, file, piece) })
	c.result.Bytes = in.bytes
	if v := c.result.Violation; err == nil && v != nil {
		v.Reason, err = in.textReason(ctx, v.File)
	}
	return c.result, err
}

// A checker looks at one file after the other.
type checker struct {
	limit  int64
	order  ordered
	result *CheckResult
	file   int
	first  int64 // row of the piece in its file
}

func (c *checker) add(ctx context.Context, file int, piece arrow.Table) error {
	if file != c.file {
		c.file, c.first = file, 0
	}
	rows := piece.NumRows()
	if c.limit > 0 {
		rows = min(rows, c.limit-c.result.Rows)
	}
	wanted := slice(piece, 0, rows)
	defer wanted.Release()
	at, err := c.order.add(ctx, wanted)
	if err != nil {
		return err
	}
	if at >= 0 {
		c.result.Violation = &Violation{File: c.result.Files[file], Row: c.first + at}
		c.result.Rows += at
		return io.EOF
	}
	c.result.Rows += rows
	c.first += rows
	if c.result.Rows == c.limit && c.limit > 0 {
		return io.EOF
	}
	return nil
}
