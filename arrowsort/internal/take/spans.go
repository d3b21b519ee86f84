package take

import "sort"

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

// find is the span that holds a row.
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
