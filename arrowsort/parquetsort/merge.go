package parquetsort

import (
	"context"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
)

// Merge merges files, patterns and folders as Sort does, but each file has to be sorted by the keys already: rows are read
// side by side and nothing is sorted. It makes sure that they are in order: ErrUnsorted names the file and the first row
// that sorts before the one above it. Schemas, order of ties, outputs and their metadata are those of Sort.
//
// Files are spilled, merged, when there are more than fit in the budget side by side.
func Merge(ctx context.Context, paths []string, output string, opts Options) (*Result, error) {
	opts, err := opts.resolved()
	if err != nil {
		return nil, err
	}
	in, err := openInputs(ctx, paths, &opts)
	if err != nil {
		return nil, err
	}
	if err := checkAmong(paths, in.paths, output, opts.RowsPerFile > 0); err != nil {
		return nil, err
	}
	return sortInputs(ctx, in, output, in.eachInOrder)
}

// eachInOrder gives all rows to use, those of each file as long as they are in order.
func (in *inputs) eachInOrder(ctx context.Context, use func(table arrow.Table) error) error {
	order, path, row := ordered{schema: in.schema, opts: in.opts}, "", int64(0)
	defer order.forget()
	return in.eachNamed(ctx, func(from string, table arrow.Table) error {
		if from != path {
			order.forget()
			path, row = from, 0
		}
		at, err := order.add(ctx, table)
		if err != nil {
			return err
		}
		if at >= 0 {
			return fmt.Errorf("%w: %s: row %d sorts before the one above it; sort the file first", ErrUnsorted, path, row+at)
		}
		row += table.NumRows()
		return use(table)
	})
}
