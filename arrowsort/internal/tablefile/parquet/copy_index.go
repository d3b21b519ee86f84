package parquet

import (
	"context"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
	"github.com/arrowsort/arrowsort/internal/workers"
)

// chunkIndexes makes the index of column chunks from their pages, row group by row group, and nil for the leaf columns
// that only pqarrow reads. It reads every page.
func (f *File) chunkIndexes(ctx context.Context) ([]*page.Index, error) {
	columns := f.Layout.meta.Schema.NumColumns()
	decoded := f.Decoded()
	indexes := make([]*page.Index, columns*len(f.Layout.meta.RowGroups))
	err := workers.Each(ctx, len(indexes), f.threads, func(i int) (err error) {
		leaf, group := i%columns, i/columns
		if decoded[leaf] {
			indexes[i], err = f.PageIndex(group, leaf)
			return err
		}
		return f.Verify(group, leaf)
	})
	return indexes, err
}
