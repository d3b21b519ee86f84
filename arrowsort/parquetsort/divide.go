package parquetsort

import (
	"context"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/dictionary"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/dataset"
)

// A Part is what ReadPart reads: row groups of a Parquet file, record batches of an Arrow file, or a whole file.
type Part struct {
	Path         string
	First, Count int   // row groups or record batches; a Count of -1: the whole file
	Bytes        int64 // that its rows take in memory, about
	// Version is that of the file when it was divided: its size, and of a File that has one its Version. A file with
	// another one is an error of ReadPart, as it may have other rows there; empty is any.
	Version string
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
// in Sort. CSV, which has no types, is ErrOption. Keys by position get the name of their column if no other has it.
func Divide(ctx context.Context, paths []string, bytes int64, options DivideOptions) (*Division, error) {
	opts, read, err := Options{Keys: options.Keys, KeysFor: options.KeysFor, Input: Input{Format: options.Format},
		Run: Run{Allocator: options.Allocator}}.resolve(ctx)
	if err != nil {
		return nil, err
	}
	read.Open = opener(options.Open)
	files := slices.Clone(paths)
	if read.Open == nil {
		if files, err = listFiles(ctx, paths, &opts); err != nil {
			return nil, err
		}
	}
	if len(files) == 0 {
		return nil, errNoInputs
	}
	for _, path := range files {
		if dataset.New(files, nil, read).FormatOf(path) == tablefile.CSV {
			return nil, fmt.Errorf("%w: %s: CSV is not divided; convert it to Parquet first", errOption, path)
		}
	}
	d, rows, err := openKeyed(ctx, files, read, false, opts.keys())
	if err != nil {
		return nil, err
	}
	defer d.Close()
	if err := withoutRandom("Divide", rows.Keys); err != nil {
		return nil, err
	}
	division := &Division{Stored: d.Schema, Keys: rows.Keys, KeyColumns: rows.KeyColumns()}
	if division.Schema, err = dictionary.DecodedSchema(d.Schema); err != nil {
		return nil, err
	}
	for _, path := range files {
		parts, err := partsOf(d, path, bytes)
		if err != nil {
			return nil, err
		}
		division.Parts = append(division.Parts, parts...)
	}
	return division, nil
}

// partsOf returns the parts of a file.
func partsOf(d *dataset.Dataset, path string, most int64) ([]Part, error) {
	if path == tablefile.Pipe {
		return nil, fmt.Errorf("%w: standard input is not divided; give files", errOption)
	}
	s, err := d.OpenFile(path, dataset.ScanOptions{})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	s.Measure()
	pieces := s.PartSizes()
	if len(pieces) == 0 {
		return []Part{{Path: path, Count: -1, Bytes: s.InMemory, Version: s.Version}}, nil
	}
	parts := []Part{{Path: path, Version: s.Version}}
	for i, bytes := range pieces {
		part := &parts[len(parts)-1]
		if part.Count > 0 && part.Bytes+bytes > most {
			parts = append(parts, Part{Path: path, First: i, Version: s.Version})
			part = &parts[len(parts)-1]
		}
		part.Count++
		part.Bytes += bytes
	}
	return parts, nil
}

// ReadPart passes the rows of a part of a division to use, piece by piece in their order: some columns of
// Division.Schema by position, in ascending order, nil for all. use borrows the pieces. A part whose file has another
// schema than Division.Stored, fewer row groups or another version, is an error.
func ReadPart(ctx context.Context, part Part, stored *arrow.Schema, columns []int, opts PartOptions,
	use func(piece arrow.Table) error) error {
	_, read, err := Options{Input: Input{Format: opts.Format}, Memory: Memory{Budget: opts.Budget},
		Run: Run{Threads: opts.Threads, Allocator: opts.Allocator}}.resolveAll(ctx)
	if err != nil {
		return err
	}
	read.Open = opener(opts.Open)
	if stored == nil || use == nil {
		return fmt.Errorf("%w: a part is read with the schema of its division and a function, which must not be nil",
			errOption)
	}
	d := dataset.New([]string{part.Path}, stored, read)
	rows := d.All()
	if columns != nil {
		rows = rows.Pick(columns)
	}
	s := d.File(part.Path, dataset.ScanOptions{Columns: rows, DecodeDictionaries: true})
	defer s.Close()
	if err := s.Open(); err != nil {
		return err
	}
	if part.Version != "" && part.Version != s.Version() {
		return fmt.Errorf("%s: the file was replaced after its metadata were read; start again", part.Path)
	}
	if part.Count >= 0 {
		if err := s.SelectParts(part.First, part.Count); err != nil {
			return err
		}
	}
	return s.Each(ctx, func(batch arrow.Table, _ int64) error { return use(batch) })
}
