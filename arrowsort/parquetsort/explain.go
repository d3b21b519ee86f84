package parquetsort

import (
	"context"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/curveorder"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/dataset"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/roworder"
)

// A Description says what Sort would do.
type Description struct {
	Inputs  []string // files that are read
	Columns int
	Rows    int64 // of the inputs; -1 where their metadata does not say
	BytesIn int64 // of the inputs
	Strategy
}

// Explain returns what Sort would do with some inputs and options, from the metadata of the files and, as long as they
// are in order and no curve is asked for, from their keys. It writes nothing.
func Explain(ctx context.Context, paths []string, opts Options) (*Description, error) {
	opts, d, rows, err := openFiles(ctx, paths, opts, false)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	all := d.Rows
	selected, err := leaveOut(ctx, d, rows, &opts)
	if err != nil {
		return nil, err
	}
	var order *roworder.Sortedness
	if opts.Curve != 0 { // whatever order the rows are in, they get another one
		err = curveorder.Check(opts.Curve, rows.Schema, rows.Keys)
	} else {
		order, err = roworder.Measure(ctx, d, rows, opts.sorting(), opts.progress(PhaseCheck))
	}
	if err != nil {
		return nil, err
	}
	defer order.Release()
	format, _ := tablefile.ParseFormat(string(opts.Output.Format)) // was checked
	if format == tablefile.Auto {
		format = tablefile.Parquet
	}
	strategy := chooseStrategy(d, rows, &opts, format, order)
	if s := selected; s != nil {
		strategy.RowGroups, strategy.RowGroupsRead = s.All, s.Read
		strategy.Pages, strategy.PagesRead = s.Pages, s.PagesRead
	}
	return &Description{Inputs: d.Files, Columns: d.Schema.NumFields(), Rows: all, BytesIn: d.Bytes,
		Strategy: strategy}, nil
}

// A PlanResult is the plan of the keys of an input.
type PlanResult struct {
	Plan        arrowsort.Plan
	Rows, Bytes int64 // of the input
	Columns     int
}

// Plan makes the plan of the keys of one input, which it reads into memory: of all rows, or of the first Limit.
func Plan(ctx context.Context, path string, options CheckOptions) (*PlanResult, error) {
	opts, read, err := options.options().resolve(ctx)
	if err == nil {
		err = opts.noCurve("Plan")
	}
	if err != nil {
		return nil, err
	}
	file, err := oneFile(ctx, path, &opts)
	if err != nil {
		return nil, err
	}
	table, keys, err := dataset.ReadKeys(ctx, file, read, opts.loading(false), opts.keys())
	if err != nil {
		return nil, err
	}
	defer table.Release()
	opts.Run.Progress(PhaseMeasure, 0, 0)
	rows := table.Rows
	if n := opts.Rows.Limit; n > 0 {
		rows = arraydata.SliceTable(rows, 0, min(n, rows.NumRows()))
		defer rows.Release()
	}
	plan, err := arrowsort.Explain(ctx, rows, keys, opts.sorting())
	return &PlanResult{Plan: plan, Rows: table.Rows.NumRows(), Bytes: table.Bytes,
		Columns: table.Schema.NumFields()}, err
}
