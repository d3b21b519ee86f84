package parquetsort

import "context"

// A Description says what Sort would do.
type Description struct {
	Inputs  []string // files that are read
	Columns int
	BytesIn int64 // of the inputs
	Memory  int64 // the budget
	Table   int64 // bytes that all rows take in memory, about
	// InMemory tells that the rows fit in the budget as one table. They are not spilled then.
	InMemory bool
	// InOrder tells that each input is sorted already: nothing is sorted or spilled, the inputs are read side by side.
	InOrder bool
	// Runs is the number of sorted runs that are spilled, Passes how often spilled rows are written and read again, and
	// BytesSpilled what is written in all passes without compression, all about; 0 when nothing is spilled.
	Runs, Passes int
	BytesSpilled int64
}

// Explain tells what Sort would do with some inputs and options, from the metadata of the files and, as long as they are
// in order, from their keys. It writes nothing.
func Explain(ctx context.Context, paths []string, opts Options) (*Description, error) {
	opts, err := opts.resolved()
	if err != nil {
		return nil, err
	}
	in, err := openInputs(ctx, paths, &opts)
	if err != nil {
		return nil, err
	}
	if err := checkKeys(ctx, in.schema, opts.Keys); err != nil {
		return nil, err
	}
	b := budget{opts.Memory}
	d := &Description{Inputs: in.paths, Columns: in.schema.NumFields(), BytesIn: in.bytes, Memory: opts.Memory, Table: in.memory}
	if d.InMemory = b.holds(in.memory); d.InMemory {
		return d, nil
	}
	d.Runs = int(in.memory/b.run()) + 1
	if d.Runs == 1 {
		d.Runs = 0
		return d, nil
	}
	for runs := d.Runs; runs > 1; runs = (runs + b.fanIn() - 1) / b.fanIn() {
		d.Passes++
	}
	d.BytesSpilled = int64(d.Passes) * in.memory
	return d, nil
}
