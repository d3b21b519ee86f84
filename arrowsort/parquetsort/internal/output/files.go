package output

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/apache/arrow/go/v15/arrow"
	"golang.org/x/sync/errgroup"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/extsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/atomicfile"
)

// Files writes tables to one file, or to several of some rows or bytes each. A file is closed when it is complete. The
// files get their names when all are.
type Files struct {
	Target
	// Dictionaries are those of the columns of an Arrow output, which are values in the tables.
	Dictionaries Dictionaries

	ctx     context.Context // of all files, which outlive the calls that write to them
	content Content
	options tablefile.WriteOptions
	rowType *arrow.Schema // of the tables, with dictionaries if they get some
	schema  *arrow.Schema // of the files
	preview preview       // of all files

	paths     []string
	number    int // of the last file, in its folder
	placement atomicfile.Placement
	folders   partitionFolders  // in place of placement; without partitions there are none
	file      *tablefile.Writer // the last file; nil when it is complete
	last      *tablefile.Writer // the same, also when it is complete
	closing   errgroup.Group    // files that are complete
	held      *tablefile.Writer // of a store, complete and not committed; nil: none
	failed    atomic.Bool       // the commit of a file of a store
	standing  atomic.Int64      // files of a store that are committed
	total     atomic.Int64      // bytes of the files that are closed
	rows      int64             // of the files that are complete
	room      int64             // rows that the last file still takes
	written   int64             // bytes of the last file
	step      int64             // that the table before took
}

// New returns the files of a target, of which none is begun. Begin, WriteStream and Commit write them, those of
// partitions after Prepare, or Begin, CopyRowGroups, Finish and Commit, or WriteTable and Commit. The caller calls
// Abort in any case.
func New(ctx context.Context, t Target, c Content) *Files {
	f := &Files{Target: t, ctx: ctx, content: c, options: t.options(c), rowType: c.Rows,
		preview: preview{most: t.Preview, opts: t.taking()}}
	f.closing.SetLimit(syncs)
	if f.isElsewhere() {
		f.closing.SetLimit(1) // in the order of the rows
	}
	if t.KeepsDictionaries() && c.Stored != nil {
		if f.Dictionaries = newDictionaries(c.Stored); f.Dictionaries.Columns() != nil {
			f.rowType = c.Stored
		}
	}
	f.schema = arraydata.Pick(f.rowType, c.Columns)
	return f
}

// Paths returns the names of the files.
func (f *Files) Paths() []string { return f.paths }

// Begin begins the first file, of rows in an order that the files name. That of partitions begins with the first row.
func (f *Files) Begin(order tablefile.RowOrder) error {
	f.options.Order = order
	if f.content.Partitions != nil {
		return nil
	}
	return f.begin()
}

func (f *Files) begin() error {
	if err := f.Finish(); err != nil {
		return err
	}
	f.number++
	path, at, err := f.next()
	if err != nil {
		return err
	}
	if f.last == nil {
		f.options.Name = path
		f.file, err = tablefile.Create(f.ctx, at, f.schema, f.options)
	} else {
		f.file, err = f.last.Next(f.ctx, at, path)
	}
	if err != nil {
		return err
	}
	f.last = f.file
	f.paths, f.room, f.written = append(f.paths, path), f.RowsPerFile, 0
	return nil
}

// WriteStream writes the rows of a stream while the next are made, and reports their number to wrote. It returns the
// number of all.
func (f *Files) WriteStream(ctx context.Context, rows extsort.TableStream, wrote func(rows int64)) (all int64,
	err error) {
	next := func(ctx context.Context) (arraydata.Piece, error) {
		table, err := rows.Next(ctx)
		return arraydata.Piece{Table: table}, err
	}
	err = arraydata.Prefetch(ctx, next, func(ctx context.Context, p arraydata.Piece) error {
		err := f.write(ctx, p.Table)
		all += p.NumRows()
		wrote(p.NumRows())
		return err
	})
	if err == nil {
		err = f.Finish()
	}
	return all, err
}

