package parquetsort

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

// outputs writes tables to one file, or to several of some rows or bytes each. The files get their names when all are complete.
type outputs struct {
	ctx     context.Context // of the sort
	path    string
	schema  *arrow.Schema // of the files
	options tablefile.WriteOptions
	rows    int64 // of a file; 0: all
	bytes   int64 // of a file, about; 0: all

	dictionaries []*dictionaryTree // of the columns of the files; nil: they have values as the tables do

	head head // of all files

	paths   []string
	writers []*tablefile.Writer
	room    int64 // rows that the last file still takes
	written int64 // bytes of the last file
	step    int64 // that the table before took
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
	if o.splits() {
		path = numbered(o.path, len(o.writers)+1)
	}
	w, err := tablefile.Create(o.ctx, path, o.schema, o.options)
	if err != nil {
		return err
	}
	o.writers, o.paths, o.room = append(o.writers, w), append(o.paths, path), o.rows
	o.written = 0
	return nil
}

func (o *outputs) splits() bool { return o.rows > 0 || o.bytes > 0 }

// write writes the next rows. A file of some rows ends in the middle of a table where it is full, one of some bytes in front
// of a table that has probably no room.
func (o *outputs) write(ctx context.Context, table arrow.Table) error {
	if err := o.head.add(ctx, table); err != nil {
		return err
	}
	if o.bytes > 0 && o.written > 0 && o.written+o.step > o.bytes {
		if err := o.begin(); err != nil {
			return err
		}
	}
	if o.rows == 0 {
		return o.add(ctx, table)
	}
	for first := int64(0); first < table.NumRows(); {
		if o.room == 0 {
			if err := o.begin(); err != nil {
				return err
			}
		}
		end := min(first+o.room, table.NumRows())
		part := slice(table, first, end)
		err := o.add(ctx, part)
		part.Release()
		if err != nil {
			return err
		}
		o.room -= end - first
		first = end
	}
	return nil
}

// add writes a table to the last file.
func (o *outputs) add(ctx context.Context, table arrow.Table) error {
	if o.dictionaries != nil {
		encoded, err := withDictionaries(table, o.schema, o.dictionaries, o.options.Allocator)
		if err != nil {
			return err
		}
		defer encoded.Release()
		table = encoded
	}
	err := o.last().Write(ctx, table)
	now := o.last().Written()
	o.written, o.step = now, now-o.written
	return err
}

func (o *outputs) last() *tablefile.Writer { return o.writers[len(o.writers)-1] }

// finish completes the last file.
func (o *outputs) finish() error {
	if len(o.writers) == 0 {
		return nil
	}
	return o.last().Finish()
}

// syncs is the number of files that are synced at once: a disk takes about as long for some as for one.
const syncs = 16

// commit gives the files their names, once all are on the disk. It returns their bytes.
func (o *outputs) commit() (bytes int64, err error) {
	if len(o.writers) > 1 {
		if err := tablefile.Each(o.ctx, len(o.writers), syncs, func(i int) error { return o.writers[i].Sync() }); err != nil {
			return 0, err
		}
	}
	for _, w := range o.writers {
		n, err := w.Commit()
		if err != nil {
			return bytes, err
		}
		bytes += n
	}
	return bytes, o.removeOlder()
}

// removeOlder removes the files that an earlier sort left behind the last one: whoever reads the folder would take their rows
// for rows of this one.
func (o *outputs) removeOlder() error {
	if !o.splits() {
		return nil
	}
	for number := len(o.paths) + 1; ; number++ {
		err := os.Remove(numbered(o.path, number))
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("an output of an earlier sort: %w", err)
		}
	}
}

// abort removes the files that have no name yet.
func (o *outputs) abort() {
	for _, t := range o.dictionaries {
		t.release()
	}
	o.dictionaries = nil
	o.head.release()
	for _, w := range o.writers {
		w.Abort()
	}
}
