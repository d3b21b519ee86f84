package parquetsort

import (
	"context"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/dictionary"
)

// A Part is what ReadPart reads: row groups of a Parquet file, record batches of an Arrow file, or a whole file.
type Part struct {
	Path         string
	First, Count int   // row groups or record batches; a Count of -1: the whole file
	Bytes        int64 // that its rows take in memory, about
}

// A Division is inputs in parts that can be read independently of each other, in other processes too.
type Division struct {
	Stored     *arrow.Schema // of all files
	Schema     *arrow.Schema // of the rows that ReadPart reads: dictionaries are their values
	Keys       []arrowsort.Key
	KeyColumns []int  // of Schema, in which the keys lie
	Parts      []Part // in the order of files and rows
}

// Divide divides files, patterns and folders, as in Sort, into parts of about some bytes in memory; one row group or
// record batch at least, and a part at least for each file. It reads metadata only. Schemas of the files may differ as
// in Sort. CSV, which has no types, is ErrOption. Of the options it uses Keys, KeysFor, Input and
// Run.Allocator. Keys by position get the name of their column if no other has it.
func Divide(ctx context.Context, paths []string, bytes int64, opts Options) (*Division, error) {
	opts.inParts = true
	in, err := newInputs(ctx, paths, opts)
	if err != nil {
		return nil, err
	}
	for _, path := range in.paths {
		if in.formatOf(path) == tablefile.CSV {
			return nil, fmt.Errorf("%w: %s: CSV is not divided; convert it to Parquet first", errOption, path)
		}
	}
	if in, err = in.begin(ctx, false); err != nil {
		return nil, err
	}
	defer in.close()
	d := &Division{Stored: in.schema, Keys: in.opts.Keys, KeyColumns: in.keyed}
	if d.Schema, err = dictionary.DecodedSchema(in.schema); err != nil {
		return nil, err
	}
	for _, path := range in.paths {
		parts, err := in.parts(path, bytes)
		if err != nil {
			return nil, err
		}
		d.Parts = append(d.Parts, parts...)
	}
	return d, nil
}

// parts returns the parts of a file.
func (in *inputs) parts(path string, most int64) ([]Part, error) {
	if path == tablefile.Pipe {
		return nil, fmt.Errorf("%w: standard input is not divided; give files", errOption)
	}
	s, err := in.scan(path)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	pieces := s.PartBytes()
	if len(pieces) == 0 {
		return []Part{{Path: path, Count: -1, Bytes: s.InMemory}}, nil
	}
	parts := []Part{{Path: path}}
	for i, bytes := range pieces {
		part := &parts[len(parts)-1]
		if part.Count > 0 && part.Bytes+bytes > most {
			parts = append(parts, Part{Path: path, First: i})
			part = &parts[len(parts)-1]
		}
		part.Count++
		part.Bytes += bytes
	}
	return parts, nil
}

// ReadPart passes the rows of a part of a division to use, piece by piece in their order: some columns of
// Division.Schema by position, in ascending order, nil for all. use borrows the pieces. A part whose file has another
// schema than Division.Stored, or fewer row groups, is an error. Of the options it uses Keys, Memory.Budget for
// the size of the pieces, Input, and of Run Threads and Allocator.
func ReadPart(ctx context.Context, part Part, stored *arrow.Schema, columns []int, opts Options,
	use func(piece arrow.Table) error) error {
	opts, err := opts.resolved(ctx)
	if err != nil {
		return err
	}
	if stored == nil || use == nil {
		return fmt.Errorf("%w: a part is read with the schema of its division and a function, which must not be nil",
			errOption)
	}
	in := &inputs{paths: []string{part.Path}, schema: stored, opts: &opts, decode: true, pipes: &pipes{}}
	if in.format, err = tablefile.ParseFormat(string(opts.Input.Format)); err != nil {
		return err
	}
	if columns != nil {
		in.project(columns)
	}
	i := &input{in: in, path: part.Path}
	defer i.Close()
	if err := i.open(); err != nil {
		return err
	}
	if part.Count >= 0 {
		if err := i.Only(part.First, part.Count); err != nil {
			return err
		}
	}
	return i.each(ctx, func(p arraydata.Piece) error { return use(p.Table) })
}