// write writes the next rows. A file of some rows ends in the middle of a table where it is full, one of some bytes in
// front of a table that has probably no room. With partitions a table has rows of one.
func (f *Files) write(ctx context.Context, table arrow.Table) error {
	if p := f.content.Partitions; p != nil {
		entered, err := f.folders.enter(p, table)
		if err != nil {
			return err
		}
		if entered {
			f.number = 0
			if err := f.begin(); err != nil {
				return err
			}
		}
	}
	if f.preview.rows < f.Preview {
		first := arraydata.PickTable(table, f.content.Columns)
		defer first.Release()
		if err := f.preview.add(ctx, first); err != nil {
			return err
		}
	}
	if most := f.BytesPerFile; most > 0 && f.written > 0 && f.written+f.step > most {
		if err := f.begin(); err != nil {
			return err
		}
	}
	if f.RowsPerFile == 0 {
		return f.add(ctx, table)
	}
	for first := int64(0); first < table.NumRows(); {
		if f.room == 0 {
			if err := f.begin(); err != nil {
				return err
			}
		}
		end := min(first+f.room, table.NumRows())
		part := arraydata.SliceTable(table, first, end)
		err := f.add(ctx, part)
		part.Release()
		if err != nil {
			return err
		}
		f.room -= end - first
		first = end
	}
	return nil
}

// add writes a table to the last file.
func (f *Files) add(ctx context.Context, table arrow.Table) error {
	if f.Dictionaries.Columns() != nil {
		encoded, err := f.Dictionaries.Encode(table, f.rowType, f.options.Allocator)
		if err != nil {
			return err
		}
		defer encoded.Release()
		table = encoded
	}
	table = arraydata.PickTable(table, f.content.Columns)
	defer table.Release()
	err := f.file.Write(ctx, table)
	now := f.file.Written()
	f.written, f.step = now, now-f.written
	return err
}

// CopyRowGroups appends the row groups of a Parquet file that tablefile.Copies, and reports the bytes.
func (f *Files) CopyRowGroups(ctx context.Context, s *tablefile.Scanner, report func(bytes int64)) error {
	return f.file.Copy(ctx, s, report)
}

// AddPreview copies the rows of the next table that are wanted, where no rows are written; done reports that no further
// ones are.
func (f *Files) AddPreview(ctx context.Context, table arrow.Table) (done bool, err error) {
	err = f.preview.add(ctx, table)
	return f.preview.rows == f.Preview, err
}

// Finish completes the last file, which is synced and closed while the next is written.
func (f *Files) Finish() error {
	file := f.file
	if file == nil {
		return nil
	}
	if err := file.Finish(); err != nil {
		return err
	}
	f.rows += file.Rows()
	f.file = nil
	f.complete(file)
	return nil
}

// syncs is the number of files that are synced at once: a disk takes about as long for some as for one.
const syncs = 16

// WriteTable writes rows of a table to the one file, in the order of their numbers; all without numbers. The file names
// the order; row groups of Parquet have groupRows, 0 for the default. progress is called before the first row, too.
func (f *Files) WriteTable(ctx context.Context, table arrow.Table, rows []uint64, order tablefile.RowOrder,
	groupRows int, progress func(done, total int)) error {
	progress(0, 0)
	opts := f.options
	opts.Progress, opts.Name, opts.Rows, opts.Order = progress, f.Path, rows, order
	if opts.Format == tablefile.Parquet {
		opts.RowGroupRows = groupRows
	} else if rows != nil {
		taken, err := extsort.TakeRows(ctx, table, rows, f.taking())
		if err != nil {
			return err
		}
		defer taken.Release()
		table, opts.Rows, rows = taken, nil, nil
	}
	at, err := f.place(f.Path)
	if err != nil {
		return err
	}
	f.paths = []string{f.Path}
	file, err := tablefile.WriteUncommitted(ctx, at, table, opts)
	if err != nil {
		return err
	}
	f.complete(file)
	if f.rows = int64(len(rows)); rows == nil {
		f.rows = table.NumRows()
		return f.preview.add(ctx, table)
	}
	first, err := extsort.TakeRows(ctx, table, rows[:min(f.Preview, f.rows)], f.taking())
	if err != nil {
		return err
	}
	defer first.Release()
	return f.preview.add(ctx, first)
}

