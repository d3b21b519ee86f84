package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// A job is one run of a command: its flags, its progress and its report.
type job struct {
	streams
	jobFlags
	report report
	shows  bool // progress
}

// start checks the command line and starts the report.
func (j *job) start(cmd *cobra.Command, args []string) error {
	j.options.Run.Warn = j.warn
	j.report = report{Command: cmd.Name(), Engine: "cpu", start: time.Now()}
	if err := j.parse(j.streams, cmd, args); err != nil {
		return err
	}
	if j.keysOptional && len(j.keys) == 0 {
		if err := j.declaredKeys(cmd.Context()); err != nil {
			return err
		}
	}
	if j.inTerminal && !j.quiet && slices.Contains(j.files, tablefile.Pipe) {
		fmt.Fprintln(j.err, "reading standard input, which is a terminal: end it with "+endOfInput+
			", or pipe a file into it")
	}
	j.shows = !j.quiet && !j.json
	j.report.Input, j.report.verbose = j.files[0], j.verbose
	for _, k := range j.keys {
		j.report.Keys = append(j.report.Keys, k.text)
	}
	if len(j.files) > 1 {
		j.report.Inputs = j.files
	}
	return nil
}

// does sets the function that a command runs after its flags are checked.
func (j *job) does(cmd *cobra.Command, work func(ctx context.Context, args []string) error) {
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := j.start(cmd, args); err != nil {
			return err
		}
		return work(cmd.Context(), args)
	}
}

// writes sets the function by which a command writes rows.
func (j *job) writes(cmd *cobra.Command, work writing) {
	j.does(cmd, func(ctx context.Context, args []string) error { return j.write(ctx, args, work) })
}

// writing is a function of package parquetsort that writes rows.
type writing func(ctx context.Context, inputs []string, output string, opts parquetsort.Options) (*parquetsort.Result,
	error)

// write runs a command that writes rows, and reports it. Without an output the rows are only previewed.
func (j *job) write(ctx context.Context, inputs []string, work writing) error {
	opts, output := &j.options, j.output
	if output == "" {
		output, opts.Output.Format, opts.Output.Stdout = tablefile.Pipe, parquetsort.ArrowStream, io.Discard
		if opts.Rows.Tail == 0 && (opts.Rows.Limit == 0 || opts.Rows.Limit > opts.Output.Preview) {
			opts.Rows.Limit = opts.Output.Preview // more rows are not shown
		}
	}
	engine := &gpuOnDemand{flags: &j.jobFlags, used: &j.report.Engine}
	defer engine.close()
	if j.engine != "" {
		opts.Run.Engine = engine
	}
	var result *parquetsort.Result
	err := j.run(func() (err error) {
		result, err = work(ctx, inputs, output, *opts)
		return err
	})
	if err != nil {
		return err
	}
	r := &j.report
	r.GPUs = engine.reports()
	r.Rows, r.RowsOut, r.Columns, r.BytesIn = &result.RowsIn, result.Rows, int64(result.Columns), result.BytesIn
	r.Runs, r.BytesSpilled, r.Plan, r.Copied = result.Runs, result.BytesSpilled, result.Plan, result.Copied
	if j.output != "" {
		r.Output, r.BytesOut = j.output, result.BytesOut
	}
	if j.splits() {
		r.Outputs = result.Outputs
	}
	if result.Preview != nil {
		defer result.Preview.Release()
		if err := preview(j.out, result.Preview, result.Schema, int(opts.Output.Preview), j.outWidth); err != nil {
			return err
		}
	}
	r.order = orderWords[r.Command] + keysInWords(j.keys)
	return j.finish(j.output == tablefile.Pipe)
}

// orderWords says what a command did to the rows.
var orderWords = map[string]string{"sort": "sorted by ", mergeName: "merged by ", argsortName: "row numbers sorted by "}

// run runs a job with its progress shown. Errors are in terms of the command.
func (j *job) run(work func() error) error {
	defer limitGarbage(j.options.Memory.Budget)()
	p := startProgress(j)
	j.options.Run.Progress = p.report
	err := work()
	p.end()
	return forCommandLine(err)
}

// limitGarbage sets the memory limit of the garbage collector to a little more than the budget, unless GOMEMLIMIT is
// set. The returned function restores the limit.
func limitGarbage(budget int64) (end func()) {
	if os.Getenv("GOMEMLIMIT") != "" || budget == 0 {
		return func() {}
	}
	before := debug.SetMemoryLimit(-1)
	debug.SetMemoryLimit(min(before, budget+unbudgetedBytes))
	return func() { debug.SetMemoryLimit(before) }
}

// unbudgetedBytes is memory outside of the budget: stacks, the runtime, encoders.
const unbudgetedBytes = 16 << 20

// filesText describes some files in a few words.
func filesText(files []string) string {
	if len(files) > 1 {
		return counted(int64(len(files)), "file")
	}
	return displayName(files[0], "standard input")
}

