package arrow18

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/compute"

	"github.com/arrowsort/arrowsort/arrowsort"
)

// SortOptions are the options of most functions of Register. The zero value sorts an array or a chunked array ascending
// with nulls at the end; records and tables need one key at least.
type SortOptions struct {
	// Keys order the rows, the most significant first.
	Keys []arrowsort.Key
}

// TypeName is the name of these options.
func (SortOptions) TypeName() string { return "arrowsort.SortOptions" }

// SelectKOptions are the options of arrowsort.select_k_unstable, which has no defaults.
type SelectKOptions struct {
	// K is how many row numbers are wanted, not negative. More than there are rows: all of them.
	K int64
	// Keys order the rows, the most significant first; one at least.
	Keys []arrowsort.Key
}

// TypeName is the name of these options.
func (SelectKOptions) TypeName() string { return "arrowsort.SelectKOptions" }

// RankOptions are the options of arrowsort.rank. The zero value ranks an array or a chunked array as SortOptions sorts
// it; ties get ranks in the order of the rows.
type RankOptions struct {
	// Keys order the rows, the most significant first.
	Keys []arrowsort.Key
	Ties arrowsort.TieBreaker
}

// TypeName is the name of these options.
func (RankOptions) TypeName() string { return "arrowsort.RankOptions" }

// PartitionNthOptions are the options of arrowsort.partition_nth_indices, which has no defaults.
type PartitionNthOptions struct {
	// Pivot is the place in the sorted order whose row must be there in the result: 0 up to the number of rows.
	Pivot int64
	// Keys order the rows, the most significant first; an array or a chunked array needs none.
	Keys []arrowsort.Key
}

// TypeName is the name of these options.
func (PartitionNthOptions) TypeName() string { return "arrowsort.PartitionNthOptions" }

// SearchSortedOptions are the options of arrowsort.search_sorted. The zero value is the left side.
type SearchSortedOptions struct {
	// Side is the place among values that tie with a needle: the first one, or the one after the last.
	Side arrowsort.Side
}

// TypeName is the name of these options.
func (SearchSortedOptions) TypeName() string { return "arrowsort.SearchSortedOptions" }

// optionsOf takes options as value or as pointer, and sort keys of v18. Nil and a nil pointer are no options: given is
// false and the options are the zero value.
func optionsOf[T compute.FunctionOptions](
	opts compute.FunctionOptions, datum compute.Datum,
) (o T, given bool, err error) {
	if keys, ok := opts.(compute.SortOptions); ok {
		opts = sortOptions(keys, datum)
	}
	switch given := any(opts).(type) {
	case nil:
		return o, false, nil
	case T:
		return given, true, nil
	case *T:
		if given == nil {
			return o, false, nil
		}
		return *given, true, nil
	}
	return o, false, fmt.Errorf("%w: takes options of type %T, not %T", arrow.ErrInvalid, o, opts)
}

// sortOptions are the options that sort keys of v18 mean. For arrays and chunked arrays the first key counts, whatever
// its column.
func sortOptions(keys compute.SortOptions, datum compute.Datum) SortOptions {
	if _, columns := datum.(compute.TableLikeDatum); !columns && len(keys) > 0 {
		keys = compute.SortOptions{{Order: keys[0].Order, NullPlacement: keys[0].NullPlacement}}
	}
	converted := SortOptions{Keys: make([]arrowsort.Key, len(keys))}
	for i, key := range keys {
		converted.Keys[i] = arrowsort.Key{Index: key.ColumnIndex, Order: arrowsort.Order(key.Order),
			Nulls: arrowsort.NullPlacement(key.NullPlacement)}
	}
	return converted
}
