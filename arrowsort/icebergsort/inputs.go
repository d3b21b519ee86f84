package icebergsort

import (
	"context"
	"fmt"
	"os"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"
)

// inputs are the files that a group is sorted from.
type inputs struct {
	paths  []string
	rows   int64
	copied string // a temporary file among them, or empty
}

func (in *inputs) remove() {
	if in.copied != "" {
		os.Remove(in.copied)
	}
}

// inputs returns the data files of a group where they hold the rows of the table as they are. Otherwise, with delete
// files, or where the schema of the table has changed since, the rows are copied to a temporary file as iceberg-go
// reads them.
func (w *writer) inputs(ctx context.Context, g *group) (*inputs, error) {
	if !g.deletes() {
		in := &inputs{rows: g.rows()}
		var first *arrow.Schema
		for _, t := range g.tasks {
			path, err := localPath(t.File.FilePath())
			if err != nil {
				return nil, err
			}
			columns, err := currentColumns(path, w.plan.schema)
			if err != nil {
				return nil, err
			}
			if columns == nil || first != nil && !columns.Equal(first) {
				return w.copyRows(ctx, g)
			}
			first, in.paths = columns, append(in.paths, path)
		}
		return in, nil
	}
	return w.copyRows(ctx, g)
}

// currentColumns returns the columns of a file, or nil where they are not those of the table's schema.
func currentColumns(path string, sc *iceberg.Schema) (*arrow.Schema, error) {
	r, err := file.OpenParquetFile(path, false)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	defer r.Close()
	columns, err := pqarrow.FromParquet(r.MetaData().Schema, nil, r.MetaData().KeyValueMetadata())
	if err != nil || checkColumns(r, sc) != nil {
		return nil, nil //nolint:nilerr // iceberg-go reads what is stored otherwise
	}
	return arrow.NewSchema(columns.Fields(), nil), nil
}

// checkColumns returns an error for a file whose columns are not those of a schema, with its names, ids and types.
func checkColumns(r *file.Reader, sc *iceberg.Schema) error {
	columns, err := pqarrow.FromParquet(r.MetaData().Schema, nil, r.MetaData().KeyValueMetadata())
	if err != nil {
		return err
	}
	for i := range r.MetaData().Schema.NumColumns() {
		if c := r.MetaData().Schema.Column(i); !storedAsIceberg(c) {
			return fmt.Errorf("column %s is stored as %s", c.Path(), c.LogicalType())
		}
	}
	stored, err := table.ArrowSchemaToIceberg(columns, false, nil)
	if err != nil {
		return err
	}
	return sameFields(stored.Fields(), sc.Fields())
}

// storedAsIceberg reports whether the values of a column are stored in a unit and a width that Iceberg has. Others have
// the same Iceberg type, but not the same bytes: their bounds would be wrong.
func storedAsIceberg(c *schema.Column) bool {
	switch t := c.LogicalType().(type) {
	case schema.TimestampLogicalType:
		return t.TimeUnit() == schema.TimeUnitMicros
	case schema.TimeLogicalType:
		return t.TimeUnit() == schema.TimeUnitMicros
	case schema.IntLogicalType:
		return t.IsSigned() && t.BitWidth() >= 32
	case schema.Float16LogicalType:
		return false
	}
	return c.PhysicalType() != parquet.Types.Int96
}

// sameFields compares fields but for what a file does not have: their documentation and defaults.
func sameFields(stored, fields []iceberg.NestedField) error {
	if len(stored) != len(fields) {
		return fmt.Errorf("there are %d columns in place of %d", len(stored), len(fields))
	}
	for i, f := range fields {
		s := stored[i]
		if s.ID != f.ID || s.Name != f.Name || s.Required != f.Required {
			return fmt.Errorf("there is column %v in place of %v", s, f)
		}
		if err := sameType(s.Type, f.Type); err != nil {
			return fmt.Errorf("column %s: %w", f.Name, err)
		}
	}
	return nil
}

func sameType(stored, typ iceberg.Type) error {
	switch t := typ.(type) {
	case *iceberg.StructType:
		if s, ok := stored.(*iceberg.StructType); ok {
			return sameFields(s.FieldList, t.FieldList)
		}
	case *iceberg.ListType:
		if s, ok := stored.(*iceberg.ListType); ok {
			return sameFields([]iceberg.NestedField{s.ElementField()}, []iceberg.NestedField{t.ElementField()})
		}
	case *iceberg.MapType:
		if s, ok := stored.(*iceberg.MapType); ok {
			return sameFields([]iceberg.NestedField{s.KeyField(), s.ValueField()},
				[]iceberg.NestedField{t.KeyField(), t.ValueField()})
		}
	default:
		if stored.Equals(typ) {
			return nil
		}
	}
	return fmt.Errorf("it is %s in place of %s", stored.Type(), typ.Type())
}

// scan returns a scan of the table's current snapshot, by its current schema, whatever schema the snapshot has.
func (p *plan) scan() *table.Scan {
	open := func(ctx context.Context) (io.IO, error) {
		from, err := p.table.FS(ctx)
		return files{from}, err
	}
	return table.New(p.table.Identifier(), p.table.Metadata(), p.table.MetadataLocation(), open, nil).Scan()
}

// copyRows copies the rows of a group to an Arrow file in the spill folder.
func (w *writer) copyRows(ctx context.Context, g *group) (in *inputs, err error) {
	columns, err := table.SchemaToArrowSchema(w.plan.schema, nil, true, false)
	if err != nil {
		return nil, err
	}
	_, records, err := w.plan.scan().ReadTasks(ctx, g.tasks)
	if err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(w.opts.Memory.SpillDir, "arrowsort-rows-*.arrow")
	if err != nil {
		return nil, err
	}
	in = &inputs{paths: []string{f.Name()}, copied: f.Name()}
	defer func() {
		if closed := f.Close(); err == nil {
			err = closed
		}
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	to, err := ipc.NewFileWriter(f, ipc.WithSchema(columns), ipc.WithLZ4())
	if err != nil {
		return nil, err
	}
	for rec, err := range records {
		if err == nil {
			err = writeAs(to, columns, rec)
		}
		if err != nil {
			return nil, err
		}
		in.rows += rec.NumRows()
	}
	return in, to.Close()
}

// writeAs writes a batch of a scan, which it releases, with the ids of a schema. The scan has found columns by their
// ids and has given them the names of the current schema of the table. Names and types are compared.
func writeAs(to *ipc.FileWriter, columns *arrow.Schema, rec arrow.RecordBatch) error {
	defer rec.Release()
	if rec.NumRows() == 0 {
		return nil
	}
	if int(rec.NumCols()) != columns.NumFields() {
		return fmt.Errorf("%w: rows of %d columns were read, and the table has %d", ErrUnsupported, rec.NumCols(),
			columns.NumFields())
	}
	for i, f := range columns.Fields() {
		if name := rec.ColumnName(i); name != f.Name || !arrow.TypeEqual(rec.Column(i).DataType(), f.Type) {
			return fmt.Errorf("%w: column %s of type %s was read as %s of type %s", ErrUnsupported, f.Name, f.Type,
				name, rec.Column(i).DataType())
		}
	}
	named := array.NewRecordBatch(columns, rec.Columns(), rec.NumRows())
	defer named.Release()
	return to.Write(named)
}
