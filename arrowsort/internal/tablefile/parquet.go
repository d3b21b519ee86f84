package tablefile

import "github.com/arrowsort/arrowsort/keyencode"

// SortingOf is the order of a plan: the keys up to the first with NaN, for which Parquet has no place.
func SortingOf(plan *keyencode.Plan) []SortingColumn {
	var columns []SortingColumn
	for i, k := range plan.Keys() {
		if plan.Statistics(i).NaNs > 0 {
			break
		}
		columns = append(columns, SortingColumn{Path: k.Name, Descending: k.Order == keyencode.Descending, NullsFirst: k.Nulls == keyencode.NullsAtStart})
	}
	return columns
}
