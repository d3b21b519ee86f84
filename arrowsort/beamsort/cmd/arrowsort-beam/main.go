// Command arrowsort-beam sorts Parquet and Arrow files on a runner of Apache Beam.
//
//	arrowsort-beam sort -k delay:desc -k date -o sorted/ flights-*.parquet
//	arrowsort-beam sort -k delay --runner=flink --endpoint=HOST:8099 -o gs://bucket/sorted 'gs://bucket/in/*.parquet'
//
// The output is a folder of shards, each sorted, each after the one before it. Without --runner the pipeline runs in
// this process. -h lists the flags of the command, --help-beam those of Beam. Exit codes: 0 when all went well, 1 after
// an error, 2 for wrong usage, 130 after Ctrl-C (128 and the number of a signal).
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	_ "time/tzdata" // the zones of year(a), where the image of a worker has no tables

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/beamsort"
	_ "github.com/arrowsort/arrowsort/arrowsort/beamsort/objects" // gs and s3
	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu"
	"github.com/arrowsort/arrowsort/arrowsort/internal/flagtext"
	"github.com/arrowsort/arrowsort/arrowsort/internal/interrupt"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/atomicfile"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
	"github.com/arrowsort/arrowsort/gpu"
)

func main() {
	beams := map[string]bool{} // flags that are defined already
	flag.VisitAll(func(f *flag.Flag) { beams[f.Name] = true })
	job := defineFlags(flag.CommandLine)
	args := os.Args[1:]
	mustParse := func(args []string) []string { return mustParse(job, beams, args) }
	if len(args) > 0 && strings.HasPrefix(args[0], "-") { // a runner starts a worker, or the user asks for help
		mustParse(args)
		beam.Init() // does not return in a worker
		exit(errUsage)
	}
	if len(args) == 0 || args[0] != "sort" {
		exit(errUsage)
	}
	job.inputs = mustParse(args[1:])
	log.SetupLogging(job.logLevel, log.LogKind)
	beam.Init()
	ctx := interrupt.Context(func() {
		atomicfile.RemoveLive()
		interrupt.Briefly(func() { fmt.Fprintln(os.Stderr, interrupted) })
	})
	err := job.run(ctx)
	if signal := (interrupt.Signal{}); err != nil && errors.As(context.Cause(ctx), &signal) {
		atomicfile.RemoveLive()
		fmt.Fprintln(os.Stderr, interrupted)
		os.Exit(signal.ExitCode())
	}
	exit(err)
}

// interrupted is what is printed after a signal.
const interrupted = "arrowsort-beam: interrupted"

var errUsage = errors.New(usage + "arrowsort-beam -h lists the flags")

// exit ends the process with the code of an error.
func exit(err error) {
	code := 0
	switch {
	case err == nil:
	case errors.Is(err, errUsage):
		fmt.Fprintln(os.Stderr, err)
		code = 2
	case errors.As(err, new(mistake)), errors.Is(err, arrowsort.ErrOption):
		fmt.Fprintln(os.Stderr, "arrowsort-beam:", err)
		code = 2
	default:
		fmt.Fprintln(os.Stderr, "arrowsort-beam:", cause(err.Error()))
		code = 1
	}
	os.Exit(code)
}

// cause is the error of a step, which Beam prints after the plan that the step is a part of.
func cause(text string) string {
	const failed = "] failed:\n"
	if at := strings.LastIndex(text, failed); at >= 0 {
		return text[at+len(failed):]
	}
	return text
}

// A job is what the command line asks for.
type job struct {
	keys     texts
	inputs   []string
	output   string
	logLevel string
	beamHelp bool // Beam's flags are to be listed
	options  beamsort.Options
}

// texts are the values of a flag that is given several times.
type texts []string

func (t *texts) String() string { return strings.Join(*t, " ") }

func (t *texts) Set(text string) error {
	*t = append(*t, text)
	return nil
}

