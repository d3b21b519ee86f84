package parquetsort

import (
	"cmp"
	"context"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/extsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/keypath"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/curveorder"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/dataset"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/output"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/rowgroups"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/roworder"
)

// A Result is what a sort did.
type Result struct {
	Inputs       []string // files that were read
	Columns      int      // of the output, with those of PartitionBy; of the input of Argsort
	Outputs      []string // files that were written
	RowsIn       int64    // of the inputs
	Rows         int64    // that were written
	BytesIn      int64    // of the inputs
	BytesOut     int64    // of the outputs
	Runs         int      // that were spilled and merged; 0: sorted in memory
	BytesSpilled int64    // written to the spill folder
	Plan         string   // what the keys came down to
	Copied       bool     // row group by row group, since the inputs were in order already

	// RowGroups are those of the inputs, of which RowGroupsRead were read, where rows were left out for a limit or
	// tail; Pages are the pages of the first key in these, of which PagesRead were read, where they have a page index.
	// Else they are 0.
	RowGroups, RowGroupsRead, Pages, PagesRead int

	// Depth is how many row groups hold a value of the first key, with Output.Depth. It is nil where rows of Parquet
	// are not all sorted into Parquet files, in one folder, where they follow a curve, and where row groups have no
	// bounds of the key.
	Depth *KeyDepth

	Schema  *arrow.Schema // of the rows
	Preview arrow.Table   // the first Output.Preview rows, which the caller releases; nil: none are wanted
}

// A job is a sort of files to an output, which its steps share. It is not changed after it was made.
type job struct {
	opts     Options         // resolved
	read     dataset.Options // how files are read
	files    *dataset.Dataset
	rows     dataset.Projection // columns that are read and written
	target   output.Target
	template *tablefile.Template // that a Parquet output keeps, or nil

	partitions *output.Partitions // of the output, or nil

	selected *rowgroups.Selection // the rows that are read; nil: all
	before   *KeyDepth            // of the inputs; nil: it is not wanted or not known

	keyColumns []int  // of the schema of the files
	firstKey   string // the path of the first key; empty: it is given by its position
	limited    bool   // the budget was given: a table that takes more memory than its metadata say is not read
}

// listFiles lists the files that paths mean, of which there is one at least.
func listFiles(ctx context.Context, paths []string, opts *Options) ([]string, error) {
	files, skipped, err := List(ctx, paths, opts.Run.Store)
	if err != nil {
		return nil, err
	}
	for _, line := range skipped {
		opts.Run.Warn(line)
	}
	if len(files) == 0 {
		return nil, errNoInputs
	}
	return files, nil
}

// openFiles resolves the options, and opens files that have the keys. One that is a stream in a pipe is not copied to a
// file if once is set: then it can be read once. The caller closes the dataset.
func openFiles(ctx context.Context, paths []string, opts Options, once bool) (_ Options, d *dataset.Dataset,
	rows dataset.Projection, err error) {
	opts, read, err := opts.resolve(ctx)
	if err != nil {
		return opts, nil, rows, err
	}
	files, err := listFiles(ctx, paths, &opts)
	if err == nil {
		d, rows, err = openKeyed(ctx, files, read, once, opts.keys())
	}
	return opts, d, rows, err
}

// withoutRandom returns an error if a key goes by row numbers.
func withoutRandom(what string, keys []arrowsort.Key) error {
	for _, k := range keys {
		if err := keypath.WithoutRandom(what, k.Function); err != nil {
			return err
		}
	}
	return nil
}

// openKeyed opens files that have the keys.
func openKeyed(ctx context.Context, files []string, read dataset.Options, once bool, keys KeysFor) (*dataset.Dataset,
	dataset.Projection, error) {
	read.Keys = keys
	d, err := dataset.Open(ctx, files, read, once)
	if err != nil {
		return nil, dataset.Projection{}, err
	}
	rows, err := d.FindKeys(ctx, keys)
	if err != nil {
		d.Close()
	}
	return d, rows, err
}

// openJob opens files that have the keys, for an output that is not among them, has a place to be written to, and can
// hold the columns. For a sort, not a merge, it may be a stream, and pages without wanted rows are left out. The
// caller closes the files.
func openJob(ctx context.Context, paths []string, path string, opts Options, merge bool) (*job, error) {
	opts, read, err := opts.resolve(ctx)
	if err == nil && merge {
		err = opts.noCurve("Merge")
	}
	if err != nil {
		return nil, err
	}
	if err := opts.checkPartitions(merge); err != nil {
		return nil, err
	}
	files, err := listFiles(ctx, paths, &opts)
	if err != nil {
		return nil, err
	}
	j := &job{opts: opts, read: read, limited: read.MemoryLimit > 0}
	if j.target, err = opts.Run.target(ctx, path, opts.Output); err != nil {
		return nil, err
	}
	if err := j.target.Check(paths, files); err != nil {
		return nil, err
	}
	if j.files, j.rows, err = openKeyed(ctx, files, read, !merge && opts.Curve == 0, opts.keys()); err != nil {
		return nil, err
	}
	j.firstKey = j.rows.Keys[0].Path
	if opts.Curve != 0 {
		err = curveorder.Check(opts.Curve, j.rows.Schema, j.rows.Keys)
	}
	if err == nil && merge {
		err = withoutRandom("Merge", j.rows.Keys)
	}
	if err == nil {
		err = j.selectColumns(ctx)
	}
	if err == nil && !merge {
		j.selected, err = leaveOut(ctx, j.files, j.rows, &j.opts)
	}
	if err != nil {
		j.files.Close()
		return nil, err
	}
	j.before = j.depthBefore(ctx)
	return j, nil
}

