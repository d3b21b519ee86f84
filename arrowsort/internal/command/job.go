package command

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// A command is one run of a subcommand: its flags, progress and report.
type command struct {
	streams
	commandFlags
	report report
	shows  bool // progress
}

// start checks the command line and starts the report.
func (c *command) start(cmd *cobra.Command, args []string) (err error) {
	c.options.Run.Warn = c.warn
	c.report = report{Command: cmd.Name(), Engine: "cpu", start: time.Now()}
	if err := c.parse(c.streams, cmd, args); err != nil {
		return err
	}
	warnOfMemory(c.options.Memory.Budget, c.warn)
	if c.keysOptional && len(c.keys) == 0 && c.options.Curve == 0 {
		c.keys, err = declaredKeys(cmd.Context(), c.files, c.piped, c.footers())
		if err != nil {
			return err
		}
		c.declared = true
	}
	if c.inTerminal && !c.quiet && slices.Contains(c.files, tablefile.Pipe) {
		fmt.Fprintln(c.err, "reading standard input, which is a terminal: end it with "+endOfInput+
			", or pipe a file into it")
	}
	c.shows = !c.quiet && !c.json
	c.report.Input, c.report.verbose = c.files[0], c.verbose
	for _, k := range c.keys {
		c.report.Keys = append(c.report.Keys, k.text)
	}
	if len(c.files) > 1 {
		c.report.Inputs = c.files
	}
	return nil
}

// does sets the function that a command runs after its flags are checked.
func (c *command) does(cmd *cobra.Command, work func(ctx context.Context, args []string) error) {
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := c.start(cmd, args); err != nil {
			return err
		}
		return work(cmd.Context(), args)
	}
}

// writes sets the function by which a command writes rows.
func (c *command) writes(cmd *cobra.Command, work writing) {
	c.does(cmd, func(ctx context.Context, args []string) error { return c.write(ctx, args, work) })
}

// writing is a function of package parquetsort that writes rows.
type writing func(ctx context.Context, inputs []string, output string, opts parquetsort.Options) (*parquetsort.Result,
	error)

// write runs a command that writes rows, and reports it. Without an output the rows are only previewed.
func (c *command) write(ctx context.Context, inputs []string, work writing) error {
	opts, output := &c.options, c.output
	if output == "" {
		output, opts.Output.Format, opts.Output.Stdout = tablefile.Pipe, parquetsort.ArrowStream, io.Discard
		if opts.Curve == 0 && opts.Rows.Tail == 0 && (opts.Rows.Limit == 0 || opts.Rows.Limit > opts.Output.Preview) {
			opts.Rows.Limit = opts.Output.Preview // more rows are not shown
		}
	}
	opts.Output.Depth = c.json || !c.quiet
	engine := &gpuOnDemand{engineChoice: c.engine, used: &c.report.Engine,
		threads: cmp.Or(opts.Run.Threads, runtime.GOMAXPROCS(0))}
	if c.engine.name != "" {
		opts.Run.Engine = engine
	}
	var result *parquetsort.Result
	err := c.run(func() (err error) {
		result, err = work(ctx, inputs, output, *opts)
		return err
	})
	if err != nil {
		return err
	}
	r := &c.report
	r.GPUs = engine.reports()
	r.Rows, r.RowsOut, r.Columns, r.BytesIn = &result.RowsIn, result.Rows, int64(result.Columns), result.BytesIn
	r.Runs, r.BytesSpilled, r.Plan, r.Copied = result.Runs, result.BytesSpilled, result.Plan, result.Copied
	r.RowGroups, r.RowGroupsRead, r.Pages, r.PagesRead = result.RowGroups, result.RowGroupsRead, result.Pages,
		result.PagesRead
	if c.output != "" {
		r.Output, r.BytesOut = c.output, result.BytesOut
	}
	if c.options.Output.Splits() {
		r.Outputs = result.Outputs
	}
	if result.Preview != nil {
		defer result.Preview.Release()
		if err := preview(c.out, result.Preview, result.Schema, int(opts.Output.Preview), c.outWidth); err != nil {
			return err
		}
	}
	r.Depth = result.Depth
	r.PartitionBy = opts.Output.PartitionBy
	r.order = orderWords[r.Command] + keysInWords(c.keys)
	if len(r.PartitionBy) > 0 {
		r.order += " in partitions by " + strings.Join(r.PartitionBy, ", ")
	}
	if curve := opts.Curve; curve != 0 {
		r.Curve, r.order = curve.String(), fmt.Sprintf("sorted along a %v curve over %s", curve, keysInWords(c.keys))
	}
	return c.finish(c.output == tablefile.Pipe)
}

