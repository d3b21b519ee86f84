package parquetsort

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/allocators"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/extsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/csv"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/dictionary"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/dataset"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/output"
)

// inputs are files that are read one after the other as if they were one. Those who read them in another way change a
// copy.
type inputs struct {
	paths   []string
	schema  *arrow.Schema // of all
	layout  *tablefile.Layout
	bytes   int64 // of all files
	footers int64 // bytes of their footers in memory
	memory  int64 // about what all rows take
	table   int64 // the same with the dictionaries that columns have, as one table of all rows has them
	compact int64 // the same with text in dictionaries, where Parquet files have them
	rows    int64 // of all files; less than 0 when one does not have the number
	columns int   // of each file
	format  tablefile.Format
	opts    *Options

	flat      *allocators.Recycler // of flat columns; nil: the allocator
	piece     int64                // bytes that are read at a time; 0: as in the budget
	decode    bool                 // dictionaries are read as values
	all       *arrow.Schema        // of all, when only some columns are read
	projected []int                // which those are; nil: all

	written []int // columns of the schema that are written; nil: all

	common *arrow.Schema // of all, when they were opened
	keyed  []int         // columns of it that have keys

	csv      *csv.Schema   // of CSV inputs, else nil
	inferred *arrow.Schema // of CSV of which the text is written, else nil
	pipes    *pipes
}

// newInputs resolves the options and lists the inputs, of which none is opened. They are closed in any case.
func newInputs(ctx context.Context, paths []string, opts Options) (*inputs, error) {
	opts, err := opts.resolved(ctx)
	if err != nil {
		return nil, err
	}
	in := &inputs{opts: &opts, pipes: &pipes{}}
	if in.format, err = tablefile.ParseFormat(string(opts.Input.Format)); err != nil {
		return nil, err
	}
	if opts.Input.Open != nil {
		if !opts.inParts {
			return nil, fmt.Errorf("%w: Open is for Divide and ReadPart", errOption)
		}
		in.paths = slices.Clone(paths)
	} else {
		files, skipped, err := dataset.List(paths)
		if err != nil {
			return nil, err
		}
		in.paths = files
		for _, line := range skipped {
			opts.Run.Warn(line)
		}
	}
	if len(in.paths) == 0 {
		return nil, fmt.Errorf("%w: no inputs", errOption)
	}
	return in, nil
}

// begin opens inputs that have the keys. One that is a stream in a pipe is not copied to a file if once is set: then it
// can be read once.
func begin(ctx context.Context, paths []string, opts Options, once bool) (*inputs, error) {
	in, err := newInputs(ctx, paths, opts)
	if err != nil {
		return nil, err
	}
	return in.begin(ctx, once)
}

func (in *inputs) begin(ctx context.Context, once bool) (_ *inputs, err error) {
	if err = in.openAll(ctx, once); err == nil {
		in.common, in.columns = in.schema, in.schema.NumFields()
		if err = in.findKeys(ctx); err == nil {
			in.keyed = in.keyColumns()
			in.warnKeys(in.csv)
			return in, nil
		}
		err = fmt.Errorf("%s: %w", displayName(in.paths[0]), withHint(in.csv, err))
	}
	in.close()
	return nil, err
}

// close removes the copies of pipes.
func (in *inputs) close() { in.pipes.close() }

// displayName returns an input as errors name it.
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
	if err := extsort.CheckKeys(ctx, in.schema, in.opts.Keys); err != nil {
		return err
	}
	in.opts.Keys = slices.Clone(in.opts.Keys)
	for i, key := range in.opts.Keys {
		name := in.schema.Field(in.columnOf(key)).Name
		if key.Path == "" && name != "" && len(in.schema.FieldIndices(name)) == 1 {
			in.opts.Keys[i].Path, in.opts.Keys[i].At = name, arrowsort.Position{}
		}
	}
	return nil
}

