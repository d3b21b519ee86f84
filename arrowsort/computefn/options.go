package computefn

import (
	"github.com/apache/arrow/go/v15/arrow/compute"

	"github.com/arrowsort/arrowsort/arrowsort"
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