// orderWords says what a command did to the rows.
var orderWords = map[string]string{"sort": "sorted by ", mergeName: "merged by ", argsortName: "row numbers sorted by "}

// run runs a job with its progress shown. Errors are in terms of the command.
func (c *command) run(work func() error) error {
	defer limitGarbage(c.options.Memory.Budget)()
	p := startProgress(c)
	c.options.Run.Progress = p.report
	err := work()
	p.end()
	c.report.Objects = c.stores.traffic()
	return forCommandLine(err)
}

// warnOfMemory warns of a budget that is more memory than there is. It is no error: a script may run on other machines.
func warnOfMemory(budget int64, warn func(text string)) {
	if totalMemory > 0 && budget > totalMemory {
		warn(fmt.Sprintf("--memory is %s, and the machine or container has %s: the system may swap, or end the process"+
			"; give less, or leave --memory out for two fifths of that", bytesText(budget), bytesText(totalMemory)))
	}
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

// progress measures the phases of a job, and shows the current one: by a bar on a terminal, which is erased at the end,
// elsewhere by plain lines.
type progress struct {
	job   *command
	phase parquetsort.Phase
	text  string      // empty: the phase is not shown
	line  *statusLine // nil: nothing is drawn
	start time.Time
}

// startProgress starts with the phase in which the inputs are opened.
func startProgress(c *command) *progress {
	p := &progress{job: c, start: time.Now()}
	if c.shows && c.status != nil {
		p.line = c.status
		p.show("opening "+filesText(c.files), 0, 0)
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
	if p.job.streams.progress != nil {
		p.job.streams.progress(string(phase), done, total)
	}
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

// unitOf returns the unit of a phase. It is not shown where the total is known.
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
	c := p.job
	text := string(phase)
	switch phase {
	case parquetsort.PhaseSort:
		return text + " by " + keysInWords(c.keys)
	case parquetsort.PhaseMeasure:
		return text + " the keys"
	case parquetsort.PhaseMerge:
		return text
	case parquetsort.PhaseCheck:
		if c.report.ReadSeconds > 0 {
			return text + " the order" // of a table in memory
		}
	case parquetsort.PhaseWrite, parquetsort.PhaseSave:
		switch {
		case c.output != "":
			return text + " " + displayName(c.output, "standard output")
		case phase == parquetsort.PhaseSave:
			return ""
		}
		return text + " the first rows"
	}
	return text + " " + filesText(c.files)
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

// warn reports a warning once, and prints it if not quiet or JSON.
func (c *command) warn(text string) {
	if slices.Contains(c.report.Warnings, text) {
		return
	}
	c.report.Warnings = append(c.report.Warnings, text)
	if !c.quiet && !c.json {
		fmt.Fprintln(c.err, "arrowsort: warning:", printable(text))
	}
}

// answer prints the answer of a command that writes no rows.
func (c *command) answer(lines []string) error {
	if c.json {
		return c.report.writeJSON(c.out)
	}
	for i := range lines {
		lines[i] = printable(lines[i])
	}
	_, err := fmt.Fprintln(c.out, strings.Join(lines, "\n"))
	return err
}

// finish ends a job with its report; standard output may hold the sorted table.
func (c *command) finish(outputTaken bool) error {
	switch {
	case c.json && outputTaken:
		return c.report.writeJSON(c.err)
	case c.json:
		return c.report.writeJSON(c.out)
	case c.quiet:
		return nil
	}
	return c.report.writeText(c.err)
}
