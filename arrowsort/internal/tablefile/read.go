package tablefile

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/csv"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/dictionary"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet"
	"github.com/arrowsort/arrowsort/keyencode"
)

// An Input is a table that was read. The caller releases Table.
type Input struct {
	Table    arrow.Table
	Schema   *arrow.Schema // of the file; the table may hold its strings as dictionaries, see ReadOptions.Dictionaries
	Columns  []int         // positions in Schema of the columns that Table has; nil: all
	Format   Format
	Bytes    int64     // size of the input
	Template *Template // of a Parquet input that was read as a whole, else nil
}

// Read reads a whole table. Errors name the file; a file that breaks its format is ErrCorrupt, one that is too large
// for the limit ErrLimit.
func Read(ctx context.Context, path string, opts ReadOptions) (*Input, error) {
	return withFile(opts.name(path), "standard input", func() (*Input, error) { return read(ctx, path, opts) })
}

func read(ctx context.Context, path string, opts ReadOptions) (in *Input, err error) {
	if opts.Format, err = opts.resolveInput(path); err != nil {
		return nil, err
	}
	opts.Delimiter = delimiter(opts.name(path), opts.Delimiter)
	if path == Pipe {
		return readPipe(ctx, opts)
	}
	file, err := opts.open(path, opts.Format)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if file.compressed {
		opts.Stdin, opts.textLimit = file, textLimit(file.size)
		if in, err = readPipe(ctx, opts); err == nil {
			in.Bytes = file.size
		}
		return in, err
	}
	return readSource(ctx, file.source, file.size, opts)
}

// readPipe reads all bytes of standard input before it reads the table.
func readPipe(ctx context.Context, opts ReadOptions) (*Input, error) {
	opts.start()
	stdin := cmp.Or[io.Reader](opts.Stdin, os.Stdin)
	r, err := pipeOf(Interruptible(ctx, stdin), opts.Format, opts.textLimit)
	if err != nil {
		return nil, err
	}
	limited := opts
	limited.setAllocationLimit(-1)
	b, err := readUpTo(r, limited.MemoryLimit)
	if err != nil {
		return nil, err
	}
	return readSource(ctx, bytes.NewReader(b), int64(len(b)), opts)
}

func readSource(ctx context.Context, src source, size int64, opts ReadOptions) (in *Input, err error) {
	opts.setAllocationLimit(size)
	in = &Input{Format: opts.Format, Bytes: size}
	if opts.Format == Parquet {
		if err := readParquet(ctx, src, in, opts); err != nil {
			return nil, err
		}
		return in, nil
	}
	if opts.Format == CSV { // which is read twice: for the types, then for the values
		opts.start()
		opts.CSV = cmp.Or(opts.CSV, &csv.Schema{})
		if err := opts.CSV.Infer(ctx, opts.source(src, size)); err != nil {
			return nil, err
		}
	}
	s := &Scanner{Format: opts.Format}
	if err := s.open(src, size, csv.MaxBatchBytes, opts); err != nil {
		return nil, err
	}
	defer s.batches.Close()
	in.Schema = s.Schema
	if in.Columns, err = opts.begin(s.Schema); err != nil {
		return nil, err
	}
	if in.Columns != nil {
		s.SelectColumns(in.Columns)
	}
	table, err := s.all(ctx)
	if err != nil {
		return nil, err
	}
	defer table.Release()
	in.Table, err = dictionary.Unify(ctx, opts.Allocator, table) // equal indices are equal values in all chunks
	return in, err
}

// all returns a table of all batches.
func (s *Scanner) all(ctx context.Context) (arrow.Table, error) {
	var parts []arrow.Table
	defer func() { arraydata.Release(parts) }()
	for {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		batch, err := s.batches.Next(ctx)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		parts = append(parts, s.pick(batch))
	}
	return arraydata.Concatenate(s.Schema, parts), nil
}

// readUpTo reads everything up to a limit, 0 for none; more is ErrLimit.
func readUpTo(r io.Reader, limit int64) ([]byte, error) {
	if limit > 0 && limit < math.MaxInt64 {
		r = io.LimitReader(r, limit+1)
	}
	b, err := io.ReadAll(r)
	if err == nil && limit > 0 && int64(len(b)) > limit {
		return nil, fmt.Errorf("%w: the input has more than %d bytes", ErrLimit, limit)
	}
	return b, err
}

// SortingOf returns the part of the order of the keys of a plan that a Parquet file names: the keys up to the first
// with NaN, for which Parquet has no place. keys may be fewer than those of the plan.
func SortingOf(plan *keyencode.Plan, keys []SortingColumn) []SortingColumn {
	for i := range plan.Keys() {
		if plan.Statistics(i).NaNs > 0 {
			return keys[:min(i, len(keys))]
		}
	}
	return keys
}

// readParquet passes on the schema of a Parquet file and reads the columns that are chosen.
func readParquet(ctx context.Context, src source, in *Input, opts ReadOptions) error {
	f, err := parquet.Open(src, in.Bytes, opts.parquet())
	if err != nil {
		return err
	}
	in.Schema = f.Schema()
	if in.Columns, err = opts.begin(in.Schema); err != nil {
		return err
	}
	if in.Columns == nil {
		in.Template = f.Template
	}
	in.Table, err = f.Read(ctx, in.Columns)
	return err
}