func defineFlags(flags *flag.FlagSet) *job {
	j := &job{}
	o := &j.options
	flags.Var(&j.keys, "k", flagtext.KeyHelp)
	flags.StringVar(&j.output, "o", "", "`FOLDER` of the sorted files, local or as in gs://bucket/folder")
	flags.IntVar(&o.Shards, "shards", 0, "sorted files that are written; 0: one for each 256 MiB of rows in\nmemory")
	flags.Func("memory", "`SIZE` of a worker's memory for a part that is read or a shard that is\n"+
		"sorted, as 2GiB (default a quarter of the machine's)", func(text string) (err error) {
		o.Memory, err = flagtext.ParseSize(text, parquetsort.MinMemory)
		return err
	})
	flags.StringVar(&o.SpillDir, "spill-dir", "", "`FOLDER` of a worker for what does not fit in its memory")
	flags.StringVar(&o.ShuffleDir, "shuffle-dir", "", "local or shared `FOLDER` in which rows travel to their shards\n"+
		"(default the folder of -o; if that is an object store --spill-dir in\nthe process, the runner elsewhere)")
	flags.BoolVar(&o.RunnerShuffle, "runner-shuffle", false, "rows travel through the runner, not in files")
	flags.StringVar(&o.SpillCompression, "spill-compression", "", "compress what is spilled: lz4 or zstd")
	flags.StringVar(&o.InputFormat, "format", "", "format of the inputs: parquet, arrow or arrows; by their names")
	flags.StringVar(&o.Compression, "compression", "", "`CODEC[:LEVEL]` of the sorted files (default zstd)")
	flags.IntVar(&o.RowGroupRows, "row-group-rows", 0, "rows of a row group; 0: 262,144")
	flags.IntVar(&o.PageRows, "page-rows", 0, "most rows of a page; 0: 16,384")
	flags.StringVar(&o.Engine, "engine", "", "what sorts the shards: cpu, gpu or auto, a GPU where a worker has one\n"+
		"(default cpu)")
	flags.IntVar(&o.Threads, "threads", 0, "threads of a step on a worker; 0: all")
	flags.StringVar(&j.logLevel, "log-level", "warn", "what Beam reports: debug, info, warn or error")
	flags.BoolVar(&j.beamHelp, beamHelp, false, "list the flags of Beam and of its runners")
	flags.Usage = func() {} // errors would be followed by all flags, most of them Beam's
	return j
}

// mustParse reads the flags of the process, and ends it after a mistake or a request for help. beams are the flags of
// Beam.
func mustParse(j *job, beams map[string]bool, args []string) (inputs []string) {
	flag.CommandLine.Init(os.Args[0], flag.ContinueOnError)
	flag.CommandLine.SetOutput(io.Discard)
	inputs, err := parse(flag.CommandLine, args)
	switch {
	case errors.Is(err, flag.ErrHelp), err == nil && j.beamHelp:
		_, err := fmt.Print(help(flag.CommandLine, beams, j.beamHelp))
		exit(err)
	case err != nil:
		exit(fmt.Errorf("arrowsort-beam: %v\n%w", err, errUsage))
	}
	return inputs
}

// parse reads flags, which may follow inputs, and returns these.
func parse(flags *flag.FlagSet, args []string) (inputs []string, err error) {
	for len(args) > 0 {
		if err := flags.Parse(args); err != nil {
			return nil, err
		}
		if args = flags.Args(); len(args) > 0 {
			inputs, args = append(inputs, args[0]), args[1:]
		}
	}
	return inputs, nil
}

