package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// limitGarbage has garbage collected before the process takes much more than the budget, unless GOMEMLIMIT says when. What
// it returns ends that.
func limitGarbage(budget int64) (end func()) {
	if os.Getenv("GOMEMLIMIT") != "" || budget == 0 {
		return func() {}
	}
	before := debug.SetMemoryLimit(-1)
	debug.SetMemoryLimit(min(before, budget+besideBudget))
	return func() { debug.SetMemoryLimit(before) }
}

// besideBudget is for what the budget does not cover: stacks, the runtime, encoders.
const besideBudget = 16 << 20

// An external job sorts or merges files within a memory budget.
type external struct {
	*job
	to    *outputFlags
	phase string // that it begins with; empty: one that is told
	work  func(ctx context.Context, paths []string, output string, opts parquetsort.Options) (*parquetsort.Result, error)
}

// run does the job, writes and previews the result, and reports.
func (e *external) run(ctx context.Context, spill *spillFlags) error {
	out := e.to
	if out.path == "" {
		return e.runPreview(ctx, spill)
	}
	if out.path == tablefile.Pipe && e.outTerminal {
		e.show = newProgress(e.streams, true) // a bar would be drawn among the rows
	}
	result, err := e.sort(ctx, spill, out.path)
	if err != nil {
		return err
	}
	e.report.Output, e.report.BytesOut = out.path, result.BytesOut
	if spill.splits() {
		e.report.Outputs = result.Outputs
	}
	if out.preview > 0 {
		if err := e.printFirst(ctx, result.Outputs[0], out.options.Format); err != nil {
			return err
		}
	}
	return e.finish(out.path == tablefile.Pipe)
}

// sort does the work and reports it.
func (e *external) sort(ctx context.Context, spill *spillFlags, output string) (*parquetsort.Result, error) {
	if e.phase == parquetsort.PhaseRead {
		engine, closeEngine, err := e.openEngine(0) // runs are too small for a GPU, unless it is asked for
		if err != nil {
			return nil, err
		}
		defer closeEngine()
		spill.options.Engine = engine
	}
	defer limitGarbage(spill.options.Memory)()
	phases := &phases{job: e.job, input: filesText(spill.files), output: output}
	if e.to.path == "" {
		phases.output = "the first rows"
	}
	spill.options.Progress = phases.told
	phases.begin(e.phase)
	result, err := e.work(ctx, spill.args, output, spill.options)
	phases.end(err == nil)
	if err != nil {
		return nil, inTerms(err)
	}
	r := &e.report
	r.Rows, r.RowsOut, r.Columns, r.BytesIn = result.RowsIn, result.Rows, int64(result.Columns), result.BytesIn
	r.Runs, r.BytesSpilled, r.Plan, r.Copied = result.Runs, result.BytesSpilled, result.Plan, result.Copied
	if len(result.Inputs) > 1 {
		r.Inputs = result.Inputs
	}
	return result, nil
}

// filesText is some files in a few words.
func filesText(files []string) string {
	if len(files) > 1 {
		return counted(int64(len(files)), "file")
	}
	return displayName(files[0], "standard input")
}

// runPreview sorts for the first rows only, which are kept in memory.
func (e *external) runPreview(ctx context.Context, spill *spillFlags) error {
	var first bytes.Buffer
	spill.options.Stdout, spill.options.OutputFormat = &first, tablefile.IPCStream.String()
	rows := int64(e.to.preview)
	if spill.options.Limit == 0 || spill.options.Limit > rows {
		spill.options.Limit = rows
	}
	if _, err := e.sort(ctx, spill, tablefile.Pipe); err != nil {
		return err
	}
	in, err := tablefile.Read(ctx, tablefile.Pipe, tablefile.ReadOptions{Format: tablefile.IPCStream, Stdin: &first})
	if err != nil {
		return err
	}
	defer in.Table.Release()
	if err := preview(e.out, in.Table, in.Schema, e.to.preview); err != nil {
		return err
	}
	return e.finish(false)
}

// previewBytes are read of a file at a time for its first rows.
const previewBytes = 1 << 20

// printFirst prints the first rows of a file that was written.
func (e *external) printFirst(ctx context.Context, file string, format tablefile.Format) error {
	s, err := tablefile.Scan(file, previewBytes, tablefile.ReadOptions{Format: format})
	if err != nil {
		return err
	}
	defer s.Close()
	var records []arrow.Record
	defer func() {
		for _, rec := range records {
			rec.Release()
		}
	}()
	for rows := int64(0); rows < int64(e.to.preview); {
		table, err := s.Next(ctx)
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		rows += table.NumRows()
		r := array.NewTableReader(table, -1)
		for r.Next() {
			r.Record().Retain()
			records = append(records, r.Record())
		}
		r.Release()
		table.Release()
	}
	first := array.NewTableFromRecords(s.Schema, records)
	defer first.Release()
	return preview(e.out, first, s.Schema, e.to.preview)
}

// inTerms is an error of package parquetsort for somebody who does not call it.
func inTerms(err error) error {
	text := strings.TrimPrefix(err.Error(), "parquetsort: ")
	if errors.Is(err, parquetsort.ErrOption) {
		return usageError{strings.TrimPrefix(text, "invalid option: ")}
	}
	return termed{text, err}
}

// termed is an error in other words.
type termed struct {
	text string
	error
}

func (e termed) Error() string { return e.text }
func (e termed) Unwrap() error { return e.error }
