// Package beamsort sorts Parquet and Arrow files on Apache Beam, on any runner: files whose rows do not fit on one
// machine, or that lie in an object store.
//
//	p, scope := beam.NewPipelineWithRoot()
//	keys := []arrowsort.Key{{Path: "delay", Order: arrowsort.Descending}}
//	shards, err := beamsort.Sort(ctx, scope, []string{"in/"}, "out/", keys, beamsort.Options{})
//	...
//	err = beamx.Run(ctx, p)
//
// The output is Parquet files, part-00001-of-00008.parquet and so on: shards of about the same number of rows, each
// sorted, each with rows that sort after those of the shards before it. The order is that of package arrowsort; rows
// that tie keep the order of the files and of the rows in them. It is the same in each run, whatever the runner.
//
// The pipeline reads the key columns and draws a sample, cuts the sorted sample into one part for each
// shard, reads the files again and sends each row to its shard, and sorts the shards with package parquetsort. Rows
// travel as Arrow record batches of about a megabyte: in files that workers share, or through the runner. A splitter
// between two shards is a key and the number of a row, so that the rows of a frequent key are spread over several
// shards.
//
// A step that fails can be run again: a shard is written under another name and renamed when it is complete.
package beamsort

import (
	"context"
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

func init() {
	beam.RegisterType(reflect.TypeFor[inputPart]())
	beam.RegisterType(reflect.TypeFor[sample]())
	beam.RegisterType(reflect.TypeFor[splitters]())
	beam.RegisterType(reflect.TypeFor[Shard]())
	register.DoFn3x1[context.Context, inputPart, func(sample), error](new(sampleFn))
	register.DoFn3x0[int, func(*sample) bool, func(splitters)](new(splittersFn))
	register.DoFn4x1[context.Context, inputPart, func(*splitters) bool, func(int64, []byte), error](new(partitionFn))
	register.DoFn2x0[[]byte, func(int64, []byte)](new(emptyFn))
	register.DoFn4x1[context.Context, int64, func(*[]byte) bool, func(Shard), error](new(shardFn))
	register.DoFn3x0[context.Context, Shard, func(Shard)](new(countFn))
	register.DoFn2x1[int, func(*Shard) bool, error](new(removeFn))
	register.Emitter1[sample]()
	register.Emitter1[splitters]()
	register.Emitter2[int64, []byte]()
	register.Emitter1[Shard]()
	register.Iter1[[]byte]()
	register.Iter1[sample]()
	register.Iter1[splitters]()
	register.Iter1[Shard]()
}

// Sort adds steps to a pipeline that sort the rows of files into shards in the folder output, and returns a collection
// of Shard. Inputs and output are local, or in a file system that is registered with Beam, as in gs://bucket/folder/;
// inputs may also be in a store, see RegisterStore. They are files, patterns and, but for those of Beam's file systems,
// folders, as in parquetsort.Sort, but not CSV. Their metadata are read when the pipeline is built, and the keys are
// checked.
//
// Unless rows travel through the runner, Sort creates a folder for the files in which they travel. The last step of the
// pipeline removes it; see Options.ShuffleDir and Cleanup.
//
// Shards with the same names are replaced. Shards of an output of another number of files are an error: readers of the
// folder would take them for rows of this output.
func Sort(ctx context.Context, scope beam.Scope, inputs []string, output string, keys []arrowsort.Key,
	opts Options) (beam.PCollection, error) {
	none := beam.PCollection{}
	if err := opts.check(); err != nil {
		return none, err
	}
	output, err := absolute(output)
	if err != nil {
		return none, err
	}
	old, err := shardsIn(ctx, output)
	if err != nil {
		return none, err
	}
	forgetInputs() // of other calls, which may have been replaced
	paths, err := listInputs(ctx, inputs)
	if err != nil {
		return none, err
	}
	division, err := parquetsort.Divide(ctx, paths, partBytes, parquetsort.DivideOptions{Keys: keys,
		KeysFor: opts.KeysFor, Format: parquetsort.Format(opts.InputFormat), Open: opts.opener(ctx, paths...)})
	if err != nil {
		return none, err
	}
	err = tablefile.CheckSchema(ctx, shardName(0, 1), division.Schema, tablefile.WriteOptions{})
	if err != nil {
		return none, fmt.Errorf("%s: %w", paths[0], err)
	}
	all, bytes := inputParts(division), int64(0)
	for _, p := range division.Parts {
		bytes += p.Bytes
	}
	shards := opts.shards(bytes)
	if err := checkOutput(paths, old, output, shards); err != nil {
		return none, err
	}
	opts.KeysFor = nil
	shuffle, err := opts.newShuffle(output)
	if err != nil {
		return none, err
	}
	with := &settings{Keys: division.Keys, KeyColumns: division.KeyColumns, Output: output, Shuffle: shuffle,
		Shards: shards, Parts: len(all), Options: opts}
	encoded, err := with.encode(division)
	if err != nil {
		return none, err
	}
	scope = scope.Scope("arrowsort")
	written := build(scope, all, shards, encoded)
	if shuffle != "" {
		together := beam.GroupByKey(scope, beam.AddFixedKey(scope, written))
		beam.ParDo0(scope, &removeFn{shuffle}, together)
	}
	return written, nil
}

// build adds the steps of the pipeline.
func build(scope beam.Scope, all []inputPart, count int, with []byte) beam.PCollection {
	parts := beam.Reshuffle(scope, beam.CreateList(scope, all))

	samples := beam.ParDo(scope.Scope("sample"), &sampleFn{with}, parts)
	together := beam.GroupByKey(scope, beam.AddFixedKey(scope, samples))
	splitters := beam.ParDo(scope.Scope("splitters"), &splittersFn{count}, together)

	rows := beam.ParDo(scope.Scope("partition"), &partitionFn{with}, parts, beam.SideInput{Input: splitters})
	empty := beam.ParDo(scope, &emptyFn{count}, beam.Impulse(scope))
	groups := beam.GroupByKey(scope, beam.Flatten(scope, rows, empty))
	shards := beam.ParDo(scope.Scope("sort"), &shardFn{with}, groups)
	// A separate step: Prism waits busily as long as a step runs whose output goes nowhere.
	return beam.ParDo(scope, &countFn{}, beam.Reshuffle(scope, shards))
}

// An emptyFn emits an empty batch for each shard, so that shards without rows are written, too.
type emptyFn struct{ Shards int }

func (f *emptyFn) ProcessElement(_ []byte, emit func(int64, []byte)) {
	for i := range f.Shards {
		emit(int64(i), nil)
	}
}

// Counters of what was done, in the namespace arrowsort.
var (
	rowsWritten   = beam.NewCounter(namespace, "rows")
	bytesWritten  = beam.NewCounter(namespace, "bytes_written")
	shardsWritten = beam.NewCounter(namespace, "shards")
	bytesShuffled = beam.NewCounter(namespace, "bytes_shuffled")
)

const namespace = "arrowsort"

// A countFn adds shards to the counters.
type countFn struct{}

func (f *countFn) ProcessElement(ctx context.Context, s Shard, emit func(Shard)) {
	rowsWritten.Inc(ctx, s.Rows)
	bytesWritten.Inc(ctx, s.Bytes)
	shardsWritten.Inc(ctx, 1)
	emit(s)
}

// Summary says what a pipeline with one sort has done, by its counters: rows, bytes_written, shards and bytes_shuffled
// of the namespace arrowsort. Some runners do not report them.
func Summary(result beam.PipelineResult) string {
	counts := map[string]int64{}
	if result != nil {
		found := result.Metrics().Query(func(r beam.MetricResult) bool { return r.Namespace() == namespace })
		for _, c := range found.Counters() {
			counts[c.Name()] += c.Result()
		}
	}
	if counts["shards"] == 0 {
		return "sorted"
	}
	return fmt.Sprintf("sorted %d rows to %d shards of %.1f MB in all; %.1f MB were shuffled", counts["rows"],
		counts["shards"], float64(counts["bytes_written"])/1e6, float64(counts["bytes_shuffled"])/1e6)
}
