package parquet

import "github.com/apache/arrow-go/v18/parquet/metadata"

// evenBounds leaves the bounds of a column out of all row groups where one of them has values without bounds, NaN or
// long text. DataFusion takes the bounds of the others for those of the file, and finds no rows outside of them.
func evenBounds(footer *metadata.FileMetaData) {
	for leaf := range footer.Schema.NumColumns() {
		lacking := false
		for _, group := range footer.RowGroups {
			m := group.Columns[leaf].MetaData
			s := m.Statistics
			lacking = lacking || m.NumValues > 0 && (s == nil || (s.MinValue == nil || s.MaxValue == nil) &&
				(s.Min == nil || s.Max == nil) && (s.NullCount == nil || *s.NullCount < m.NumValues))
		}
		for _, group := range footer.RowGroups {
			if s := group.Columns[leaf].MetaData.Statistics; lacking && s != nil {
				s.Min, s.Max, s.MinValue, s.MaxValue = nil, nil, nil, nil
			}
		}
	}
}
