package main

import (
	"context"
	"os"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// spillFlags are the flags of a sort within a memory budget.
type spillFlags struct {
	memory      string
	dir         string
	compression string
	rowsPerFile int64

	files   []string // the inputs, patterns and folders expanded
	options parquetsort.Options
}

func (f *spillFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.memory, "memory", "", "sort files within `SIZE` of memory, such as 512MiB (default half of all)")
	flags.StringVar(&f.dir, "spill-dir", "", "spill what does not fit in memory to `DIR` (default: the folder for temporary files)")
	flags.StringVar(&f.compression, "spill-compression", "", "compress what is spilled with `codec` lz4 or zstd")
	flags.Int64Var(&f.rowsPerFile, "rows-per-file", 0, "write files of `N` rows, out-00001.parquet and so on")
}

// parse checks the flags and finds out whether the sort is one within a budget: when its inputs are several or do not fit
// in memory, or its outputs are several.
func (f *spillFlags) parse(cmd *cobra.Command, args []string, in *jobFlags, out *outputFlags) (external bool, err error) {
	if f.options.Memory, err = parseSize(f.memory); err != nil {
		return false, usagef("--memory: %v", err)
	}
	switch {
	case f.memory != "" && f.options.Memory < parquetsort.MinMemory:
		return false, usagef("--memory %s: give at least %d MiB", f.memory, parquetsort.MinMemory>>20)
	case f.rowsPerFile < 0:
		return false, usagef("--rows-per-file is %d, give the number of rows", f.rowsPerFile)
	case f.compression != "" && f.compression != "lz4" && f.compression != "zstd":
		return false, usagef("--spill-compression %q: use lz4 or zstd", f.compression)
	}
	asked := ""
	for _, name := range []string{"memory", "spill-dir", "spill-compression", "rows-per-file"} {
		if cmd.Flags().Changed(name) {
			asked = "--" + name
		}
	}
	if len(args) > 1 {
		asked = "several inputs"
	}
	files, err := parquetsort.Expand(args)
	if err != nil {
		if args[0] == tablefile.Pipe && len(args) == 1 {
			files, err = args, nil
		} else {
			return false, err
		}
	}
	f.files = files
	if why := inMemoryOnly(files, in, out); why != "" {
		if len(files) > 1 && asked == "" {
			asked = "several inputs"
		}
		if asked != "" {
			return false, usagef("%s: %s", asked, why)
		}
		return false, nil
	}
	f.options = parquetsort.Options{
		Memory: f.options.Memory, SpillDir: f.dir, SpillCompression: f.compression, RowsPerFile: f.rowsPerFile,
		RowGroupRows: out.rowGroupRows, Compression: out.compression, Threads: in.threads,
		InputFormat: in.format, OutputFormat: out.format,
	}
	if f.options.Keys, err = resolveIn(cmd.Context(), files[0], in); err != nil {
		return false, err
	}
	if len(files) > 1 || f.rowsPerFile > 0 {
		return true, nil
	}
	fits, err := parquetsort.FitsInMemory(cmd.Context(), files, f.options)
	return !fits, err
}

// inMemoryOnly says why a sort can only be done in memory; empty when it need not.
func inMemoryOnly(files []string, in *jobFlags, out *outputFlags) string {
	switch {
	case in.engine == "gpu":
		return "--engine gpu sorts one table in memory"
	case in.limit > 0:
		return "--limit sorts one table in memory"
	case out.preview > 0:
		return "--preview sorts one table in memory"
	case out.path == tablefile.Pipe:
		return "standard output gets one table from memory"
	}
	if format, err := out.options.Format.Resolve(out.path); err == nil && format == tablefile.CSV {
		return "CSV is written from memory"
	}
	for _, file := range files {
		if why := readWhole(file, in); why != "" {
			return why
		}
	}
	return ""
}

// readWhole says why a file is read as a whole; empty when it can be read piece by piece.
func readWhole(file string, in *jobFlags) string {
	info, err := os.Stat(file)
	switch {
	case file == tablefile.Pipe || err == nil && !info.IsDir() && !info.Mode().IsRegular():
		return file + " is read into memory"
	case err == nil && info.IsDir():
		return ""
	}
	if format, err := in.inFormat.Resolve(file); err != nil || format == tablefile.CSV {
		return file + " is not known to be Parquet or Arrow, and read into memory"
	}
	return ""
}

// resolveIn finds the keys in the schema of a file.
func resolveIn(ctx context.Context, file string, in *jobFlags) ([]arrowsort.Key, error) {
	s, err := tablefile.Scan(file, 0, tablefile.ReadOptions{Format: in.inFormat})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	keys, _, err := in.resolve(ctx, s.Schema)
	return keys, err
}

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

// runExternal sorts within a memory budget.
func runExternal(ctx context.Context, s streams, args []string, in *jobFlags, out *outputFlags, spill *spillFlags) error {
	if spill.rowsPerFile == 0 {
		if err := tablefile.CheckTarget(out.path); err != nil {
			return err
		}
	}
	defer limitGarbage(spill.options.Memory)()
	j := startJob(s, "sort", args[0], in)
	j.report.Output = out.path
	phases := &phases{job: j, output: out.path}
	spill.options.Progress = phases.told
	phases.begin(parquetsort.PhaseRead)
	result, err := parquetsort.Sort(ctx, args, out.path, spill.options)
	phases.end(err == nil)
	if err != nil {
		return err
	}
	r := &j.report
	r.Rows, r.RowsOut, r.Columns, r.BytesIn, r.BytesOut = result.Rows, result.Rows, int64(result.Columns), result.BytesIn, result.BytesOut
	r.Runs, r.BytesSpilled, r.Plan = result.Runs, result.BytesSpilled, result.Plan
	if len(result.Inputs) > 1 {
		r.Inputs = result.Inputs
	}
	if spill.rowsPerFile > 0 {
		r.Outputs = result.Outputs
	}
	return j.finish(false)
}

// phases shows the phases of a sort as they come.
type phases struct {
	job    *job
	output string
	phase  string
	move   func(done, total int)
	start  time.Time
}

func (p *phases) begin(phase string) {
	p.phase, p.start = phase, time.Now()
	file := p.job.report.Input
	if phase == parquetsort.PhaseWrite {
		file = p.output
	}
	p.move = p.job.show.begin(phase, displayName(file, ""))
}

func (p *phases) end(ok bool) {
	seconds := &p.job.report.SortSeconds
	if p.phase == parquetsort.PhaseWrite {
		seconds = &p.job.report.WriteSeconds
	}
	*seconds = time.Since(p.start).Seconds()
	p.job.show.end(ok)
}

func (p *phases) told(phase string, done, total int64) {
	if phase != p.phase {
		p.end(true)
		p.begin(phase)
	}
	if p.move != nil {
		p.move(int(done), int(total))
	}
}
