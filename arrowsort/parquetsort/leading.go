package parquetsort

import (
	"context"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/dataset"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/rowgroups"
)

// leaveOut limits Parquet files to the row groups that can hold the first or last rows that are wanted, by the bounds
// of the leading key in their footers. It returns nil where all are read.
func leaveOut(ctx context.Context, d *dataset.Dataset, rows dataset.Projection, opts *Options) (*rowgroups.Selection,
	error) {
	wanted := opts.Rows.Limit + opts.Rows.Tail // one of them is 0
	if wanted == 0 || wanted >= d.Rows || opts.Rows.Unique {
		return nil, nil
	}
	key, err := rowgroups.LeadingKey(rows.Schema, rows.Keys, opts.Rows.Tail > 0)
	if err != nil {
		return nil, err
	}
	groups, bounded := make(map[string][]*rowgroups.Group), true
	err = d.EachFile(ctx, func(number int, s *tablefile.Scanner) (err error) {
		if bounded = bounded && s.Template != nil; !bounded {
			return nil
		}
		of, err := key.Groups(ctx, s.Template, opts.Run.Allocator)
		groups[d.Files[number]] = of
		bounded = len(of) > 0 || s.Rows == 0
		return err
	})
	if err != nil || !bounded {
		return nil, err
	}
	s := rowgroups.Select(key, d.Files, groups, wanted)
	if s.LeftOut == 0 {
		return nil, nil
	}
	return s, d.Narrow(ctx, s)
}
