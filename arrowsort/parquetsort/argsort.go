package parquetsort

import (
	"context"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

// Argsort writes the row numbers of one input in sorted order: a column "index" of type uint64. Row numbers count from
// 0. The keys are read into memory.
func Argsort(ctx context.Context, path, output string, opts Options) (*Result, error) {
	in, err := oneInput(ctx, path, output, opts)
	if err != nil {
		return nil, err
	}
	defer in.close()
	write, err := in.opts.writing(output)
	if err != nil {
		return nil, err
	}
	write.RowGroupRows, write.PageRows = in.opts.RowGroupRows, in.opts.PageRows
	l, err := in.load(ctx, tablefile.ReadOptions{Dictionaries: true}, true)
	if err != nil {
		return nil, err
	}
	defer l.release()
	rows, err := arrowsort.SortIndices(ctx, l.rows, l.keys, l.sortOptions())
	if err != nil {
		return nil, err
	}
	defer rows.Release()
	rec := array.NewRecord(indexSchema, []arrow.Array{rows}, int64(rows.Len()))
	defer rec.Release()
	numbers := array.NewTableFromRecords(indexSchema, []arrow.Record{rec})
	defer numbers.Release()
	return in.write(ctx, output, l, numbers, write)
}

var indexSchema = arrow.NewSchema([]arrow.Field{{Name: "index", Type: arrow.PrimitiveTypes.Uint64}}, nil)

// oneInput is the one input, which was not opened yet, for an output; none when that is empty.
func oneInput(ctx context.Context, path, output string, opts Options) (*inputs, error) {
	in, err := newInputs([]string{path}, opts)
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
