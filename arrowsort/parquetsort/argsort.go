package parquetsort

import (
	"context"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

// Argsort writes the row numbers of one input in sorted order: a column "index" of type uint64. Row numbers count from
// 0. The keys are read into memory.
// Limit keeps the first of them; Tail, Unique, Select, RowsPerFile and BytesPerFile are ErrOption.
func Argsort(ctx context.Context, path, output string, opts Options) (*Result, error) {
	if opts.filters() || opts.splits() || len(opts.Select) > 0 {
		return nil, fmt.Errorf("%w: Argsort writes the numbers of all rows, or of the first Limit, to one file; "+
			"leave out Tail, Unique, Select, RowsPerFile and BytesPerFile", ErrOption)
	}
	in, err := oneInput(ctx, path, output, opts)
	if err != nil {
		return nil, err
	}
	defer in.close()
	out, err := in.outputs(ctx, output, indexSchema)
	if err != nil {
		return nil, err
	}
	defer out.abort()
	l, err := in.load(ctx, true, 0)
	if err != nil {
		return nil, err
	}
	defer l.release()
	rows, err := l.indices(ctx)
	if err != nil {
		return nil, err
	}
	numbers := array.NewTableFromSlice(indexSchema, [][]arrow.Array{{rows}})
	defer numbers.Release()
	if err := out.whole(ctx, numbers, nil); err != nil {
		return nil, err
	}
	result := &Result{RowsIn: l.rows.NumRows(), Rows: numbers.NumRows(), Plan: l.plan.String()}
	return in.finish(result, out, indexSchema)
}

var indexSchema = arrow.NewSchema([]arrow.Field{{Name: "index", Type: arrow.PrimitiveTypes.Uint64}}, nil)

// oneInput is the one input, which was not opened yet, for an output; none when that is empty.
func oneInput(ctx context.Context, path, output string, opts Options) (*inputs, error) {
	in, err := newInputs(ctx, []string{path}, opts)
	if err != nil {
		return nil, err
	}
	if len(in.paths) > 1 {
		return nil, fmt.Errorf("%w: %s is %d files; give one", ErrOption, path, len(in.paths))
	}
	if output != "" {
		if err := tablefile.CheckTarget(output); err != nil {
			return nil, err
		}
	}
	if err := in.openPipes(ctx, false); err != nil {
		in.close()
		return nil, err
	}
	return in, nil
}
