package tablefile

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"
)

// readColumns reads some columns of the file only.
func (f *parquetFile) readColumns(ctx context.Context, in *Input, columns []int) (err error) {
	in.Schema, in.Columns = f.schema, columns
	chosen := Pick(f.schema, columns)
	fields := make([]fileField, len(columns))
	for i, c := range columns {
		fields[i] = f.fields[c]
	}
	f.schema, f.fields = chosen, fields
	if f.opts.Dictionaries {
		f.readDictionaries()
	}
	if in.Table, err = f.readTable(ctx); err != nil {
		return err
	}
	if in.Table, err = finish(ctx, in.Table, f.opts.Allocator); err != nil {
		return err
	}
	if f.opts.Dictionaries {
		in.Table, err = expandLarge(in.Table, chosen, f.opts.Allocator)
	}
	return err
}

// Pick is a schema with some of its columns; all when columns is nil.
func Pick(schema *arrow.Schema, columns []int) *arrow.Schema {
	if columns == nil {
		return schema
	}
	fields := make([]arrow.Field, len(columns))
	for i, c := range columns {
		fields[i] = schema.Field(c)
	}
	meta := schema.Metadata()
	return arrow.NewSchema(fields, &meta)
}
