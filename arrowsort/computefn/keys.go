package computefn

import (
	"fmt"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/compute"

	"github.com/arrowsort/arrowsort/arrowsort"
)

// keysOf returns the keys that the options mean for the data.
func (o SortOptions) keysOf(data arrowsort.Data) ([]arrowsort.Key, error) {
	var schema *arrow.Schema
	switch d := data.(type) {
	case arrow.Record:
		schema = d.Schema()
	case arrow.Table:
		schema = d.Schema()
	default:
		return []arrowsort.Key{o.arrayKey()}, nil
	}
	keys := make([]arrowsort.Key, len(o.SortKeys))
	for i, key := range o.SortKeys {
		column, err := columnOf(schema, key.Target)
		if err != nil {
			return nil, fmt.Errorf("sort key %d: %w", i, err)
		}
		keys[i] = o.order(column, key)
	}
	return keys, nil
}

// arrayKey returns the one key of an array, which has no column to name.
func (o SortOptions) arrayKey() arrowsort.Key {
	var first SortKey
	if len(o.SortKeys) > 0 {
		first = o.SortKeys[0]
	}
	return o.order(arrowsort.Key{}, first)
}

func (o SortOptions) order(column arrowsort.Key, key SortKey) arrowsort.Key {
	column.Order, column.Nulls = key.Order, key.NullPlacement
	if o.NullPlacement != nil {
		column.Nulls = *o.NullPlacement
	}
	return column
}

// columnOf returns the key, without an order, that stands for a field. References match one field or none, as in Arrow
// C++.
func columnOf(schema *arrow.Schema, target compute.FieldRef) (arrowsort.Key, error) {
	if target == (compute.FieldRef{}) {
		return arrowsort.Key{}, errTarget("it has no target; set it to compute.FieldRefName(column)")
	}
	switch matches := target.FindAll(schema.Fields()); len(matches) {
	case 0:
		return arrowsort.Key{}, errTarget(fmt.Sprintf("no match for %s", target))
	case 1:
		if path := matches[0]; len(path) > 1 {
			return nestedKey(schema, path)
		}
		return arrowsort.Key{At: arrowsort.Column(matches[0][0])}, nil
	default:
		return arrowsort.Key{}, errTarget(
			fmt.Sprintf("%d matches for %s; use compute.FieldRefIndex", len(matches), target),
		)
	}
}

func errTarget(why string) error {
	return fmt.Errorf("%w: %s", arrowsort.ErrColumn, why)
}

// nestedKey names a nested field by its dotted path. It fails if the path is ambiguous: at some level another field has
// the name of the rest of the path, or of its first parts.
func nestedKey(schema *arrow.Schema, path compute.FieldPath) (arrowsort.Key, error) {
	names := make([]string, len(path))
	levels := make([][]arrow.Field, len(path))
	fields := schema.Fields()
	for depth, at := range path {
		names[depth], levels[depth] = fields[at].Name, fields
		if nested, ok := fields[at].Type.(arrow.NestedType); ok { // for all but the last, or there were no match
			fields = nested.Fields()
		}
	}
	for depth, fields := range levels {
		rest := strings.Join(names[depth:], ".")
		for at, f := range fields {
			if at != path[depth] && strings.HasPrefix(rest+".", f.Name+".") {
				return arrowsort.Key{}, errTarget(
					fmt.Sprintf("the nested field %q may be taken for one of field %q; rename one", rest, f.Name),
				)
			}
		}
	}
	return arrowsort.Key{Path: strings.Join(names, ".")}, nil
}