// run builds the pipeline and runs it.
func (j *job) run(ctx context.Context) error {
	if len(j.keys) == 0 || len(j.inputs) == 0 || j.output == "" {
		return errUsage
	}
	j.options.KeysFor = j.keysFor
	if o := &j.options; o.ShuffleDir == "" && !o.RunnerShuffle && strings.Contains(j.output, "://") && inProcess() {
		o.ShuffleDir = cmp.Or(o.SpillDir, os.TempDir())
	}
	if err := checkOutput(j.output); err != nil {
		return err
	}
	if err := checkRunner(ctx, os.Stderr); err != nil {
		return err
	}
	p, scope := beam.NewPipelineWithRoot()
	if _, err := beamsort.Sort(ctx, scope, j.inputs, j.output, nil, j.options); err != nil {
		return errors.Join(err, beamsort.Cleanup())
	}
	result, err := beamx.RunWithMetrics(ctx, p)
	if err != nil {
		return errors.Join(err, beamsort.Cleanup())
	}
	_, err = fmt.Println(beamsort.Summary(result))
	return err
}

// keysFor are the keys in the schema of the inputs.
func (j *job) keysFor(schema *arrow.Schema) ([]arrowsort.Key, error) {
	keys := make([]arrowsort.Key, len(j.keys))
	for i, text := range j.keys {
		var err error
		if keys[i], err = flagtext.KeyIn(text, schema); err == nil {
			err = flagtext.CheckModifiers(text, schema)
		}
		if err != nil {
			return nil, mistakef("-k %s: %v", text, err)
		}
	}
	return keys, nil
}

func init() {
	beamsort.RegisterEngine("gpu", func() (engine.Engine, error) { return openGPU() })
	beamsort.RegisterEngine("auto", openAuto)
}

// openGPU opens the first GPU of a worker. Tests change it.
var openGPU = func() (engine.Engine, error) {
	e, err := gpu.Open(gpu.Options{})
	if err != nil {
		return nil, err
	}
	return e, nil
}

// openAuto is a GPU, if there is one that works, else the CPU.
func openAuto() (engine.Engine, error) {
	device, err := openGPU()
	switch {
	case err == nil:
		return gpu.WithFallback(device, cpu.New(), func(string) {}), nil
	case gpu.Unavailable(err):
		return cpu.New(), nil
	}
	return nil, err
}

const usage = "usage: arrowsort-beam sort -k COLUMN[:desc][:nulls-first] -o FOLDER INPUT...\n"

// beamHelp is the flag that lists Beam's flags.
const beamHelp = "help-beam"

// help lists the flags of the command, or those of Beam. beams are the names of the latter.
func help(flags *flag.FlagSet, beams map[string]bool, ofBeam bool) string {
	var b strings.Builder
	listed := flag.NewFlagSet("", flag.ContinueOnError)
	listed.SetOutput(&b)
	flags.VisitAll(func(f *flag.Flag) {
		if beams[f.Name] == ofBeam {
			listed.Var(f.Value, f.Name, f.Usage)
			listed.Lookup(f.Name).DefValue = f.DefValue
		}
	})
	if ofBeam {
		b.WriteString("Flags of Beam and of its runners:\n")
		listed.PrintDefaults()
		return b.String()
	}
	fmt.Fprintf(&b, "%s\nSorts Parquet and Arrow files on a runner of Apache Beam: in this process,\n"+
		"unless --runner names another. FOLDER gets the sorted files, each after the one\n"+
		"before it.\n\nFlags:\n", usage)
	listed.PrintDefaults()
	fmt.Fprintf(&b, "\nOf Beam's flags these choose the runner; --%s lists all:\n", beamHelp)
	for _, line := range []string{
		"--runner NAME                 prism (default, in this process), universal,",
		"                              flink, spark or dataflow",
		"--endpoint HOST:PORT          the job service of universal, flink or spark",
		"--environment_type LOOPBACK   the workers are this process",
		"--worker_binary FILE          the program of workers elsewhere",
		"--project, --region, --staging_location   of dataflow",
	} {
		b.WriteString("  " + line + "\n")
	}
	b.WriteString("\nExit codes: 0 done, 1 an error, 2 wrong usage, 130 after Ctrl-C (128 and the\n" +
		"number of a signal).\n")
	return b.String()
}
