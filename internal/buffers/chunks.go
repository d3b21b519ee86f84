package buffers

// Chunks finds the chunk of a row: the first row of each chunk of a column, and the number of rows.
type Chunks []int

// NewChunks returns the chunks 0 to n-1, with the number of rows of each.
func NewChunks(n int, rows func(chunk int) int) Chunks {
	starts := make(Chunks, n+1)
	for i := range n {
		starts[i+1] = starts[i] + rows(i)
	}
	return starts
}

// Find returns the chunk that holds a row, which is never one without rows.
func (c Chunks) Find(row int) int {
	lo, hi := 0, len(c)-2
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if c[mid+1] > row {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}