// displayName returns the name of a file in progress and summary.
func displayName(path, pipe string) string {
	if path == tablefile.Pipe {
		return pipe
	}
	return filepath.Base(path)
}

// forCommandLine rewords an error of package parquetsort in terms of the command's flags.
func forCommandLine(err error) error {
	if err == nil {
		return nil
	}
	text := strings.TrimPrefix(err.Error(), "parquetsort: ")
	if errors.Is(err, parquetsort.ErrOption) {
		return usageError{strings.TrimPrefix(text, "invalid option: ")}
	}
	return reworded{text, err}
}

// reworded is an error with another text.
type reworded struct {
	text string
	error
}

func (e reworded) Error() string { return e.text }
func (e reworded) Unwrap() error { return e.error }

// progress measures the phases of a job, and shows the current one: by a bar on a terminal, which is erased at the end,
// elsewhere by plain lines.
type progress struct {
	job   *job
	phase parquetsort.Phase
	text  string      // empty: the phase is not shown
	line  *statusLine // nil: nothing is drawn
	start time.Time
}

// startProgress starts with the phase in which the inputs are opened.
func startProgress(j *job) *progress {
	p := &progress{job: j, start: time.Now()}
	if j.shows && j.status != nil {
		p.line = j.status
		p.show("opening "+filesText(j.files), 0, 0)
		p.line.start()
	}
	return p
}

// report is called by package parquetsort. A total of 0 or less means unknown.
func (p *progress) report(phase parquetsort.Phase, done, total int64) {
	if phase != p.phase {
		if p.phase != "" {
			p.endPhase()
		} // else what was done before the first phase counts as part of it
		p.begin(phase)
	}
	p.show(p.text, done, total)
}

func (p *progress) begin(phase parquetsort.Phase) {
	p.phase, p.text = phase, printable(p.describe(phase))
	saves := phase == parquetsort.PhaseWrite || phase == parquetsort.PhaseSave
	if saves && p.job.output == tablefile.Pipe && p.job.outTerminal {
		p.job.shows = false // a bar would be drawn among the rows
		p.endBar()
	}
	if p.job.shows && p.job.status == nil && p.text != "" {
		fmt.Fprintln(p.job.err, p.text)
	}
}

// show shows the phase in the bar.
func (p *progress) show(text string, done, total int64) {
	if p.line != nil && text != "" {
		p.line.state.Store(&jobState{text, unitOf(p.phase), done, total, p.start})
	}
}

// unitOf returns the unit of a phase. Loading has one only if the total is unknown, from a pipe.
func unitOf(phase parquetsort.Phase) unit {
	switch phase {
	case parquetsort.PhaseSort, parquetsort.PhaseSave, parquetsort.PhaseMeasure:
		return inSteps
	case parquetsort.PhaseWrite, parquetsort.PhaseMerge:
		return inRows
	}
	return inBytes
}

// describe names a phase and its files; empty for a phase that is not shown.
func (p *progress) describe(phase parquetsort.Phase) string {
	j := p.job
	text := string(phase)
	switch phase {
	case parquetsort.PhaseSort:
		return text + " by " + keysInWords(j.keys)
	case parquetsort.PhaseMeasure:
		return text + " the keys"
	case parquetsort.PhaseMerge:
		return text
	case parquetsort.PhaseCheck:
		if j.report.ReadSeconds > 0 {
			return text + " the order" // of a table in memory
		}
	case parquetsort.PhaseWrite, parquetsort.PhaseSave:
		switch {
		case j.output != "":
			return text + " " + displayName(j.output, "standard output")
		case phase == parquetsort.PhaseSave:
			return ""
		}
		return text + " the first rows"
	}
	return text + " " + filesText(j.files)
}

// endPhase adds the time of the phase to the report.
func (p *progress) endPhase() {
	elapsed := time.Since(p.start).Seconds()
	p.start = time.Now()
	switch r := &p.job.report; p.phase {
	case parquetsort.PhaseLoad, parquetsort.PhaseTypes:
		r.ReadSeconds += elapsed
	case parquetsort.PhaseWrite, parquetsort.PhaseSave, parquetsort.PhaseCopy:
		r.WriteSeconds += elapsed
	default:
		r.SortSeconds += elapsed
	}
}

// end ends the last phase and erases the bar.
func (p *progress) end() {
	p.endPhase()
	p.endBar()
}

func (p *progress) endBar() {
	if p.line != nil {
		p.line.end()
		p.line = nil
	}
}

// warn prints a warning once, above a bar, or adds it to the report.
func (j *job) warn(text string) {
	if slices.Contains(j.report.Warnings, text) {
		return
	}
	j.report.Warnings = append(j.report.Warnings, text)
	if !j.quiet && !j.json {
		fmt.Fprintln(j.err, "arrowsort: warning:", printable(text))
	}
}
