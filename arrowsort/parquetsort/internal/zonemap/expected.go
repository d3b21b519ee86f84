package zonemap

// Ranks are the places of the values of a column among those of a sample of rows: for each row, how many values are
// less, and how many are not greater. A null has no place.
type Ranks struct {
	Less, UpTo []int // UpTo 0: the row is null
	Values     int   // that are not null
}

// A Zoning is how the rows of an order are divided into zones: Edges[i] to Edges[i+1] are the places of zone i in the
// order of the sample.
type Zoning struct{ Edges []int }

// NewZoning divides n rows of a sample, which stand for some rows of a file, into zones of the same number of rows.
func NewZoning(n int, rows, zoneRows int64) Zoning {
	z := Zoning{Edges: []int{0}}
	for end := zoneRows; end < rows; end += zoneRows {
		z.Edges = append(z.Edges, int(float64(n)*float64(end)/float64(rows)))
	}
	return Zoning{Edges: append(z.Edges, n)}
}

// Shares returns the shares of the rows that readers read on average, by the bounds of zones of rows in an order: for a
// filter that is equal to the value of one row, and for one that takes an interval of values which a share of all values
// are in. Each value, and each interval, is as likely as the other ones.
func (z Zoning) Shares(order []uint64, ranks *Ranks, interval float64) (equal, within float64) {
	n := float64(ranks.Values)
	for i := 1; i < len(z.Edges); i++ {
		low, high := len(order), 0 // values that are less than those of the zone, and up to them
		for _, row := range order[z.Edges[i-1]:z.Edges[i]] {
			if ranks.UpTo[row] > 0 {
				low, high = min(low, ranks.Less[row]), max(high, ranks.UpTo[row])
			}
		}
		if high == 0 { // nulls
			continue
		}
		rows := float64(z.Edges[i]-z.Edges[i-1]) / float64(len(order))
		from, to := float64(low)/n, float64(high)/n
		equal += rows * (to - from)
		within += rows * max(min(to, 1-interval)-max(from-interval, 0), 0) / (1 - interval)
	}
	return equal, within
}
