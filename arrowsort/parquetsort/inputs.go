package parquetsort

import (
	"context"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/rawmem"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/csv"
)

// inputs are files that are read one after the other as if they were one.
type inputs struct {
	paths     []string
	schema    *arrow.Schema // of all
	layout    *tablefile.Layout
	bytes     int64 // of all files
	memory    int64 // about what all rows take
	compact   int64 // the same with text in dictionaries, where Parquet files have them
	rows      int64 // of all files; less than 0 when one does not tell
	columns   int   // of each file
	format    tablefile.Format
	opts      *Options
	flat      *rawmem.Recycler
	all       *arrow.Schema // of all, when only some columns are read
	projected []int         // which those are

	written []int // columns of the schema that are written; nil: all

	csv      *csv.Schema   // of CSV inputs, else nil
	inferred *arrow.Schema // of CSV of which the text is written, else nil
	pipes    *pipes
}

// newInputs resolves the options and lists the inputs, of which none is opened. They are closed in any case.
func newInputs(paths []string, opts Options) (*inputs, error) {
	opts, err := opts.resolved()
	if err != nil {
		return nil, err
	}
	in := &inputs{opts: &opts, pipes: &pipes{}}
	if in.format, err = tablefile.ParseFormat(opts.InputFormat); err != nil {
		return nil, err
	}
	if in.paths, err = Expand(paths); err != nil {
		return nil, err
	}
	if len(in.paths) == 0 {
		return nil, fmt.Errorf("%w: no inputs", ErrOption)
	}
	return in, nil
}

// begin opens inputs that have the keys. One that is a stream in a pipe is not copied to a file if once is set: then it
// can be read once.
func begin(ctx context.Context, paths []string, opts Options, once bool) (*inputs, error) {
	in, err := newInputs(paths, opts)
	if err != nil {
		return nil, err
	}
	return in.begin(ctx, once)
}

func (in *inputs) begin(ctx context.Context, once bool) (_ *inputs, err error) {
	if err = in.openAll(ctx, once); err == nil {
		in.columns = in.schema.NumFields()
		if err = in.findKeys(ctx); err == nil {
			return in, nil
		}
		err = fmt.Errorf("%s: %w", displayName(in.paths[0]), err)
	}
	in.close()
	return nil, err
}

// close removes the copies of pipes.
func (in *inputs) close() { in.pipes.close() }

// displayName is an input as errors name it.
func displayName(path string) string {
	if path == tablefile.Pipe {
		return "standard input"
	}
	return path
}

// findKeys finds the keys in the schema. Those by position get the name of their column if no other has it.
func (in *inputs) findKeys(ctx context.Context) (err error) {
	if in.opts.KeysFor != nil {
		if in.opts.Keys, err = in.opts.KeysFor(in.schema); err != nil {
			return err
		}
	}
	if err := checkKeys(ctx, in.schema, in.opts.Keys); err != nil {
		return err
	}
	in.opts.Keys = slices.Clone(in.opts.Keys)
	for i, key := range in.opts.Keys {
		if key.Path != "" {
			continue
		}
		if name := in.schema.Field(key.Index).Name; name != "" && len(in.schema.FieldIndices(name)) == 1 {
			in.opts.Keys[i].Path, in.opts.Keys[i].Index = name, 0
		}
	}
	return nil
}

// beginOutput is begin for an output that is not among the inputs and has a place to be written to.
func beginOutput(ctx context.Context, paths []string, output string, opts Options, once bool) (*inputs, error) {
	in, err := newInputs(paths, opts)
	if err != nil {
		return nil, err
	}
	if err := checkOverlap(paths, in.paths, output, in.opts.splits()); err != nil {
		return nil, err
	}
	write, err := in.opts.writing(output)
	if err != nil {
		return nil, err
	}
	target := output
	if in.opts.splits() {
		if err := checkOlder(output); err != nil {
			return nil, err
		}
		target = numbered(output, 1)
	}
	if err := tablefile.CheckTarget(target); err != nil {
		return nil, err
	}
	if in, err = in.begin(ctx, once); err == nil && in.csv != nil && write.Format == tablefile.CSV {
		in.readVerbatim()
	}
	return in, err
}

