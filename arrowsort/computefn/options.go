package computefn

import (
	"fmt"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/compute"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/nearest"
)

// ArraySortOptions are the options of array_sort_indices. The zero value sorts ascending with nulls at the end.
type ArraySortOptions struct {
	Order         arrowsort.Order
	NullPlacement arrowsort.NullPlacement
}

// TypeName returns the name of these options in Arrow C++.
func (ArraySortOptions) TypeName() string { return "ArraySortOptions" }

// A SortKey says by which column to sort, and how. NaNs go with the nulls: values, NaNs, nulls, or nulls, NaNs, values.
type SortKey struct {
	// Target is the column of a record or table, or a field nested in one. For arrays and chunked arrays it is not
	// used.
	Target        compute.FieldRef
	Order         arrowsort.Order
	NullPlacement arrowsort.NullPlacement
	Function      arrowsort.Function  // of the values; the zero value is the column itself
	Collation     arrowsort.Collation // of text; the zero value is the order of bytes
}

// SortOptions are the options of sort_indices, sort, is_sorted, hilbert_index and zorder_index.
//
// Records and tables need one key at least. For arrays and chunked arrays only the first key counts; without one the
// order is ascending with nulls at the end.
type SortOptions struct {
	// SortKeys order the rows, the most significant first.
	SortKeys []SortKey
	// NullPlacement, when set, replaces the null placement of every key.
	NullPlacement *arrowsort.NullPlacement
}

// TypeName returns the name of these options in Arrow C++.
func (SortOptions) TypeName() string { return "SortOptions" }

// SelectKOptions are the options of select_k_unstable, which has no defaults: a call without options is an error.
type SelectKOptions struct {
	// K is the number of row numbers that are wanted, not negative. If there are fewer rows, all of them.
	K int64
	// SortKeys order the rows, the most significant first; one at least. For arrays and chunked arrays only the order
	// and null placement of the first count.
	SortKeys []SortKey
}

// TypeName returns the name of these options in Arrow C++.
func (SelectKOptions) TypeName() string { return "SelectKOptions" }

// RankOptions are the options of rank. The zero value ranks an array ascending with nulls at the end; ties get ranks in
// the order of the rows.
type RankOptions struct {
	// SortKeys and NullPlacement are those of SortOptions.
	SortKeys      []SortKey
	NullPlacement *arrowsort.NullPlacement
	TieBreaker    arrowsort.TieBreaker
}

// TypeName returns the name of these options in Arrow C++.
func (RankOptions) TypeName() string { return "RankOptions" }

// RankQuantileOptions are the options of rank_quantile and rank_normal. The zero value ranks an array ascending with
// nulls at the end.
type RankQuantileOptions struct {
	// SortKeys and NullPlacement are those of SortOptions.
	SortKeys      []SortKey
	NullPlacement *arrowsort.NullPlacement
}

// TypeName returns the name of these options in Arrow C++.
func (RankQuantileOptions) TypeName() string { return "RankQuantileOptions" }

// PartitionNthOptions are the options of partition_nth_indices, which has no defaults: a call without options is an
// error.
type PartitionNthOptions struct {
	// Pivot is the place in the sorted order whose row must be there in the result: 0 up to the number of rows.
	Pivot         int64
	NullPlacement arrowsort.NullPlacement
}

// TypeName returns the name of these options in Arrow C++.
func (PartitionNthOptions) TypeName() string { return "PartitionNthOptions" }

// SearchSortedOptions are the options of search_sorted. The zero value is the left side.
type SearchSortedOptions struct {
	// Side is the place among values that tie with a needle: the first one, or the one after the last.
	Side arrowsort.Side
}

// TypeName returns the name of these options in Arrow C++.
func (SearchSortedOptions) TypeName() string { return "SearchSortedOptions" }

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
		column, err := arrowsort.Key{}, error(nil)
		if !key.Function.IsRandom() {
			column, err = columnOf(schema, key.Target)
		}
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
	column.Function, column.Collation = key.Function, key.Collation
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
		hint := ""
		if target.IsName() {
			hint = nearest.Hint(arraydata.ColumnNames(schema), target.Name())
		}
		return arrowsort.Key{}, errTarget(fmt.Sprintf("no match for %s%s", target, hint))
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
