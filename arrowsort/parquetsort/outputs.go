package parquetsort

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/apache/arrow/go/v15/arrow"
	"golang.org/x/sync/errgroup"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/atomicfile"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/output"
)

// outputs writes tables to one file, or to several of some rows or bytes each. A file is closed when it is complete.
// The files get their names when all are.
type outputs struct {
	ctx     context.Context // of the sort
	path    string
	schema  *arrow.Schema // of the files
	options tablefile.WriteOptions

	dictionaries output.Dictionaries // of the columns of the files, which are values in the tables

	columns []int         // of the tables that are written; nil: all
	rowType *arrow.Schema // of the tables, with dictionaries if they get some
	head    head          // of all files

	paths     []string
	placement atomicfile.Placement
	file      *tablefile.Writer // the last file; nil when it is complete
	closing   errgroup.Group    // files that are complete
	total     atomic.Int64      // bytes of the files that are closed
	rows      int64             // of the files that are complete
	room      int64             // rows that the last file still takes
	written   int64             // bytes of the last file
	step      int64             // that the table before took
}

// selectColumns has some columns of the tables written.
func (o *outputs) selectColumns(columns []int) {
	o.columns, o.rowType, o.schema = columns, o.schema, arraydata.Pick(o.schema, columns)
	if o.options.Schema != nil {
		o.options.Schema = arraydata.Pick(o.options.Schema, columns)
	}
}

func (o *outputs) begin() error {
	if err := o.finish(); err != nil {
		return err
	}
	path := o.path
	if o.head.opts.splits() {
		path = output.Numbered(o.path, len(o.paths)+1)
	}
	at, err := o.target(path)
	if err != nil {
		return err
	}
	o.options.Name = path
	if o.file, err = tablefile.Create(o.ctx, at, o.schema, o.options); err != nil {
		return err
	}
	o.paths, o.room, o.written = append(o.paths, path), o.head.opts.Output.RowsPerFile, 0
	return nil
}

// write writes the next rows. A file of some rows ends in the middle of a table where it is full, one of some bytes in
// front of a table that has probably no room.
func (o *outputs) write(ctx context.Context, table arrow.Table) error {
	if o.head.rows < o.head.opts.Output.Preview {
		first := arraydata.PickTable(table, o.columns)
		defer first.Release()
		if err := o.head.add(ctx, first); err != nil {
			return err
		}
	}
	if most := o.head.opts.Output.BytesPerFile; most > 0 && o.written > 0 && o.written+o.step > most {
		if err := o.begin(); err != nil {
			return err
		}
	}
	if o.head.opts.Output.RowsPerFile == 0 {
		return o.add(ctx, table)
	}
	for first := int64(0); first < table.NumRows(); {
		if o.room == 0 {
			if err := o.begin(); err != nil {
				return err
			}
		}
		end := min(first+o.room, table.NumRows())
		part := arraydata.SliceTable(table, first, end)
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
	if o.dictionaries.Columns() != nil {
		encoded, err := o.dictionaries.Encode(table, o.rowType, o.options.Allocator)
		if err != nil {
			return err
		}
		defer encoded.Release()
		table = encoded
	}
	table = arraydata.PickTable(table, o.columns)
	defer table.Release()
	err := o.file.Write(ctx, table)
	now := o.file.Written()
	o.written, o.step = now, now-o.written
	return err
}

// finish completes the last file, which is synced and closed while the next is written.
func (o *outputs) finish() error {
	file := o.file
	if file == nil {
		return nil
	}
	if err := file.Finish(); err != nil {
		return err
	}
	o.rows += file.Rows()
	o.file = nil
	o.closing.Go(func() error {
		n, err := file.Commit()
		o.total.Add(n)
		return err
	})
	return nil
}

// syncs is the number of files that are synced at once: a disk takes about as long for some as for one.
const syncs = 16

// commit gives the files their names, once all are on the disk: all of them, also when a signal ends the process
// meanwhile. It returns their bytes.
func (o *outputs) commit() (bytes int64, err error) {
	if err := o.closing.Wait(); err != nil {
		return 0, err
	}
	return o.total.Load(), atomicfile.Uninterrupted(func() error {
		if err := o.placement.Place(); err != nil {
			return err
		}
		return o.removeOlder()
	})
}

// checkRows makes sure, before files get their names, that the inputs were read whole and that the files have the rows
// that are wanted of them.
func (o *outputs) checkRows(known, read int64) error {
	if known >= 0 && read != known {
		return fmt.Errorf("%s: %d of the %d rows of the inputs were read; no output is written", o.path, read, known)
	}
	opts, wanted := o.head.opts, read
	for _, most := range []int64{opts.Rows.Limit, opts.Rows.Tail} {
		if most > 0 {
			wanted = min(wanted, most)
		}
	}
	if o.rows == wanted || opts.Rows.Unique && o.rows < wanted && o.rows > 0 {
		return nil
	}
	return fmt.Errorf("%s: the files have %d rows, and %d are wanted; none gets its name", o.path, o.rows, wanted)
}

// removeOlder removes the files that an earlier sort wrote after the last one: whoever reads the folder would take
// their rows for rows of this one. It lists the folder, as a process that was killed may have left gaps.
func (o *outputs) removeOlder() error {
	if !o.head.opts.splits() {
		return nil
	}
	older, err := output.NumberedOutputs(o.path)
	for _, path := range slices.Backward(older) {
		if err != nil || output.NumberOf(path, o.path) <= len(o.paths) {
			break
		}
		if err = tablefile.CheckOwnOutput(path); err == nil {
			err = atomicfile.Remove(path)
		}
	}
	if err != nil {
		return fmt.Errorf("the outputs are complete, but a file of an earlier sort is still among them: %w", err)
	}
	return nil
}

// target returns the path at which an output is written: a temporary one, unless it is written in place.
func (o *outputs) target(path string) (string, error) {
	if !tablefile.Replaces(path) {
		return path, nil
	}
	return o.placement.Path(path)
}

// abort removes the files that have no name yet.
func (o *outputs) abort() {
	o.dictionaries.Release()
	o.dictionaries = output.Dictionaries{}
	o.head.release()
	if o.file != nil {
		o.file.Abort()
	}
	o.closing.Wait() // an error was returned before
	o.placement.Remove()
}

// useDictionaries has an Arrow output written with dictionaries where the inputs have them.
func (o *outputs) useDictionaries(in *inputs) {
	d := output.NewDictionaries(in.schema)
	isArrow := o.options.Format == tablefile.IPCFile || o.options.Format == tablefile.IPCStream
	if isArrow && d.Columns() != nil {
		o.dictionaries, o.schema = d, in.schema
	}
}

// collectDictionaries collects the dictionaries of all inputs.
func (o *outputs) collectDictionaries(ctx context.Context, in *inputs) error {
	if o.dictionaries.Columns() == nil {
		return nil
	}
	read, picked := *in, o.dictionaries.Picked()
	read.project(o.dictionaries.Columns())
	err := read.each(ctx, PhaseDictionaries, func(_ int, table arrow.Table) error {
		return picked.Collect(ctx, table, in.opts.sorting())
	})
	if err != nil {
		return err
	}
	return o.dictionaries.Join(in.opts.Run.Allocator)
}
