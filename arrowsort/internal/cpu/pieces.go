package cpu

import "slices"

// pieces are ranges of rows of another source, one after another.
type pieces struct {
	src    source
	first  []uint32 // row of each piece
	starts []uint32 // row of each piece here, and the number of rows
	base   uint32
}

// find is the piece that holds a row.
func (p pieces) find(row uint32) int {
	i, _ := slices.BinarySearch(p.starts, row+1) // after empty pieces
	return i - 1
}

func (p pieces) encode(dst []uint64, lo int) {
	row := p.base + uint32(lo)
	for i := p.find(row); len(dst) > 0; i++ {
		n := min(len(dst), int(p.starts[i+1]-row))
		if n > 0 {
			p.src.encode(dst[:n], int(p.first[i]+row-p.starts[i]))
			dst, row = dst[n:], row+uint32(n)
		}
	}
}

func (p pieces) EncodeRows(dst []uint64, word int, rows []uint32) {
	for k, r := range rows {
		row := p.base + r
		i := p.find(row)
		rows[k] = p.first[i] + row - p.starts[i]
	}
	p.src.EncodeRows(dst, word, rows)
}

func (p pieces) from(base int) source {
	p.base += uint32(base)
	return p
}
