package parquetsort

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/rawmem"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

// Expand lists the files that some paths mean: a file is itself, a pattern with *, ? or [ the files that match it in
// the order of their names, a folder the Parquet and Arrow files right in it. A pattern or folder without files is an
// error.
func Expand(paths []string) ([]string, error) {
	var files []string
	for _, path := range paths {
		found, err := expand(path)
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	return files, nil
}

func expand(path string) ([]string, error) {
	if info, err := os.Stat(path); err == nil && path != tablefile.Pipe {
		if !info.IsDir() {
			return []string{path}, nil
		}
		return filesIn(path)
	}
	if !strings.ContainsAny(path, "*?[") {
		return []string{path}, nil // opening it tells what is wrong
	}
	files, err := filepath.Glob(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	files = slices.DeleteFunc(files, func(f string) bool {
		info, err := os.Stat(f)
		return err == nil && info.IsDir()
	})
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: no file matches", path)
	}
	return files, nil
}

// filesIn lists the files of a folder that can be sorted, but for hidden ones and those that begin with an underscore,
// which tools keep for themselves.
func filesIn(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, e := range entries {
		format, err := tablefile.Auto.Resolve(e.Name())
		if err == nil && format != tablefile.CSV && !e.IsDir() && !strings.HasPrefix(e.Name(), ".") &&
			!strings.HasPrefix(e.Name(), "_") {
			files = append(files, filepath.Join(folder, e.Name()))
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: there is no Parquet or Arrow file in the folder", folder)
	}
	return files, nil
}

// inputs are files that are read one after the other as if they were one.
type inputs struct {
	paths  []string
	schema *arrow.Schema // of all
	layout *tablefile.Layout
	bytes  int64 // of all files
	memory int64 // about what all rows take
	rows   int64 // of all files; less than 0 when one does not tell
	whole  bool  // the one input is read as a whole; until then there is nothing but its path
	format tablefile.Format
	opts   *Options
	flat   *rawmem.Recycler
	all    *arrow.Schema // of all, when only some columns are read
	chosen []int         // which those are

	written []int // columns of the schema that are written; nil: all
}

// begin opens inputs that have the keys. Of one that is read as a whole nothing is read yet.
func begin(ctx context.Context, paths []string, opts Options) (*inputs, error) {
	in, err := openInputs(ctx, paths, opts)
	if err != nil {
		return nil, err
	}
	if in.whole {
		return in, nil
	}
	if err := in.findKeys(ctx); err != nil {
		return nil, fmt.Errorf("%s: %w", in.paths[0], err)
	}
	return in, nil
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

// beginOutput opens inputs that have the keys and not the output among them, which has a place to be written to.
func beginOutput(ctx context.Context, paths []string, output string, opts Options) (*inputs, error) {
	in, err := begin(ctx, paths, opts)
	if err != nil {
		return nil, err
	}
	if err := checkAmong(paths, in.paths, output, in.opts.splits()); err != nil {
		return nil, err
	}
	if !in.opts.splits() {
		return in, tablefile.CheckTarget(output)
	}
	if err := in.opts.checkOlder(output); err != nil {
		return nil, err
	}
	return in, tablefile.CheckTarget(numbered(output, 1))
}

// openInputs resolves the options and looks at the schemas of all files.
func openInputs(ctx context.Context, paths []string, opts Options) (*inputs, error) {
	opts, err := opts.resolved()
	if err != nil {
		return nil, err
	}
	in := &inputs{opts: &opts}
	if in.format, err = tablefile.ParseFormat(opts.InputFormat); err != nil {
		return nil, err
	}
	if in.paths, err = Expand(paths); err != nil {
		return nil, err
	}
	if len(in.paths) == 0 {
		return nil, fmt.Errorf("%w: no inputs", ErrOption)
	}
	if why := ReadWhole(in.paths, opts); why != "" {
		if in.whole = true; len(in.paths) > 1 || opts.splits() {
			return nil, fmt.Errorf("%w: %s", ErrOption, why)
		}
		return in, nil
	}
	for i, path := range in.paths {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		s, err := in.scan(path)
		if err != nil {
			return nil, err
		}
		in.bytes += s.Bytes
		in.memory += s.InMemory
		if in.rows >= 0 && s.Rows >= 0 {
			in.rows += s.Rows
		} else {
			in.rows = -1
		}
		if i == 0 {
			in.schema, in.layout = s.Schema, s.Layout
		} else {
			in.schema, err = agree(in.schema, s.Schema, path, in.paths[0])
		}
		s.Close()
		if err != nil {
			return nil, err
		}
	}
	return in, nil
}

func (in *inputs) scan(path string) (*tablefile.Scanner, error) {
	return in.scanIn(path, budget{in.opts.Memory}.piece())
}

// scanIn opens a file for reading in pieces of some bytes.
func (in *inputs) scanIn(path string, piece int64) (*tablefile.Scanner, error) {
	return tablefile.Scan(path, piece, tablefile.ReadOptions{
		Format: in.format, Allocator: in.opts.Allocator, Flat: in.flat, Threads: in.opts.Threads,
		MemoryLimit: in.opts.readLimit,
	})
}

// An input is one of the files, whose rows come with the columns of the common schema.
type input struct {
	*tablefile.Scanner
	schema *arrow.Schema
	plain  *arrow.Schema // with the values of dictionaries
	opts   *Options
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
	if in.chosen != nil {
		s.Choose(in.chosenOf(s.Schema))
	}
	if _, err := agree(in.schema, s.Schema, path, in.paths[0]); err != nil { // it may have changed
		s.Close()
		return nil, err
	}
	plain, err := plainSchema(in.schema)
	if err != nil {
		s.Close()
		return nil, err
	}
	return &input{s, in.schema, plain, in.opts}, nil
}

func (i *input) next(ctx context.Context) (arrow.Table, error) {
	table, err := i.Next(ctx)
	if err != nil {
		return nil, err
	}
	defer table.Release()
	return arrange(table, i.schema), nil
}

// nextPlain is next with the values of dictionaries in their place.
func (i *input) nextPlain(ctx context.Context) (arrow.Table, error) {
	table, err := i.next(ctx)
	if err != nil {
		return nil, err
	}
	defer table.Release()
	return plainTable(ctx, table, i.plain, i.opts.sorting())
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
	in.opts.Progress(PhaseRead, before+s.Bytes, in.bytes)
	return s.Bytes, nil
}
