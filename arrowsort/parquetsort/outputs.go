package parquetsort

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

// outputs writes tables to one file, or to several of some rows each. The files get their names when all are complete.
type outputs struct {
	ctx     context.Context // of the sort
	path    string
	schema  *arrow.Schema // of the tables
	options tablefile.WriteOptions
	limit   int64 // rows of a file; 0: all

	paths   []string
	writers []*tablefile.Writer
	room    int64 // rows that the last file still takes
}

// numbered is the name of one of several outputs: out.parquet becomes out-00001.parquet.
func numbered(path string, number int) string {
	ext := filepath.Ext(path)
	return fmt.Sprintf("%s-%05d%s", strings.TrimSuffix(path, ext), number, ext)
}

func (o *outputs) begin() error {
	if err := o.finish(); err != nil {
		return err
	}
	path := o.path
	if o.limit > 0 {
		path = numbered(o.path, len(o.writers)+1)
	}
	w, err := tablefile.Create(o.ctx, path, o.schema, o.options)
	if err != nil {
		return err
	}
	o.writers, o.paths, o.room = append(o.writers, w), append(o.paths, path), o.limit
	return nil
}

// write writes the next rows. Each file ends in the middle of a table where it is full.
func (o *outputs) write(ctx context.Context, table arrow.Table) error {
	if o.limit == 0 {
		return o.last().Write(ctx, table)
	}
	for first := int64(0); first < table.NumRows(); {
		if o.room == 0 {
			if err := o.begin(); err != nil {
				return err
			}
		}
		end := min(first+o.room, table.NumRows())
		part := slice(table, first, end)
		err := o.last().Write(ctx, part)
		part.Release()
		if err != nil {
			return err
		}
		o.room -= end - first
		first = end
	}
	return nil
}

func (o *outputs) last() *tablefile.Writer { return o.writers[len(o.writers)-1] }

// finish completes the last file.
func (o *outputs) finish() error {
	if len(o.writers) == 0 {
		return nil
	}
	return o.last().Finish()
}

// commit gives the files their names. It returns their bytes.
func (o *outputs) commit() (bytes int64, err error) {
	for _, w := range o.writers {
		n, err := w.Commit()
		if err != nil {
			return bytes, err
		}
		bytes += n
	}
	return bytes, nil
}

// abort removes the files that have no name yet.
func (o *outputs) abort() {
	for _, w := range o.writers {
		w.Abort()
	}
}