// openAll looks at the schemas of all files.
func (in *inputs) openAll(ctx context.Context, once bool) error {
	if err := in.openPipes(ctx, once); err != nil || in.pipes.stream != nil {
		return err
	}
	if err := in.inferCSV(ctx); err != nil {
		return err
	}
	for i, path := range in.paths {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		s, err := in.scan(path)
		if err != nil {
			return err
		}
		in.bytes += s.Bytes
		switch {
		case in.csv != nil: // are those of all
			in.memory, in.compact, in.rows = s.InMemory, s.Compact, s.Rows
		case in.rows >= 0 && s.Rows >= 0:
			in.memory, in.compact, in.rows = in.memory+s.InMemory, in.compact+s.Compact, in.rows+s.Rows
		default:
			in.memory, in.compact, in.rows = in.memory+s.InMemory, in.compact+s.Compact, -1
		}
		if i == 0 {
			in.schema, in.layout = s.Schema, s.Layout
		} else {
			in.schema, err = matchSchemas(in.schema, s.Schema, displayName(path), displayName(in.paths[0]))
		}
		s.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

func (in *inputs) scan(path string) (*tablefile.Scanner, error) {
	return in.scanIn(path, budget{in.opts.Memory}.piece())
}

// scanIn opens a file for reading in pieces of some bytes.
func (in *inputs) scanIn(path string, piece int64) (*tablefile.Scanner, error) {
	if s := in.pipes.stream; s != nil {
		in.pipes.stream = nil
		return s, nil
	}
	return tablefile.Scan(in.pipes.file(path), piece, in.reading(path))
}

// reading are the options to read an input.
func (in *inputs) reading(path string) tablefile.ReadOptions {
	return tablefile.ReadOptions{
		Format: in.formatOf(path), Name: path, Allocator: in.opts.Allocator, Flat: in.flat, Threads: in.opts.Threads,
		MemoryLimit: in.opts.readLimit, Delimiter: in.opts.Delimiter, CSV: in.csv,
		MaxRow: budget{in.opts.Memory}.csvRow(),
	}
}

// formatOf is the format of an input; Auto when its name names none.
func (in *inputs) formatOf(path string) tablefile.Format {
	format, err := in.format.Resolve(path)
	if err != nil {
		return in.format // opening it fails with the reason
	}
	return format
}

// An input is one of the files, whose rows come with the columns of the common schema.
type input struct {
	*tablefile.Scanner
	schema  *arrow.Schema
	decoded *arrow.Schema // with the values of dictionaries
	opts    *Options
}

// open opens a file for reading.
func (in *inputs) open(path string) (*input, error) {
	return in.openIn(path, budget{in.opts.Memory}.piece())
}

// openIn opens a file for reading in pieces of some bytes.
func (in *inputs) openIn(path string, piece int64) (*input, error) {
	s, err := in.scanIn(path, piece)
	if err != nil {
		return nil, err
	}
	if in.projected != nil {
		s.Choose(in.projectionOf(s.Schema))
	}
	_, err = matchSchemas(in.schema, s.Schema, displayName(path), displayName(in.paths[0]))
	if err != nil { // it has changed
		s.Close()
		return nil, err
	}
	decoded, err := decodedSchema(in.schema)
	if err != nil {
		s.Close()
		return nil, err
	}
	return &input{s, in.schema, decoded, in.opts}, nil
}

func (i *input) next(ctx context.Context) (arrow.Table, error) {
	table, err := i.Next(ctx)
	if err != nil {
		return nil, err
	}
	defer table.Release()
	return arrange(table, i.schema), nil
}

// nextDecoded is next with the values of dictionaries in their place.
func (i *input) nextDecoded(ctx context.Context) (arrow.Table, error) {
	table, err := i.next(ctx)
	if err != nil {
		return nil, err
	}
	defer table.Release()
	return decodedTable(ctx, table, i.decoded, i.opts.sorting())
}

// readInto are the inputs, whose flat columns are read into memory of a recycler.
func (in *inputs) readInto(flat *rawmem.Recycler) *inputs {
	other := *in
	other.flat = flat
	return &other
}

// each gives all rows to use. It tells Progress the bytes of the files.
func (in *inputs) each(ctx context.Context, use func(table arrow.Table) error) error {
	done := int64(0)
	in.opts.Progress(PhaseRead, 0, in.bytes)
	for _, path := range in.paths {
		bytes, err := in.eachOf(ctx, path, done, use)
		if err != nil {
			return err
		}
		done += bytes
	}
	return nil
}

// eachOf gives the rows of a file, of which the next are read while some are used.
func (in *inputs) eachOf(ctx context.Context, path string, before int64, use func(table arrow.Table) error) (int64,
	error) {
	s, err := in.open(path)
	if err != nil {
		return 0, err
	}
	defer s.Close()
	next := func(ctx context.Context) (piece, error) {
		table, err := s.next(ctx)
		return piece{table, s.Done()}, err
	}
	err = readAhead(ctx, next, func(_ context.Context, p piece) error {
		if err := use(p.Table); err != nil {
			return err
		}
		in.opts.Progress(PhaseRead, before+p.done, in.bytes)
		return nil
	})
	if err != nil {
		return 0, err
	}
	in.bytes = max(in.bytes, before+s.Bytes) // of a pipe they are known now
	in.opts.Progress(PhaseRead, before+s.Bytes, in.bytes)
	return s.Bytes, nil
}
