package dataset

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

// TableOptions say how a file is read as one table.
type TableOptions struct {
	Dictionaries bool                  // strings that a Parquet file stores with a small dictionary stay dictionaries
	MemoryLimit  int64                 // of tablefile.ReadOptions
	Start        func()                // called when the rows are read
	Progress     func(done, total int) // called now and then
}

// A Table is a file in memory. The caller releases both tables.
type Table struct {
	*tablefile.Input
	Rows arrow.Table // the input with positions in place of missing names
}

// Release releases the tables.
func (t *Table) Release() {
	t.Rows.Release()
	t.Table.Release()
}

// ReadTable reads a projection of the one file of a dataset.
func (d *Dataset) ReadTable(ctx context.Context, columns Projection, opts TableOptions) (*Table, error) {
	table, err := d.readTable(ctx, opts, func(schema *arrow.Schema) ([]int, error) {
		chosen := columns.in(schema)
		_, err := d.match(columns.Schema, d.Files[0], arraydata.Pick(schema, chosen))
		return chosen, err
	})
	if err != nil {
		return nil, err
	}
	checker := d.opts.selected.Checker(d.Files[0], columns.Schema, columns.Keys)
	if err := d.compare(ctx, checker, d.Files[0], table.Rows); err != nil {
		table.Release()
		return nil, err
	}
	return table, nil
}

// ReadKeys reads the key columns of a file that was not opened before, and finds the keys in its schema meanwhile.
func ReadKeys(ctx context.Context, file string, opts Options, how TableOptions, keysFor KeysFor) (table *Table,
	keys []arrowsort.Key, err error) {
	opts.Keys = keysFor
	d := New([]string{file}, nil, opts)
	defer d.Close()
	if _, err := d.pipes.copy(ctx, d.Files, &d.opts, false); err != nil {
		return nil, nil, err
	}
	if d.FormatOf(file) == tablefile.CSV {
		d.CSV = d.newCSV(ctx)
	}
	table, err = d.readTable(ctx, how, func(schema *arrow.Schema) ([]int, error) {
		d.Schema = schema
		if d.CSV != nil {
			d.opts.warn(file, d.CSV.Remarks)
		}
		p, err := d.findKeys(ctx, keysFor)
		if err != nil {
			return nil, err
		}
		p = p.OnlyKeys()
		keys = p.Keys
		return p.columns, nil
	})
	if err != nil {
		err = withHint(d.CSV, err)
	}
	return table, keys, err
}

func (d *Dataset) readTable(ctx context.Context, opts TableOptions,
	choose func(*arrow.Schema) ([]int, error)) (*Table, error) {
	read := d.opts.reading(d.Files[0], d.CSV)
	read.Dictionaries, read.MemoryLimit = opts.Dictionaries, opts.MemoryLimit
	read.Start, read.Progress, read.Schema = opts.Start, opts.Progress, choose
	at := d.pipes.file(d.Files[0])
	read.Open = d.opts.opener(at)
	input, err := tablefile.Read(ctx, at, read)
	if err != nil {
		return nil, withColumns(err)
	}
	names := arraydata.Pick(arraydata.Labelled(input.Schema), input.Columns)
	return &Table{Input: input, Rows: arraydata.WithNames(input.Table, names)}, nil
}
