package parquetsort

import (
	"context"
	"io"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

// A Result is what a sort did.
type Result struct {
	Inputs       []string // files that were read
	Columns      int
	Outputs      []string // files that were written
	Rows         int64
	BytesIn      int64  // of the inputs
	BytesOut     int64  // of the outputs
	Runs         int    // that were spilled and merged; 0: sorted in memory
	BytesSpilled int64  // written to the spill folder
	Plan         string // what the keys came down to
}

// Sort sorts the rows of Parquet and Arrow files, patterns and folders (see Expand) into one file, or with
// Options.RowsPerFile into several that are numbered, out-00001.parquet and so on. The format goes by the file's name.
// Schemas of the inputs may differ in the order of columns and in nullability.
//
// Rows that tie keep the order in which they are read. A Parquet output keeps schema, metadata, and column by column
// compression and use of dictionaries of the first input, and names the sort order in the metadata of all row groups. It
// is a complete file or none. An output may replace an input that is given by its name.
func Sort(ctx context.Context, paths []string, output string, opts Options) (*Result, error) {
	opts, err := opts.resolved()
	if err != nil {
		return nil, err
	}
	in, err := openInputs(ctx, paths, &opts)
	if err != nil {
		return nil, err
	}
	if err := checkAmong(paths, in.paths, output, opts.RowsPerFile > 0); err != nil {
		return nil, err
	}
	return sortInputs(ctx, in, output, in.each)
}

// sortInputs sorts what read gives.
func sortInputs(ctx context.Context, in *inputs, output string, read reading) (*Result, error) {
	sorter, err := NewSorter(ctx, in.schema, *in.opts)
	if err != nil {
		return nil, err
	}
	result, err := sortInto(ctx, in, sorter, output, read)
	if closing := sorter.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return nil, err
	}
	return result, nil
}

// reading gives all rows of the inputs to use.
type reading func(ctx context.Context, use func(table arrow.Table) error) error

func sortInto(ctx context.Context, in *inputs, s *Sorter, path string, read reading) (*Result, error) {
	out := &outputs{ctx: ctx, path: path, schema: s.plain, limit: in.opts.RowsPerFile}
	if err := out.configure(in); err != nil {
		return nil, err
	}
	if err := read(ctx, s.write); err != nil {
		return nil, err
	}
	sorted, err := s.merged()
	if err != nil {
		return nil, err
	}
	defer sorted.close()
	defer out.abort()
	plan, err := s.stats.plan()
	if err != nil {
		return nil, err
	}
	out.options.Sorting = tablefile.SortingOf(plan)
	if err := out.begin(); err != nil {
		return nil, err
	}
	if err := pump(ctx, sorted, out, s.rows, in.opts); err != nil {
		return nil, err
	}
	if err := out.finish(); err != nil {
		return nil, err
	}
	r := &Result{Inputs: in.paths, Columns: s.plain.NumFields(), Outputs: out.paths, Rows: s.rows, BytesIn: in.bytes, Runs: len(s.runs), BytesSpilled: s.spilled, Plan: plan.String()}
	r.BytesOut, err = out.commit()
	return r, err
}

// configure makes the options for writing what was read.
func (o *outputs) configure(in *inputs) error {
	compression, err := tablefile.ParseCompression(in.opts.Compression)
	if err != nil {
		return err
	}
	format, err := tablefile.ParseFormat(in.opts.OutputFormat)
	if err != nil {
		return err
	}
	if format, err = format.Resolve(o.path); err != nil {
		return err
	}
	o.options = tablefile.WriteOptions{Format: format, Compression: compression, Threads: in.opts.Threads, Allocator: in.opts.Allocator,
		Stdout: in.opts.Stdout, Delimiter: in.opts.Delimiter}
	if format == tablefile.Parquet {
		o.options.Schema, o.options.Layout, o.options.PageRows = in.schema, in.layout, in.opts.PageRows
		o.options.RowGroupRows = maxGroupRows // a table that is written is a row group
	}
	return tablefile.CheckWrite(o.path, o.options)
}

// maxGroupRows is more than any table that is written has.
const maxGroupRows = 1<<31 - 1

// pump writes sorted rows while the next are merged.
func pump(ctx context.Context, sorted tables, out *outputs, total int64, opts *Options) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	pieces := make(chan arrow.Table)
	go func() {
		defer close(pieces)
		for {
			piece, err := sorted.next(ctx)
			if err != nil {
				if err != io.EOF {
					cancel(err)
				}
				return
			}
			pieces <- piece
		}
	}()
	done := int64(0)
	for piece := range pieces { // to the end, so that the goroutine ends
		if ctx.Err() == nil {
			if err := out.write(ctx, piece); err != nil {
				cancel(err)
			}
			done += piece.NumRows()
			opts.Progress(PhaseWrite, done, total)
		}
		piece.Release()
	}
	return context.Cause(ctx)
}