// beginOutput is begin for an output that is not among the inputs, has a place to be written to, and can hold the
// columns.
func beginOutput(ctx context.Context, paths []string, path string, opts Options, once bool) (*inputs, error) {
	in, err := newInputs(ctx, paths, opts)
	if err != nil {
		return nil, err
	}
	if err := output.CheckOverlap(paths, in.paths, path, in.opts.splits()); err != nil {
		return nil, err
	}
	write, err := in.opts.writing(path)
	if err != nil {
		return nil, err
	}
	target := path
	if in.opts.splits() {
		if err := output.CheckOlder(path); err != nil {
			return nil, err
		}
		target = output.Numbered(path, 1)
	}
	if err := tablefile.CheckTarget(target); err != nil {
		return nil, err
	}
	if in, err = in.begin(ctx, once); err != nil {
		return nil, err
	}
	if in.csv != nil && write.Format == tablefile.CSV {
		in.readVerbatim()
	} else if in.csv != nil {
		in.warnRounded()
	}
	if err = in.selectColumns(); err == nil {
		err = in.checkWritten(ctx, path, target)
	}
	if err != nil {
		in.close()
		return nil, err
	}
	return in, nil
}

// openAll reads the schemas of all files.
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
		if i == 0 {
			in.schema, in.layout = s.Schema, s.Layout.Outline()
		} else {
			in.schema, err = dataset.MatchSchemas(in.schema, s.Schema, displayName(path), displayName(in.paths[0]))
		}
		in.measure(i, s)
		in.warnFooter(path, s.Layout)
		s.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// warnFooter warns of a Parquet file whose footer leaves something out, or has what is unknown; nil for other files.
func (in *inputs) warnFooter(path string, layout *tablefile.Layout) {
	if layout == nil {
		return
	}
	for _, text := range layout.Remarks() {
		in.opts.Run.Warn(displayName(path) + ": " + text)
	}
}

// measure adds what a file holds. What is measured of CSV is that of all files.
func (in *inputs) measure(file int, s *tablefile.Scanner) {
	in.bytes += s.Bytes
	in.footers += s.Footer
	in.opts.footers = max(in.opts.footers, s.Footer)
	if in.csv != nil && file > 0 {
		return
	}
	unknown := in.rows < 0
	in.memory += s.InMemory
	in.table += s.Table
	in.compact += s.Compact
	if in.rows += s.Rows; unknown || s.Rows < 0 {
		in.rows = -1
	}
}

// scan opens a file for reading.
func (in *inputs) scan(path string) (*tablefile.Scanner, error) {
	if s := in.pipes.stream; s != nil {
		in.pipes.stream = nil
		return s, nil
	}
	s, err := tablefile.Scan(in.pipes.file(path), in.pieceBytes(), in.reading(path))
	if e := (*tablefile.FooterError)(nil); errors.As(err, &e) {
		err = fmt.Errorf("%w; the budget has to be at least %d bytes", err, extsort.BudgetOfFooter(e.Bytes))
	}
	return s, err
}

// pieceBytes returns the bytes that are read at a time.
func (in *inputs) pieceBytes() int64 { return cmp.Or(in.piece, in.opts.budget().Piece()) }

// reading returns the options to read an input.
func (in *inputs) reading(path string) tablefile.ReadOptions {
	read := tablefile.ReadOptions{
		Format: in.formatOf(path), Name: path, Allocator: in.opts.Run.Allocator, Flat: in.flat,
		Threads:     in.opts.Run.Threads,
		MemoryLimit: in.opts.readLimit, Delimiter: in.opts.Input.Delimiter, CSV: in.csv,
		MaxRow: in.opts.budget().CSVRow(), Footer: in.opts.budget().Footer(),
	}
	if open := in.opts.Input.Open; open != nil {
		read.Open = func(path string) (tablefile.File, error) { return open(path) }
	}
	return read
}

// formatOf returns the format of an input; Auto when its name names none.
func (in *inputs) formatOf(path string) tablefile.Format {
	format, err := in.format.Resolve(path)
	if err != nil {
		return in.format // opening it fails with the reason
	}
	return format
}

