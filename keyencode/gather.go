package keyencode

import "encoding/binary"

// gatherRows is the number of rows that are gathered at a time: few, because calls for a handful of rows pay for the
// memory, too.
const gatherRows = 64

// A gathered block holds copies of rows from anywhere in a column.
type gathered struct {
	values   [gatherRows * 32]byte
	validity [gatherRows / 8]byte
}

// gather copies rows of up to 32 bytes. Dictionary rows become their ranks, booleans bytes.
func (g *gathered) gather(r *reader, rows []uint32) block {
	b := block{kind: r.column.Kind, width: r.column.ValueBytes(), rows: len(rows), values: g.values[:]}
	switch {
	case b.kind == Bool:
		b.kind, b.width = Uint8, 1
		g.gatherBits(r, rows)
	case b.kind.isDictionary():
		b.kind, b.width, b.validity = Uint32, 4, g.validity[:]
		g.gatherRanks(r, rows)
		return b
	case b.width == 1:
		gatherInts(valuesOf[uint8](b.values, 0, b.rows), r, rows)
	case b.width == 2:
		gatherInts(valuesOf[uint16](b.values, 0, b.rows), r, rows)
	case b.width == 4:
		gatherInts(valuesOf[uint32](b.values, 0, b.rows), r, rows)
	case b.width == 8:
		gatherInts(valuesOf[uint64](b.values, 0, b.rows), r, rows)
	default:
		g.gatherBytes(r, rows, b.width)
	}
	if g.gatherValidity(r, rows) {
		b.validity = g.validity[:]
	}
	return b
}

// gatherInts copies whatever lies at the rows: under a null it does no harm.
func gatherInts[U unsigned](dst []U, r *reader, rows []uint32) {
	c := newCursor(r)
	var src []U
	dst = dst[:len(rows)]
	for i, row := range rows {
		if !c.on(int(row)) {
			c.move(int(row))
			src = valuesOf[U](c.chunk.Values, c.chunk.Offset, c.chunk.Rows)
		}
		dst[i] = src[int(row)-c.start]
	}
}

func (g *gathered) gatherBytes(r *reader, rows []uint32, width int) {
	c := newCursor(r)
	for i, row := range rows {
		if !c.on(int(row)) {
			c.move(int(row))
		}
		at := (c.chunk.Offset + int(row) - c.start) * width
		copy(g.values[i*width:], c.chunk.Values[at:at+width])
	}
}

func (g *gathered) gatherBits(r *reader, rows []uint32) {
	c := newCursor(r)
	for i, row := range rows {
		if !c.on(int(row)) {
			c.move(int(row))
		}
		at := c.chunk.Offset + int(row) - c.start
		g.values[i] = c.chunk.Values[at>>3] >> (at & 7) & 1
	}
}

// gatherRanks looks ranks up; those of nulls are none, and what lies under a null is no index.
func (g *gathered) gatherRanks(r *reader, rows []uint32) {
	c := newCursor(r)
	clear(g.validity[:])
	for i, row := range rows {
		if !c.on(int(row)) {
			c.move(int(row))
		}
		at := c.chunk.Offset + int(row) - c.start
		if c.chunk.Validity != nil && !bitAt(c.chunk.Validity, at) {
			continue
		}
		if rank := c.chunk.Ranks[indexAt(r.column.Kind, c.chunk.Values, at)]; rank != 0 {
			binary.LittleEndian.PutUint32(g.values[i*4:], rank-1)
			g.validity[i>>3] |= 1 << (i & 7)
		}
	}
}

// gatherValidity copies validity bits and reports whether there are any to care for.
func (g *gathered) gatherValidity(r *reader, rows []uint32) bool {
	some := false
	for i := range r.column.Chunks {
		some = some || r.column.Chunks[i].Validity != nil
	}
	if !some {
		return false
	}
	c := newCursor(r)
	clear(g.validity[:])
	for i, row := range rows {
		if !c.on(int(row)) {
			c.move(int(row))
		}
		bit := byte(1)
		if c.chunk.Validity != nil {
			at := c.chunk.Offset + int(row) - c.start
			bit = c.chunk.Validity[at>>3] >> (at & 7) & 1
		}
		g.validity[i>>3] |= bit << (i & 7)
	}
	return true
}

// indexAt is the dictionary index at position at.
func indexAt(kind Kind, values []byte, at int) uint64 {
	switch kind {
	case Dictionary8:
		return uint64(values[at])
	case Dictionary16:
		return uint64(binary.LittleEndian.Uint16(values[at*2:]))
	case Dictionary32:
		return uint64(binary.LittleEndian.Uint32(values[at*4:]))
	}
	return binary.LittleEndian.Uint64(values[at*8:])
}
