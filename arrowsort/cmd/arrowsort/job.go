package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// A job is one run of a command: what it shows while it works, and its report.
type job struct {
	streams
	flags  *jobFlags
	report report
	show   *progress
}

func startJob(s streams, command string, files []string, flags *jobFlags) *job {
	j := &job{streams: s, flags: flags, show: newProgress(s, flags.quiet || flags.json)}
	j.report = report{Command: command, Input: files[0], Engine: "cpu", start: time.Now()}
	for _, k := range flags.keys {
		j.report.Keys = append(j.report.Keys, k.text)
	}
	if len(files) > 1 {
		j.report.Inputs = files
	}
	return j
}

// writing is a function of package parquetsort that writes rows.
type writing func(opts parquetsort.Options, output string) (*parquetsort.Result, error)

// write does the work of a command that writes rows, and reports it. Without an output the rows are only previewed.
func (j *job) write(in *inputFlags, out *outputFlags, work writing) error {
	opts, output := in.options, out.path
	opts.Head = int64(out.preview)
	if output == "" {
		output, opts.OutputFormat, opts.Stdout = tablefile.Pipe, tablefile.IPCStream.String(), io.Discard
		if opts.Tail == 0 && (opts.Limit == 0 || opts.Limit > opts.Head) {
			opts.Limit = opts.Head // nobody sees more
		}
	}
	engine := &lazyEngine{flags: j.flags, used: &j.report.Engine}
	defer engine.close()
	if j.flags.engine != "" {
		opts.Engine = engine
	}
	defer limitGarbage(opts.Memory)()
	var result *parquetsort.Result
	err := j.phases(filesText(in.files), out.path, &opts, func() (err error) {
		result, err = work(opts, output)
		return err
	})
	if err != nil {
		return err
	}
	r := &j.report
	r.Rows, r.RowsOut, r.Columns, r.BytesIn = result.RowsIn, result.Rows, int64(result.Columns), result.BytesIn
	r.Runs, r.BytesSpilled, r.Plan, r.Copied = result.Runs, result.BytesSpilled, result.Plan, result.Copied
	if out.path != "" {
		r.Output, r.BytesOut = out.path, result.BytesOut
	}
	if in.splits() {
		r.Outputs = result.Outputs
	}
	if result.Head != nil {
		defer result.Head.Release()
		if err := preview(j.out, result.Head, result.Schema, out.preview, j.outWidth); err != nil {
			return err
		}
	}
	return j.finish(out.path == tablefile.Pipe)
}

// limitGarbage has garbage collected before the process takes much more than the budget, unless GOMEMLIMIT says when.
// What it returns ends that.
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

// filesText is some files in a few words.
func filesText(files []string) string {
	if len(files) > 1 {
		return counted(int64(len(files)), "file")
	}
	return displayName(files[0], "standard input")
}

// displayName is a file as it is called in progress and summary.
func displayName(path, pipe string) string {
	if path == tablefile.Pipe {
		return pipe
	}
	return filepath.Base(path)
}

// inTerms is an error of package parquetsort for somebody who does not call it.
func inTerms(err error) error {
	if err == nil {
		return nil
	}
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
