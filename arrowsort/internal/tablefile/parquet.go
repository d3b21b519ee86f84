package tablefile

import (
	"context"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet"
	"github.com/arrowsort/arrowsort/keyencode"
)

// What the metadata of a Parquet file has.
type (
	Layout        = parquet.Layout
	RowGroup      = parquet.RowGroup
	SortingColumn = parquet.SortingColumn
	FooterError   = parquet.FooterError
)

// SortingOf is the part of the order of the keys of a plan that a Parquet file names: the keys up to the first with
// NaN, for which Parquet has no place.
func SortingOf(plan *keyencode.Plan, keys []SortingColumn) []SortingColumn {
	for i := range plan.Keys() {
		if plan.Statistics(i).NaNs > 0 {
			return keys[:i]
		}
	}
	return keys
}

// The numbers of rows of a Parquet page, unless they take more than about a megabyte, and of a row group when no others
// are asked for. A reader that skips pages reads one page for one row.
const (
	DefaultPageRows     = parquet.DefaultPageRows
	DefaultRowGroupRows = parquet.DefaultRowGroupRows
)

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
		in.Layout = f.Layout
	}
	in.Table, err = f.Read(ctx, in.Columns)
	return err
}

// parquet are the options for a Parquet file.
func (o *ReadOptions) parquet() parquet.ReadOptions {
	return parquet.ReadOptions{Allocator: o.Allocator, Flat: o.Flat, Threads: o.Threads, Dictionaries: o.Dictionaries,
		Progress: o.Progress, Declared: o.declared, Footer: o.Footer, InBatches: o.pieces}
}

// parquet are the options for a Parquet file.
func (o *WriteOptions) parquet() parquet.WriteOptions {
	return parquet.WriteOptions{
		EncodeOptions: parquet.EncodeOptions{
			Allocator: o.Allocator, Threads: o.Threads, Codec: o.Compression.Codec, Level: o.Compression.Level,
			RowGroupRows: o.RowGroupRows, PageRows: o.PageRows, Schema: o.Schema, Rows: o.Rows, Progress: o.Progress,
		},
		Layout: o.Layout, Sorting: o.Sorting,
	}
}
