package parquetsort

import (
	"context"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/extsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/dataset"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/rowgroups"
)

// leaveOut limits Parquet files to the row groups, and of these to the pages, that can hold the first or last rows that
// are wanted, by the bounds of the leading key in footers and page indexes. It returns nil where all are read.
func leaveOut(ctx context.Context, d *dataset.Dataset, rows dataset.Projection, opts *Options) (*rowgroups.Selection,
	error) {
	wanted := opts.Rows.Limit + opts.Rows.Tail // one of them is 0
	unbounded := extsort.Derived(rows.Keys[0]) || extsort.HasRandom(rows.Keys)
	if wanted == 0 || wanted >= d.Rows || opts.Rows.Unique || d.Template == nil || unbounded {
		return nil, nil
	}
	key, err := rowgroups.LeadingKey(rows.Schema, rows.Keys, opts.Rows.Tail > 0)
	if err != nil {
		return nil, err
	}
	groups, bounded := make(map[string][]*rowgroups.Group), true
	err = d.EachFooter(ctx, func(number int, footer *tablefile.Template) (err error) {
		if bounded = bounded && footer != nil; !bounded {
			return nil
		}
		of, err := key.Groups(ctx, footer, opts.Run.Allocator)
		groups[d.Files[number]] = of
		bounded = len(of) > 0 || footer.Rows() == 0
		return err
	})
	if err != nil || !bounded {
		return nil, err
	}
	return d.Narrow(ctx, rowgroups.Select(key, d.Files, groups, wanted), wanted)
}

// readKeys reads the keys of a file, with a limit and of Parquet those of the pages that can hold the first rows. It
// returns these pages, nil for all.
func (o *Options) readKeys(ctx context.Context, file string, read dataset.Options) (table *dataset.Table,
	keys []arrowsort.Key, selected *rowgroups.Selection, err error) {
	isParquet := file != tablefile.Pipe && dataset.New([]string{file}, nil, read).FormatOf(file) == tablefile.Parquet
	if o.Rows.Limit == 0 || !isParquet {
		table, keys, err = dataset.ReadKeys(ctx, file, read, o.loading(true), o.keys())
		return table, keys, nil, err
	}
	d, rows, err := openKeyed(ctx, []string{file}, read, false, o.keys())
	if err != nil {
		return nil, nil, nil, err
	}
	defer d.Close()
	if selected, err = leaveOut(ctx, d, rows, o); err != nil {
		return nil, nil, nil, err
	}
	rows = rows.OnlyKeys()
	table, err = d.ReadTable(ctx, rows, o.loading(true))
	return table, rows.Keys, selected, err
}
