// Command arrowsort-beam sorts Parquet and Arrow files on a runner of Apache Beam.
//
//	arrowsort-beam sort -k delay:desc -k date -o sorted/ flights-*.parquet
//	arrowsort-beam sort -k delay --runner=flink --endpoint=HOST:8099 -o gs://bucket/sorted 'gs://bucket/in/*.parquet'
//
// The output is a folder of shards, each sorted, each after the one before it. Without --runner the pipeline runs in
// this process. Beam's own flags are listed by -h. Exit codes: 0 when all went well, 1 after an error, 2 for wrong
// usage.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/s3"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/beamsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/keytext"
	"github.com/arrowsort/arrowsort/arrowsort/internal/sizetext"
)

func main() {
	job := defineFlags(flag.CommandLine)
	args := os.Args[1:]
	if len(args) > 0 && strings.HasPrefix(args[0], "-") { // a runner starts a worker, or somebody asks for help
		flag.Parse()
		beam.Init() // does not return in a worker
		exit(errUsage)
	}
	if len(args) == 0 || args[0] != "sort" {
		exit(errUsage)
	}
	job.inputs = parse(flag.CommandLine, args[1:])
	log.SetupLogging(job.logLevel, log.LogKind)
	beam.Init()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	exit(job.run(ctx))
}

var errUsage = errors.New("usage: arrowsort-beam sort -k COLUMN[:desc][:nulls-first] -o FOLDER INPUT...\n" +
	"arrowsort-beam -h lists the flags")

// exit ends the process with the code of an error.
func exit(err error) {
	switch {
	case err == nil:
		os.Exit(0)
	case errors.Is(err, errUsage):
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	fmt.Fprintln(os.Stderr, "arrowsort-beam:", err)
	os.Exit(1)
}

// A job is what the command line asks for.
type job struct {
	keys     texts
	inputs   []string
	output   string
	logLevel string
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
	flags.Var(&j.keys, "k", keytext.Help)
	flags.StringVar(&j.output, "o", "", "`FOLDER` of the sorted files, local or as in gs://bucket/folder")
	flags.IntVar(&o.Shards, "shards", 0, "sorted files that are written; 0: one for each 256 MiB of rows in memory")
	flags.Func("memory", "`SIZE` of a worker's memory for a part that is read or a shard that is sorted, as 2GiB "+
		"(default a quarter of the machine's)", func(text string) (err error) {
		o.Memory, err = sizetext.Parse(text)
		return err
	})
	flags.StringVar(&o.SpillDir, "spill-dir", "", "`FOLDER` of a worker for what does not fit in its memory")
	flags.StringVar(&o.SpillCompression, "spill-compression", "", "compress what is spilled: lz4 or zstd")
	flags.StringVar(&o.InputFormat, "format", "", "format of the inputs: parquet, arrow or arrows; by their names")
	flags.StringVar(&o.Compression, "compression", "", "`CODEC[:LEVEL]` of the sorted files (default zstd)")
	flags.IntVar(&o.RowGroupRows, "row-group-rows", 0, "rows of a row group; 0: 262,144")
	flags.IntVar(&o.PageRows, "page-rows", 0, "most rows of a page; 0: 16,384")
	flags.IntVar(&o.Threads, "threads", 0, "threads of a step on a worker; 0: all")
	flags.StringVar(&j.logLevel, "log-level", "warn", "what Beam reports: debug, info, warn or error")
	flags.Usage = func() {
		fmt.Fprintln(flags.Output(), errUsage)
		flags.PrintDefaults()
	}
	return j
}

// parse reads flags, which may follow inputs, and returns these.
func parse(flags *flag.FlagSet, args []string) (inputs []string) {
	for len(args) > 0 {
		_ = flags.Parse(args) // exits after an error
		if args = flags.Args(); len(args) > 0 {
			inputs, args = append(inputs, args[0]), args[1:]
		}
	}
	return inputs
}

// run builds the pipeline and runs it.
func (j *job) run(ctx context.Context) error {
	if len(j.keys) == 0 || len(j.inputs) == 0 || j.output == "" {
		return errUsage
	}
	j.options.KeysFor = j.keysFor
	p, scope := beam.NewPipelineWithRoot()
	if _, err := beamsort.Sort(ctx, scope, j.inputs, j.output, nil, j.options); err != nil {
		return err
	}
	result, err := beamx.RunWithMetrics(ctx, p)
	if err != nil {
		return err
	}
	fmt.Println(beamsort.Summary(result))
	return nil
}

// keysFor are the keys in the schema of the inputs.
func (j *job) keysFor(schema *arrow.Schema) ([]arrowsort.Key, error) {
	keys := make([]arrowsort.Key, len(j.keys))
	for i, text := range j.keys {
		var err error
		if keys[i], err = keytext.In(text, schema); err != nil {
			return nil, err
		}
	}
	return keys, nil
}