// An input is one of the files, whose rows come with the columns of the common schema. It is opened when it is read.
type input struct {
	*tablefile.Scanner
	in     *inputs
	path   string
	schema *arrow.Schema
	large  bool        // the values of dictionaries may take many times what was read
	rest   arrow.Table // of what was read; or nil
}

func (i *input) open() (err error) {
	in := i.in
	if i.schema = in.schema; in.decode {
		if i.schema, err = dictionary.DecodedSchema(in.schema); err != nil {
			return err
		}
		i.large = !i.schema.Equal(in.schema)
	}
	if i.Scanner, err = in.scan(i.path); err != nil {
		return err
	}
	if in.projected != nil {
		i.Choose(in.projectionOf(i.Scanner.Schema))
	}
	return in.checkSchema(i.path, i.Scanner.Schema)
}

// checkSchema makes sure that an input that is read has the columns that it had when it was opened.
func (in *inputs) checkSchema(path string, schema *arrow.Schema) error {
	_, err := dataset.MatchSchemas(in.schema, schema, displayName(path), displayName(in.paths[0]))
	return err
}

// Next returns the next rows, which the caller releases; io.EOF after the last.
func (i *input) Next(ctx context.Context) (arrow.Table, error) {
	if i.Scanner == nil {
		if err := i.open(); err != nil {
			return nil, err
		}
	}
	table, err := i.piece(ctx)
	if err != nil {
		return nil, err
	}
	defer table.Release()
	return dataset.Arrange(ctx, table, i.schema, i.in.opts.taking())
}

// piece returns the next rows as they are in the file, of which the values of dictionaries fit.
func (i *input) piece(ctx context.Context) (table arrow.Table, err error) {
	if table, i.rest = i.rest, nil; table == nil {
		if table, err = i.Scanner.Next(ctx); err != nil || !i.large {
			return table, err
		}
	}
	n := extsort.FittingRows(table, 0, i.in.pieceBytes())
	if n == table.NumRows() {
		return table, nil
	}
	defer table.Release()
	i.rest = arraydata.SliceTable(table, n, table.NumRows())
	part := arraydata.SliceTable(table, 0, n)
	defer part.Release()
	return extsort.CopyTable(ctx, part, i.in.opts.sorting()) // else dictionaries inside of it would be decoded whole
}

// Close closes the file.
func (i *input) Close() {
	if i.rest != nil {
		i.rest.Release()
		i.rest = nil
	}
	if i.Scanner != nil {
		i.Scanner.Close()
	}
}

// each passes all rows to use, piece by piece with the number of their file, while the next are read. io.EOF of use
// ends it. Progress of the phase gets the bytes of the files.
func (in *inputs) each(ctx context.Context, phase Phase, use func(file int, piece arrow.Table) error) error {
	in.opts.Run.Progress(phase, 0, in.bytes)
	done := int64(0)
	for file, path := range in.paths {
		s := &input{in: in, path: path}
		err := s.each(ctx, func(p arraydata.Piece) error {
			err := use(file, p.Table)
			in.opts.Run.Progress(phase, done+p.Done, in.bytes)
			return err
		})
		if s.Scanner != nil {
			done += s.Bytes
		}
		s.Close()
		in.bytes = max(in.bytes, done) // of a pipe they are known now
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		in.opts.Run.Progress(phase, done, in.bytes)
	}
	return nil
}

func (i *input) each(ctx context.Context, use func(p arraydata.Piece) error) error {
	next := func(ctx context.Context) (arraydata.Piece, error) {
		table, err := i.Next(ctx)
		if err != nil {
			return arraydata.Piece{}, err
		}
		return arraydata.Piece{Table: table, Done: i.Done()}, nil
	}
	return arraydata.Prefetch(ctx, next, func(_ context.Context, p arraydata.Piece) error { return use(p) })
}
