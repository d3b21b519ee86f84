package main

import (
	"context"
	"path/filepath"
	"time"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A job is one run of a command: its input, what it says while it works, and what it has to report.
type job struct {
	streams
	flags  *jobFlags
	input  *tablefile.Input
	keys   []arrowsort.Key
	report report
	show   *progress
	order  []tablefile.SortingColumn // of a finished sort
}

// startJob begins a job that has read nothing yet.
func startJob(s streams, command, path string, flags *jobFlags) *job {
	j := &job{streams: s, flags: flags, show: newProgress(s.err, flags.quiet || flags.json)}
	j.report = report{Command: command, Input: path, Engine: "cpu", start: time.Now()}
	for _, k := range flags.keys {
		j.report.Keys = append(j.report.Keys, k.text)
	}
	return j
}

// newJob reads the input of a command. With dictionaries, strings may come as such, which is faster where nobody sees it.
func newJob(ctx context.Context, s streams, command, path string, flags *jobFlags, dictionaries bool) (*job, error) {
	j := startJob(s, command, path, flags)
	err := j.phase("reading", displayName(path, "standard input"), &j.report.ReadSeconds, func(told func(done, total int)) (err error) {
		j.input, err = tablefile.Read(ctx, path, tablefile.ReadOptions{
			Format: flags.inFormat, Stdin: s.in, Threads: flags.threads, Dictionaries: dictionaries, Progress: told,
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	table := j.input.Table
	j.report.Rows, j.report.Columns, j.report.BytesIn = table.NumRows(), table.NumCols(), j.input.Bytes
	if j.keys, err = flags.columns(table.Schema()); err != nil {
		table.Release()
		return nil, err
	}
	return j, nil
}

func (j *job) close() { j.input.Table.Release() }

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
