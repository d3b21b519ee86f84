package parquetsort

import (
	"context"
	"errors"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/dictionary"
	"github.com/arrowsort/arrowsort/arrowsort/internal/take"
)

// decodedSchema is the schema of the rows as they are sorted: with the values of dictionaries in their place, since
// each piece of an input has other dictionaries. Dictionaries inside extension types are ErrUnsupported.
func decodedSchema(schema *arrow.Schema) (*arrow.Schema, error) {
	decoded := arraydata.WithTypes(schema, decodedType)
	for _, f := range decoded.Fields() {
		if arraydata.HasDictionary(f.Type) {
			return nil, errkind.Unsupported("column %q: a dictionary inside type %s, read in pieces,", f.Name,
				f.Type)
		}
	}
	return decoded, nil
}

// decodedType is a type with those of the values of dictionaries in their place, also inside nested types.
func decodedType(typ arrow.DataType) arrow.DataType {
	if !arraydata.HasDictionary(typ) {
		return typ
	}
	if t, ok := typ.(*arrow.DictionaryType); ok {
		return decodedType(t.ValueType)
	}
	return arraydata.MapTypes(typ, decodedType)
}

// arrange is a table with the columns of a schema, whose types agree with those of the table or are decoded. The caller
// releases it.
func arrange(ctx context.Context, table arrow.Table, schema *arrow.Schema,
	opts arrowsort.Options) (arrow.Table, error) {
	straight := columnsEqual(schema, table.Schema())
	return arraydata.NewTable(schema, -1, func(i int) (*arrow.Chunked, error) {
		f, at := schema.Field(i), i
		if !straight {
			at = table.Schema().FieldIndices(f.Name)[0]
		}
		return withType(ctx, table.Column(at).Data(), f.Type, opts)
	})
}

// withType is a column with a type that its type agrees with, or with the decoded type. The caller releases it.
func withType(ctx context.Context, column *arrow.Chunked, typ arrow.DataType,
	opts arrowsort.Options) (*arrow.Chunked, error) {
	return convertChunks(column, typ, func(d arrow.ArrayData) (arrow.ArrayData, error) {
		return dataWithType(ctx, d, typ, opts)
	})
}

func dataWithType(ctx context.Context, d arrow.ArrayData, typ arrow.DataType,
	opts arrowsort.Options) (arrow.ArrayData, error) {
	if arrow.TypeEqual(d.DataType(), typ) {
		d.Retain()
		return d, nil
	}
	if _, ok := d.DataType().(*arrow.DictionaryType); ok {
		values, err := dictionaryValues(ctx, d, opts)
		if err != nil {
			return nil, err
		}
		defer values.Release()
		return dataWithType(ctx, values.Data(), typ, opts)
	}
	var fields []arrow.Field
	if nested, ok := typ.(arrow.NestedType); ok {
		fields = nested.Fields()
	}
	return convertChildren(d, typ, func(i int, child arrow.ArrayData) (arrow.ArrayData, error) {
		return dataWithType(ctx, child, fields[i].Type, opts)
	})
}

// dictionaryValues are the values of the rows of a dictionary array.
func dictionaryValues(ctx context.Context, d arrow.ArrayData, opts arrowsort.Options) (arrow.Array, error) {
	a := array.NewDictionaryData(d)
	defer a.Release()
	values, err := dictionary.Values(ctx, a, take.Options{Allocator: opts.Allocator, Threads: opts.Threads})
	if errors.Is(err, take.ErrOffsets) {
		return nil, fmt.Errorf("%w: a piece has %d rows of strings of more than 2 GiB", errkind.ErrBudget, a.Len())
	}
	return values, err
}

// convertChunks is a column of a type, whose chunks convert makes of those of another type. The caller releases it.
func convertChunks(column *arrow.Chunked, typ arrow.DataType,
	convert func(d arrow.ArrayData) (arrow.ArrayData, error)) (*arrow.Chunked, error) {
	if arrow.TypeEqual(column.DataType(), typ) {
		column.Retain()
		return column, nil
	}
	chunks := make([]arrow.Array, 0, len(column.Chunks()))
	defer func() { arraydata.Release(chunks) }()
	for _, c := range column.Chunks() {
		data, err := convert(c.Data())
		if err != nil {
			return nil, err
		}
		chunks = append(chunks, array.MakeFromData(data))
		data.Release()
	}
	return arrow.NewChunked(typ, chunks), nil
}

// convertChildren is an array of a nested type, whose children convert makes. They stay as long as they are: the rows
// of their parent find them by the same numbers. The caller releases it.
func convertChildren(d arrow.ArrayData, typ arrow.DataType,
	convert func(i int, child arrow.ArrayData) (arrow.ArrayData, error)) (arrow.ArrayData, error) {
	children := make([]arrow.ArrayData, 0, len(d.Children()))
	defer func() { arraydata.Release(children) }()
	for i, c := range d.Children() {
		child, err := convert(i, c)
		if err != nil {
			return nil, err
		}
		children = append(children, child)
	}
	return array.NewData(typ, d.Len(), d.Buffers(), children, d.NullN(), d.Offset()), nil
}
