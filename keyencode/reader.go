package keyencode

// blockRows is how many rows are worked on at a time: their codes fit in the first-level cache.
const blockRows = 1024

// A reader finds the rows of a column in its chunks.
type reader struct {
	column *Column
	starts []int // the first row of each chunk, and the number of rows
}

func newReader(c *Column) reader {
	starts := make([]int, len(c.Chunks)+1)
	for i := range c.Chunks {
		starts[i+1] = starts[i] + c.Chunks[i].Rows
	}
	return reader{c, starts}
}

// find is the chunk that holds a row.
func (r *reader) find(row int) int {
	lo, hi := 0, len(r.starts)-2
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if r.starts[mid+1] > row {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// A cursor stays on a chunk while rows come from it.
type cursor struct {
	*reader
	chunk      *Chunk
	start, end int // the rows of the chunk
}

func newCursor(r *reader) cursor { return cursor{reader: r} }

// on reports whether a row is in the chunk.
func (c *cursor) on(row int) bool { return uint(row-c.start) < uint(c.end-c.start) }

// move goes to the chunk of a row.
func (c *cursor) move(row int) {
	k := c.find(row)
	c.chunk, c.start, c.end = &c.column.Chunks[k], c.starts[k], c.starts[k+1]
}

// each calls f for the runs of rows lo..hi-1 that lie in one chunk, at most blockRows long: row at of the chunk is row
// row of the column.
func (r *reader) each(lo, hi int, f func(c *Chunk, at, n, row int)) {
	if lo >= hi {
		return
	}
	for i := r.find(lo); lo < hi; i++ {
		end := min(hi, r.starts[i+1])
		for lo < end {
			n := min(end-lo, blockRows)
			f(&r.column.Chunks[i], lo-r.starts[i], n, lo)
			lo += n
		}
	}
}

// A block is up to blockRows rows of one key column, in place or gathered.
type block struct {
	kind     Kind
	width    int
	values   []byte
	at       int // the first row in values
	validity []byte
	bit      int
	rows     int
	ranks    []uint32
}

func (r *reader) block(c *Chunk, at, n int) block {
	i := c.Offset + at
	return block{
		kind: r.column.Kind, width: r.column.ValueBytes(), values: c.Values, at: i, validity: c.Validity, bit: i,
		rows: n, ranks: c.Ranks,
	}
}