// Commit gives the files their names, once all are on the disk: all of them, also when a signal ends the process
// meanwhile. It returns their bytes, and the first rows with a schema, which the caller releases.
func (f *Files) Commit(schema *arrow.Schema) (bytes int64, preview arrow.Table, err error) {
	f.commitHeld()
	if err := f.closing.Wait(); err != nil {
		return 0, nil, f.Standing(err)
	}
	tree := f.folders.tree
	if tree != nil {
		if err := tree.Sync(syncs); err != nil {
			return 0, nil, err
		}
	}
	err = atomicfile.Uninterrupted(func() error {
		if tree != nil {
			return tree.Place()
		}
		if err := f.placement.Place(); err != nil {
			return err
		}
		return f.removeOlder()
	})
	if err == nil {
		preview = f.preview.table(schema)
	}
	return f.total.Load(), preview, err
}

// CheckRows makes sure, before files get their names, that the files have the rows that are wanted; with fewer, they
// may have fewer, but not none.
func (f *Files) CheckRows(wanted int64, fewer bool) error {
	if f.rows == wanted || fewer && f.rows < wanted && f.rows > 0 {
		return nil
	}
	return fmt.Errorf("%s: the files have %d rows, and %d are wanted; none gets its name", f.Path, f.rows, wanted)
}

// removeOlder removes the files that an earlier sort wrote after the last one: whoever reads the folder would take
// their rows for rows of this one. It lists the folder, as a process that was killed may have left gaps.
func (f *Files) removeOlder() error {
	if !f.Split || f.isElsewhere() {
		return nil
	}
	older, err := numberedOutputs(f.Path)
	for _, path := range slices.Backward(older) {
		if err != nil || numberOf(path, f.Path) <= len(f.paths) {
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

// next returns the name of the next file, and the path at which it is written.
func (f *Files) next() (name, at string, err error) {
	if f.content.Partitions != nil {
		name, at = f.folders.file(&f.Target, f.number)
		return name, at, nil
	}
	name = f.name(f.number)
	at, err = f.place(name)
	return name, at, err
}

// place returns the path at which an output is written: a temporary one, unless it is written in place.
func (f *Files) place(path string) (string, error) {
	if f.isElsewhere() || !tablefile.Replaces(path) {
		return path, nil
	}
	return f.placement.Path(path)
}

// Abort removes the files that have no name yet.
func (f *Files) Abort() {
	f.Dictionaries.Release()
	f.Dictionaries = Dictionaries{}
	f.preview.release()
	for _, file := range []*tablefile.Writer{f.file, f.held} {
		if file != nil {
			file.Abort()
		}
	}
	f.held = nil
	f.closing.Wait() // an error was returned before
	f.placement.Remove()
	if f.folders.tree != nil {
		f.folders.tree.Remove()
	}
}

// A preview collects copies of the first rows of an output.
type preview struct {
	most  int64
	opts  arrowsort.Options
	parts []arrow.Table
	rows  int64
}

// add copies the rows of the next table that are wanted.
func (p *preview) add(ctx context.Context, table arrow.Table) error {
	n := min(p.most-p.rows, table.NumRows())
	if n <= 0 {
		return nil
	}
	part := arraydata.SliceTable(table, 0, n)
	defer part.Release()
	copied, err := extsort.CopyTable(ctx, part, p.opts)
	if err != nil {
		return err
	}
	p.parts, p.rows = append(p.parts, copied), p.rows+n
	return nil
}

// table returns the rows, which are given away; nil when none are wanted. The schema is theirs if there are none.
func (p *preview) table(schema *arrow.Schema) arrow.Table {
	if p.most == 0 {
		return nil
	}
	if len(p.parts) > 0 {
		schema = p.parts[0].Schema()
	}
	defer p.release()
	return arraydata.Concatenate(schema, p.parts)
}

func (p *preview) release() {
	arraydata.Release(p.parts)
	p.parts = nil
}
