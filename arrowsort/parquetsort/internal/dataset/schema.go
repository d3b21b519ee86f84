package dataset

import (
	"context"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/dictionary"
	"github.com/arrowsort/arrowsort/arrowsort/internal/take"
)

// matchSchemas makes the schema that holds the rows of two inputs, which may differ in the order of their columns and
// in whether these, and what is inside lists, maps and structs, can be null. The order is that of the first input.
// Metadata of the others is left.
func matchSchemas(common, next *arrow.Schema, path, first string) (*arrow.Schema, error) {
	fields, same := append([]arrow.Field(nil), common.Fields()...), ColumnsEqual(common, next)
	for i := range fields {
		f := &fields[i]
		at := next.FieldIndices(f.Name)
		switch {
		case !same && len(common.FieldIndices(f.Name)) > 1:
			return nil, fmt.Errorf("%w: %s: column %q occurs more than once, then all columns must be those of %s",
				errkind.ErrFileSchema, path, f.Name, first)
		case len(at) == 0:
			return nil, fmt.Errorf("%w: %s: there is no column %q, which %s has; all inputs must have the "+
				"same columns", errkind.ErrFileSchema, path, f.Name, first)
		}
		other := next.Field(at[0])
		if len(at) > 1 {
			other = next.Field(i)
		}
		matched := matchTypes(f.Type, other.Type)
		if matched == nil {
			name, a, b := typeDifference(f.Name, other.Type, f.Type)
			return nil, fmt.Errorf("%w: %s: column %q is of type %s, in %s it is %s; types are not converted: write "+
				"the column with one type first", errkind.ErrFileSchema, path, name, a, first, b)
		}
		f.Type, f.Nullable = matched, f.Nullable || other.Nullable
	}
	for _, f := range next.Fields() {
		if !common.HasField(f.Name) {
			return nil, fmt.Errorf("%w: %s: there is a column %q, which %s does not have; all inputs must have the "+
				"same columns", errkind.ErrFileSchema, path, f.Name, first)
		}
	}
	if next.NumFields() != len(fields) {
		return nil, fmt.Errorf("%w: %s: there are %d columns, in %s %d: one occurs more than once",
			errkind.ErrFileSchema, path, next.NumFields(), first, len(fields))
	}
	meta := common.Metadata()
	return arrow.NewSchema(fields, &meta), nil
}

// typeDifference descends into nested types to the first fields that differ.
func typeDifference(name string, a, b arrow.DataType) (path string, x, y string) {
	p, nested := a.(arrow.NestedType)
	q, both := b.(arrow.NestedType)
	if !nested || !both || a.ID() != b.ID() || p.NumFields() != q.NumFields() {
		return name, a.String(), b.String()
	}
	others := q.Fields()
	for i, f := range p.Fields() {
		g := others[i]
		switch {
		case f.Name != g.Name:
			return name, fmt.Sprintf("%s with a field %q", a.Name(), f.Name),
				fmt.Sprintf("%s with a field %q", b.Name(), g.Name)
		case matchTypes(f.Type, g.Type) == nil:
			return typeDifference(name+"."+f.Name, f.Type, g.Type)
		}
	}
	return name, a.String(), b.String()
}

// matchTypes returns the type that holds the values of two types, which may differ in whether what is inside nested
// ones can be null, and in metadata, of which that of the first stays; nil when they differ in more.
func matchTypes(a, b arrow.DataType) arrow.DataType {
	from, nested := a.(arrow.NestedType)
	other, both := b.(arrow.NestedType)
	switch {
	case !nested && arrow.TypeEqual(a, b):
		return a
	case !nested || !both || !sameShape(from, other):
		return nil
	}
	fields := slices.Clone(from.Fields())
	for i, f := range other.Fields() {
		if fields[i].Type = matchTypes(fields[i].Type, f.Type); fields[i].Type == nil {
			return nil
		}
		fields[i].Nullable = fields[i].Nullable || f.Nullable
	}
	matched := arraydata.WithFields(from, fields)
	if m, ok := matched.(*arrow.MapType); ok {
		m.KeysSorted = m.KeysSorted && b.(*arrow.MapType).KeysSorted
	}
	return matched
}

// sameShape reports whether two types are the same but for the types of their fields.
func sameShape(a, b arrow.NestedType) bool {
	if a.ID() != b.ID() || a.NumFields() != b.NumFields() {
		return false
	}
	switch t := a.(type) {
	case arrow.ExtensionType: // it has the fields of its storage type, none where that has none
		return arrow.TypeEqual(a, b)
	case *arrow.FixedSizeListType:
		return t.Len() == b.(*arrow.FixedSizeListType).Len()
	case arrow.UnionType:
		return slices.Equal(t.TypeCodes(), b.(arrow.UnionType).TypeCodes()) && sameNames(a, b)
	case *arrow.StructType:
		return sameNames(a, b)
	}
	return true
}

func sameNames(a, b arrow.NestedType) bool {
	return slices.EqualFunc(a.Fields(), b.Fields(), func(f, g arrow.Field) bool { return f.Name == g.Name })
}

// ColumnsEqual reports whether the columns have the same names in the same order.
func ColumnsEqual(a, b *arrow.Schema) bool {
	return slices.EqualFunc(a.Fields(), b.Fields(), func(f, g arrow.Field) bool { return f.Name == g.Name })
}

// Arrange returns a table with the columns of a schema, whose types agree with those of the table or are decoded. The
// caller releases it.
func Arrange(ctx context.Context, table arrow.Table, schema *arrow.Schema,
	opts take.Options) (arrow.Table, error) {
	straight := ColumnsEqual(schema, table.Schema())
	return arraydata.NewTable(schema, -1, func(i int) (*arrow.Chunked, error) {
		f, at := schema.Field(i), i
		if !straight {
			at = table.Schema().FieldIndices(f.Name)[0]
		}
		return dictionary.WithType(ctx, table.Column(at).Data(), f.Type, opts)
	})
}
