package main

import (
	"context"
	"path/filepath"
	"time"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A job is one run of a command: its input, what it says while it works, and what it has to report.
type job struct {
	streams
	flags  *jobFlags
	input  *tablefile.Input
	table  arrow.Table // the input, with positions in place of names that are missing
	keys   []arrowsort.Key
	report report
	show   *progress
	order  []tablefile.SortingColumn // of a finished sort
}

// startJob begins a job that has read nothing yet.
func startJob(s streams, command, path string, flags *jobFlags) *job {
	j := &job{streams: s, flags: flags, show: newProgress(s, flags.quiet || flags.json)}
	j.report = report{Command: command, Input: path, Engine: "cpu", start: time.Now()}
	for _, k := range flags.keys {
		j.report.Keys = append(j.report.Keys, k.text)
	}
	return j
}

// newJob reads the input of a command, once its output, if any, is known to have a place. With dictionaries, strings may come as such, which is faster where nobody sees it.
func newJob(ctx context.Context, s streams, command, path string, flags *jobFlags, out *outputFlags, dictionaries bool) (*job, error) {
	j := startJob(s, command, path, flags)
	if out != nil && out.path != "" {
		if err := tablefile.CheckTarget(out.path); err != nil {
			return nil, err
		}
	}
	if err := j.read(ctx, path, out, dictionaries); err != nil {
		return nil, err
	}
	j.report.Rows, j.report.Columns, j.report.BytesIn = j.input.Table.NumRows(), int64(j.input.Schema.NumFields()), j.input.Bytes
	if j.input.Columns != nil {
		among(j.keys, j.input.Columns)
	}
	names := j.input.Schema
	if j.input.Typed != nil {
		j.keysTyped()
		names = j.input.Table.Schema()
	}
	j.table = withNames(j.input.Table, tablefile.Pick(labelled(names), j.input.Columns))
	return j, nil
}

// read reads the input, after a look at its schema. Reading is announced when it begins.
func (j *job) read(ctx context.Context, path string, out *outputFlags, dictionaries bool) (err error) {
	start := time.Now()
	verbatim := j.report.Command == sortName && out != nil && out.path != "" && isCSV(j.flags.inFormat, path) && isCSV(out.options.Format, out.path)
	var told func(done, total int)
	j.input, err = tablefile.Read(ctx, path, tablefile.ReadOptions{
		Format: j.flags.inFormat, Stdin: j.in, Threads: j.flags.threads, Dictionaries: dictionaries, Delimiter: j.flags.delimiter, Verbatim: verbatim,
		Schema: func(schema *arrow.Schema) (columns []int, err error) {
			if j.keys, columns, err = j.flags.resolve(ctx, schema); j.report.Command == sortName && !verbatim {
				columns = nil // all
			}
			return columns, err
		},
		Start: func() { told = j.show.begin("reading", displayName(path, "standard input")) },
		Progress: func(done, total int) {
			if told != nil {
				told(done, total)
			}
		},
	})
	j.report.ReadSeconds = time.Since(start).Seconds()
	j.show.end(err == nil)
	return err
}

func (j *job) close() {
	j.table.Release()
	j.input.Table.Release()
}

// options are the options of the library for the job.
func (j *job) options(told func(done, total int)) arrowsort.Options {
	return arrowsort.Options{Limit: j.flags.limit, Threads: j.flags.threads, Progress: told, OnPlan: j.plan}
}

func (j *job) plan(p *keyencode.Plan) {
	j.report.Plan = p.String()
	j.order = tablefile.SortingOf(p)
}

// phase does a part of the job, shows how far it is and takes its time.
func (j *job) phase(verb, what string, seconds *float64, work func(told func(done, total int)) error) error {
	start := time.Now()
	told := j.show.begin(verb, what)
	err := work(told)
	*seconds = time.Since(start).Seconds()
	j.show.end(err == nil)
	return err
}

// displayName is a file as it is called in progress and summary.
func displayName(path, pipe string) string {
	if path == tablefile.Pipe {
		return pipe
	}
	return filepath.Base(path)
}