// selectColumns finds the columns that are read and written, and makes sure, before rows are sorted, that the output
// can hold them.
func (j *job) selectColumns(ctx context.Context) (err error) {
	j.keyColumns = j.rows.KeyColumns()
	j.rows = j.rows.Partition(len(j.opts.Output.PartitionBy))
	partitions := j.rows.PartitionColumns()
	if j.files.CSV != nil && j.target.Write.Format == tablefile.CSV {
		j.rows = j.rows.KeepText()
	} else if j.files.CSV != nil {
		j.files.WarnRounded(j.opts.Columns)
	}
	j.template = j.files.Template
	if len(j.opts.Columns) > 0 || len(partitions) > 0 {
		written, err := j.writtenColumns(partitions)
		if err != nil {
			return err
		}
		if j.template, err = j.template.Select(written); err != nil {
			return err
		}
		j.rows = j.rows.Write(written)
	}
	if j.partitions, err = j.findPartitions(); err != nil {
		return err
	}
	return j.target.CheckSchema(ctx, j.content(j.rows.Schema))
}

// content describes the output of tables of a schema, that of the rows or the same without dictionaries.
func (j *job) content(tables *arrow.Schema) output.Content {
	return output.Content{Rows: tables, Stored: j.rows.Schema, Columns: j.rows.Written, Template: j.template,
		Partitions: j.partitions}
}

// withSorter opens a sorter and the output, calls use, and commits or removes the output.
func (j *job) withSorter(ctx context.Context, use func(s *extsort.Sorter, out *output.Files) (*Result, error)) (*Result,
	error) {
	spilling := j.opts.spilling(j.rows.Keys, j.files.Budget)
	if j.partitions != nil {
		spilling.PartOf = j.partitions.Of
	}
	s, err := extsort.New(ctx, j.rows.Schema, spilling)
	if err != nil {
		return nil, err
	}
	out := output.New(ctx, j.target, j.content(s.Schema()))
	defer out.Abort()
	var result *Result
	if err = out.Prepare(); err == nil {
		result, err = use(s, out)
	}
	if closing := s.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return nil, out.Standing(err)
	}
	result.Runs, result.BytesSpilled = s.Spilled()
	return j.finish(ctx, result, out)
}

// finish gives the outputs their names, and completes the result.
func (j *job) finish(ctx context.Context, result *Result, out *output.Files) (*Result, error) {
	result.Inputs, result.BytesIn = j.files.Files, cmp.Or(result.BytesIn, j.files.Bytes)
	result.Columns = j.rows.WrittenSchema().NumFields() + len(j.opts.Output.PartitionBy)
	if known := j.files.Rows; known >= 0 && result.RowsIn != known {
		return nil, fmt.Errorf("%s: %d of the %d rows of the inputs were read; no output is written", out.Path,
			result.RowsIn, known)
	}
	result.leftOut(j.selected)
	if _, err := result.commit(out, j.rows.WrittenSchema(), j.opts.Rows); err != nil {
		return nil, err
	}
	result.Depth = j.depthAfter(ctx, result)
	return result, nil
}

// leftOut completes the result of some rows with those that were left out; nil: there are none.
func (r *Result) leftOut(selected *rowgroups.Selection) {
	if s := selected; s != nil {
		r.RowGroups, r.RowGroupsRead, r.Pages, r.PagesRead = s.All, s.Read, s.Pages, s.PagesRead
		r.RowsIn += s.LeftOut
	}
}

// commit gives the outputs their names, if they have the rows that are wanted, and completes the result with them.
func (r *Result) commit(out *output.Files, schema *arrow.Schema, rows Rows) (_ *Result, err error) {
	r.Outputs, r.Schema = out.Paths(), schema
	wanted := r.RowsIn
	for _, most := range []int64{rows.Limit, rows.Tail} {
		if most > 0 {
			wanted = min(wanted, most)
		}
	}
	if err := out.CheckRows(wanted, rows.Unique); err != nil {
		return nil, err
	}
	r.BytesOut, r.Preview, err = out.Commit(schema)
	return r, err
}

// writeRuns writes the rows that a sorter collected, with the columns of a projection, in row groups of some rows.
func writeRuns(ctx context.Context, s *extsort.Sorter, out *output.Files, groupRows int, rows dataset.Projection) (
	*Result, error) {
	sorted, err := s.Stream(groupRows)
	if err != nil {
		return nil, err
	}
	defer sorted.Close()
	if err := out.Begin(roworder.Written(s.Plan(), rows)); err != nil {
		return nil, err
	}
	return writeSorted(ctx, s, out, sorted)
}

// writeSorted writes sorted rows.
func writeSorted(ctx context.Context, s *extsort.Sorter, out *output.Files, sorted extsort.TableStream) (*Result,
	error) {
	s.StartWriting()
	rows, err := out.WriteStream(ctx, sorted, s.Wrote)
	if err != nil {
		return nil, err
	}
	return &Result{RowsIn: s.Rows(), Rows: rows, Plan: s.Plan().String()}, nil
}

// rowsOfRun returns about how many rows a run has, less than 0 if that is unknown.
func (j *job) rowsOfRun() int64 {
	rows, memory, run := j.files.Rows, j.rows.Memory(j.files), j.files.Budget.Run()
	if rows <= 0 || memory <= run {
		return rows
	}
	return int64(float64(rows) * float64(run) / float64(memory))
}

// startEngine lets an engine start while the rows of its first job are read, less than 0 if their number is unknown.
func (r *Run) startEngine(rows int64) {
	if e, ok := r.Engine.(engine.OnDemand); ok {
		e.Start(rows)
	}
}

// stopEngine lets an engine stop while the sorted rows are written.
func (r *Run) stopEngine() {
	if e, ok := r.Engine.(engine.OnDemand); ok {
		e.Stop()
	}
}
