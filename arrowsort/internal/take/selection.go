package take

import "sort"

// A selection is rows of a column as positions. All positions lie in their chunks: that is checked when the selection
// is made, so that loops over positions need no checks.
type selection interface {
	len() int
	// at returns the positions of rows [lo,hi), in buf, whose length is hi-lo, or in memory of the selection, which the
	// caller must not change.
	at(lo, hi int, buf []uint64) []uint64
}

type rowNumber interface{ uint32 | uint64 }

// selectRows selects rows by number in all chunks.
func selectRows[U rowNumber](loc *locator, rows []U) selection {
	if loc.chunks() > 1 {
		return located[U]{rows, loc}
	}
	switch r := any(rows).(type) {
	case []uint32:
		return rows32(r)
	default:
		return positionList(r.([]uint64))
	}
}

// A positionList holds positions. Row numbers of a column of one chunk are positions as they are.
type positionList []uint64

func (p positionList) len() int { return len(p) }

func (p positionList) at(lo, hi int, _ []uint64) []uint64 { return p[lo:hi] }

// rows32 are row numbers of a column of one chunk.
type rows32 []uint32

func (r rows32) len() int { return len(r) }

func (r rows32) at(lo, hi int, buf []uint64) []uint64 {
	for i, row := range r[lo:hi] {
		buf[i] = uint64(row)
	}
	return buf
}

// located are row numbers of a column of several chunks.
type located[U rowNumber] struct {
	rows []U
	loc  *locator
}

func (l located[U]) len() int { return len(l.rows) }

func (l located[U]) at(lo, hi int, buf []uint64) []uint64 {
	var chunk, first, rows uint64 // the chunk of the last row: neighbours often lie in the same one
	for i, r := range l.rows[lo:hi] {
		row := uint64(r)
		if row-first >= rows {
			c := l.loc.find(row)
			chunk, first, rows = uint64(c)<<rowBits, l.loc.starts[c], l.loc.starts[c+1]-l.loc.starts[c]
		}
		buf[i] = chunk | (row - first)
	}
	return buf
}

type offset interface{ int32 | int64 }

// spans selects runs of consecutive rows: from position starts[i], ends[i+1]-ends[i] rows. ends[0] is 0.
type spans[O offset] struct {
	starts []uint64
	ends   []O
}

// spanned is implemented by spans of either width.
type spanned interface {
	selection
	// copy copies values of width bytes of rows [lo,hi) from src, by chunk, to their place in dst.
	copy(dst []byte, src [][]byte, width, lo, hi int)
}

func (s spans[O]) len() int { return int(s.ends[len(s.ends)-1]) }

// find returns the span that holds a row.
func (s spans[O]) find(row int) int {
	return sort.Search(len(s.starts), func(i int) bool { return int(s.ends[i+1]) > row })
}

func (s spans[O]) at(lo, hi int, buf []uint64) []uint64 {
	i := 0
	for n := s.find(lo); i < len(buf); n++ {
		p := s.starts[n] + uint64(lo+i-int(s.ends[n]))
		for end := min(int(s.ends[n+1]), hi) - lo; i < end; i++ {
			buf[i] = p
			p++
		}
	}
	return buf
}

func (s spans[O]) copy(dst []byte, src [][]byte, width, lo, hi int) {
	dst = dst[:hi*width]
	for n := s.find(lo); lo < hi; n++ {
		end := min(int(s.ends[n+1]), hi)
		if end == lo {
			continue
		}
		p := s.starts[n] + uint64(lo-int(s.ends[n]))
		copyShort(dst[lo*width:], src[p>>rowBits], int(p&rowMask)*width, (end-lo)*width)
		lo = end
	}
}

// copyShort copies n bytes from src[from:] to dst. Up to 16 bytes it copies 16 where both sides have them, which spares
// a call: what it writes too much is overwritten by the spans that follow, which the same goroutine copies, or lies
// before dst's end.
func copyShort(dst, src []byte, from, n int) {
	if n <= 16 && len(dst) >= 16 && len(src)-from >= 16 {
		*(*[16]byte)(dst) = *(*[16]byte)(src[from:])
		return
	}
	copy(dst[:n], src[from:from+n])
}

// groups selects size consecutive rows for each row of parents, whose position p stands for rows p*size and on.
type groups struct {
	parents selection
	size    int
}

func (s groups) len() int { return s.parents.len() * s.size }

func (s groups) at(lo, hi int, buf []uint64) []uint64 {
	first, last := lo/s.size, (hi-1)/s.size+1
	// The parents' positions go to the end of buf. Every parent has at least one row, so that the rows, written from
	// the front, never reach a parent that is still to be read.
	parents := s.parents.at(first, last, buf[len(buf)-(last-first):])
	i := 0
	for n, p := range parents {
		skip := max(lo-(first+n)*s.size, 0)
		end := min((first+n+1)*s.size, hi) - lo
		row := p&^rowMask | (p&rowMask*uint64(s.size) + uint64(skip))
		for ; i < end; i++ {
			buf[i] = row
			row++
		}
	}
	return buf
}

// A wholeChunk selects the rows of one chunk in their order.
type wholeChunk struct{ number, rows int }

func (w wholeChunk) len() int { return w.rows }

func (w wholeChunk) at(lo, hi int, buf []uint64) []uint64 {
	for i := range hi - lo {
		buf[i] = uint64(w.number)<<rowBits | uint64(lo+i)
	}
	return buf
}
