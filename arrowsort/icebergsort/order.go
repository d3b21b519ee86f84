package icebergsort

import (
	"fmt"
	"slices"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/keyencode"
)

// An order is the order of the rows of new files.
type order struct {
	terms  []term
	fields []iceberg.NestedField // of the terms
	curve  arrowsort.Curve
	// id is the table's sort order that rows in this order have, and sorted the number of leading terms that make it
	// up; 0 is none.
	id, sorted int
	exact      bool // whether the fields of this sort order are the terms, as they are
}

// resolveOrder reads the order of some options, or else takes that of the table.
func resolveOrder(meta table.Metadata, opts Options) (o *order, err error) {
	o = &order{curve: opts.Curve}
	if opts.Sort != "" {
		o.terms, err = parseOrder(opts.Sort)
	} else {
		o.terms, err = tableOrder(meta.SortOrder(), meta.CurrentSchema())
	}
	if err != nil {
		return nil, err
	}
	for i, t := range o.terms {
		field, err := sortField(meta.CurrentSchema(), t)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(o.fields, func(f iceberg.NestedField) bool { return f.ID == field.ID }) {
			return nil, fmt.Errorf("%w: column %s is in the sort order twice", ErrOption, o.terms[i].path)
		}
		o.fields = append(o.fields, field)
	}
	if n := len(o.terms); o.curve != 0 && (n < keyencode.MinCurveKeys || n > keyencode.MaxCurveKeys) {
		return nil, fmt.Errorf("%w: a curve is over %d to %d columns, and the order has %d", ErrOption,
			keyencode.MinCurveKeys, keyencode.MaxCurveKeys, n)
	}
	if o.curve == 0 {
		o.findID(meta)
	}
	return o, nil
}

// sortField returns the field of a term. Values in lists and maps have no order of their rows.
func sortField(schema *iceberg.Schema, t term) (iceberg.NestedField, error) {
	field, ok := schema.FindFieldByName(t.path)
	if !ok {
		return field, fmt.Errorf("%w: the table has no column %s", ErrOption, t.path)
	}
	if _, ok := field.Type.(iceberg.PrimitiveType); !ok {
		return field, fmt.Errorf("%w: column %s is a %s, and the order is by values", ErrOption, t.path,
			field.Type.Type())
	}
	if !inStructs(schema.Fields(), field.ID) {
		return field, fmt.Errorf("%w: column %s is within a list or a map, so that a row has many of its values",
			ErrOption, t.path)
	}
	return field, nil
}

// inStructs reports whether a field is one of some fields, or of structs in them.
func inStructs(fields []iceberg.NestedField, id int) bool {
	return slices.ContainsFunc(fields, func(f iceberg.NestedField) bool {
		if s, ok := f.Type.(*iceberg.StructType); ok && inStructs(s.FieldList, id) {
			return true
		}
		return f.ID == id
	})
}

// tableOrder returns the sort order of a table as terms.
func tableOrder(sorting table.SortOrder, schema *iceberg.Schema) ([]term, error) {
	if sorting.IsUnsorted() {
		return nil, fmt.Errorf("%w: the table has no sort order: name the columns to sort by", ErrOption)
	}
	fields := sortFields(sorting)
	terms := make([]term, len(fields))
	for i, f := range fields {
		if !sortedBySource(f.Transform, i == len(fields)-1) {
			return nil, fmt.Errorf("%w: the table's sort order %d has %v, which is not supported: name the columns to "+
				"sort by", ErrUnsupported, sorting.OrderID(), f.Transform)
		}
		terms[i].path, _ = schema.FindColumnName(f.SourceID())
		terms[i].descending = f.Direction == table.SortDESC
		terms[i].nullsFirst = f.NullOrder == table.NullsFirst
	}
	return terms, nil
}

// sortedBySource reports whether rows that are sorted by a column are sorted by its transformed values. Those of
// truncate and of dates never go down as the column goes up, but they tie where the column does not, so that no further
// field may follow.
func sortedBySource(t iceberg.Transform, last bool) bool {
	switch t.(type) {
	case iceberg.IdentityTransform:
		return true
	case iceberg.TruncateTransform, iceberg.YearTransform, iceberg.MonthTransform, iceberg.DayTransform,
		iceberg.HourTransform:
		return last
	}
	return false
}

// findID finds the sort order of the table with the most fields that rows in this order have; of several the current.
func (o *order) findID(meta table.Metadata) {
	for _, sorting := range append([]table.SortOrder{meta.SortOrder()}, meta.SortOrders()...) {
		if n := sorting.Len(); n > o.sorted && o.begins(sortFields(sorting)) {
			o.id, o.sorted = sorting.OrderID(), n
			o.exact = n == len(o.terms) && !slices.ContainsFunc(sortFields(sorting), transformed)
		}
	}
}

func transformed(f table.SortField) bool {
	_, identity := f.Transform.(iceberg.IdentityTransform)
	return !identity
}

// begins reports whether the order begins with these fields.
func (o *order) begins(fields []table.SortField) bool {
	if len(fields) > len(o.terms) {
		return false
	}
	for i, f := range fields {
		t := o.terms[i]
		if f.SourceID() != o.fields[i].ID || t.descending != (f.Direction == table.SortDESC) ||
			t.nullsFirst != (f.NullOrder == table.NullsFirst) || !sortedBySource(f.Transform, i == len(fields)-1) {
			return false
		}
	}
	return true
}

// idFor returns the sort order that a file has. Floating-point values order otherwise in Iceberg, where -0.0 is below
// 0.0, and NaN above all values in ascending order, and first in descending order.
func (o *order) idFor(m *fileMetrics) int {
	for i, f := range o.fields[:o.sorted] {
		nanAtSide := o.terms[i].descending == o.terms[i].nullsFirst
		if m.signed[f.ID] || m.nanCount[f.ID] > 0 && !nanAtSide {
			return table.UnsortedSortOrderID
		}
	}
	return o.id
}

// keys returns the order as the keys of package parquetsort.
func (o *order) keys() []arrowsort.Key {
	keys := make([]arrowsort.Key, len(o.terms))
	for i, t := range o.terms {
		keys[i] = arrowsort.KeyOf(t.path)
		if t.descending {
			keys[i].Order = arrowsort.Descending
		}
		if t.nullsFirst {
			keys[i].Nulls = arrowsort.NullsAtStart
		}
	}
	return keys
}

func sortFields(sorting table.SortOrder) []table.SortField {
	fields := make([]table.SortField, 0, sorting.Len())
	for _, f := range sorting.Fields() {
		fields = append(fields, f)
	}
	return fields
}
