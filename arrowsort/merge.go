package arrowsort

import (
	"context"
	"errors"
	"fmt"

	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu"
)

// Merge merges inputs that are in the order of the keys into one: what Sort returns for their rows one input after
// another, in less time if there are at most 64. Rows that tie keep that order, those of an earlier input first.
//
// The inputs have fields of the same names, types and nullability; metadata is that of the first. The result has their
// type. Keys, Options.Limit, ownership, cancellation and errors are those of Sort. The CPU does the work.
//
// All inputs are checked, in one sequential read of the keys. It fails with ErrUnsorted, naming input and row; with
// ErrSchema, naming the field; with ErrOption when there is no input; or as Sort does.
func Merge[T Data](ctx context.Context, inputs []T, keys []Key, opts Options) (T, error) {
	var none T
	if err := withoutRandom("Merge", keys); err != nil {
		return none, err
	}
	opts, err := opts.resolved(ctx, operation{"Merge", optionLimit | optionProgress | optionOnPlan})
	if err != nil {
		return none, err
	}
	c := &call{opts: opts}
	s := concatenation{data: &c.data}
	defer s.release()
	if len(inputs) == 0 {
		return none, fmt.Errorf("%w: there is no input to merge", ErrOption)
	}
	for i, input := range inputs {
		if err := s.append(input, i); err != nil {
			return none, err
		}
	}
	merged, _, err := c.merge(ctx, keys, cpu.Runs{Ends: s.ends})
	return as[T](merged, runError(err, func(run int) (input, row int) { return run, 0 }))
}

// merge merges runs of the data, and returns the number of rows of each that are in the result.
func (c *call) merge(ctx context.Context, keys []Key, runs cpu.Runs) (merged Data, taken []int, err error) {
	if err := c.start(ctx, keys); err != nil {
		return nil, nil, err
	}
	defer c.work.Release()
	if err := c.work.AddPayloads(); err != nil {
		return nil, nil, err
	}
	result, taken, err := cpu.Merge(ctx, c.job(), runs, c.opts.Allocator)
	if err != nil {
		return nil, nil, err
	}
	c.report(result)
	merged, err = c.assemble(result)
	return merged, taken, err
}

// runError names input and row of a run that is not in order; first is the input of a run, and its first row in it.
func runError(err error, first func(run int) (input, row int)) error {
	var unsorted *cpu.UnsortedError
	if !errors.As(err, &unsorted) {
		return err
	}
	input, row := first(unsorted.Run)
	return unsortedError(input, row+unsorted.Row)
}

func unsortedError(input, row int) error {
	return fmt.Errorf("%w: input %d: row %d sorts before row %d; sort the input by the keys first",
		ErrUnsorted, input, row, row-1)
}
