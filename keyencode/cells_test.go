package keyencode

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"

	"github.com/arrowsort/arrowsort/internal/rawmodel"
)

// A cell is one value of a test column: its bytes as they are stored (strings: their bytes; Bool: 0 or 1; dictionaries:
// the rank), or null.
type cell struct {
	null bool
	raw  []byte
}

var allKinds = []Kind{
	Null, Bool, Int8, Int16, Int32, Int64, Uint8, Uint16, Uint32, Uint64, Float16, Float32, Float64, Decimal128,
	Decimal256, FixedSizeBinary, Binary, LargeBinary, BinaryView, Dictionary8, Dictionary16, Dictionary32, Dictionary64,
}

// model is how rawmodel orders a key.
func (k Key) model(kind Kind) rawmodel.Key {
	m := rawmodel.Key{Kind: rawmodel.Unsigned, Descending: k.Order == Descending, NullsFirst: k.Nulls == NullsAtStart}
	switch kind {
	case Int8, Int16, Int32, Int64, Decimal128, Decimal256:
		m.Kind = rawmodel.Signed
	case Float16, Float32, Float64:
		m.Kind = rawmodel.Float
	case FixedSizeBinary, Binary, LargeBinary, BinaryView:
		m.Kind = rawmodel.Bytes
	}
	return m
}

func (a cell) model(kind Kind) rawmodel.Cell {
	return rawmodel.Cell{Null: a.null || kind == Null, Value: a.raw}
}

func (a cell) class(kind Kind) Class { return Class(Key{}.model(kind).Class(a.model(kind))) }

func compareCells(kind Kind, k Key, a, b cell) int {
	return k.model(kind).Compare(a.model(kind), b.model(kind))
}

// widthOf is the number of bytes of a cell's raw value.
func widthOf(kind Kind, fixed int) int {
	switch kind {
	case Bool:
		return 1
	case Dictionary8, Dictionary16, Dictionary32, Dictionary64:
		return 4
	case Null:
		return 0
	}
	return (&Column{Kind: kind, Width: fixed}).ValueBytes()
}

// build makes a column of cells, in chunks of the sizes given (the last takes the rest), each starting at the offset,
// with garbage under nulls and around the rows.
func build(rng *rand.Rand, kind Kind, fixed, offset int, sizes []int, cells []cell) Column {
	c := Column{Kind: kind, Width: fixed}
	for i := 0; len(cells) > 0 || i < len(sizes); i++ {
		n := len(cells)
		if i < len(sizes) {
			n = min(n, sizes[i])
		}
		c.Chunks = append(c.Chunks, buildChunk(rng, kind, fixed, offset, cells[:n]))
		cells = cells[n:]
	}
	return c
}

func garbage(rng *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}

func buildChunk(rng *rand.Rand, kind Kind, fixed, offset int, cells []cell) Chunk {
	c := Chunk{Rows: len(cells), Offset: offset}
	if slices.ContainsFunc(cells, func(c cell) bool { return c.null }) || rng.IntN(4) == 0 {
		c.Validity = garbage(rng, (offset+len(cells)+7)/8)
		for i, x := range cells {
			setBit(c.Validity, offset+i, !x.null)
		}
	}
	switch {
	case kind == Null:
	case kind == Bool:
		c.Values = garbage(rng, (offset+len(cells)+7)/8)
		for i, x := range cells {
			if !x.null {
				setBit(c.Values, offset+i, x.raw[0] != 0)
			}
		}
	case kind == Binary || kind == LargeBinary:
		buildOffsets(rng, &c, kind, cells)
	case kind == BinaryView:
		buildViews(rng, &c, cells)
	case kind.isDictionary():
		buildDictionary(rng, &c, kind, cells)
	default:
		w := widthOf(kind, fixed)
		c.Values = garbage(rng, (offset+len(cells))*w)
		for i, x := range cells {
			if !x.null {
				copy(c.Values[(offset+i)*w:(offset+i+1)*w], x.raw)
			}
		}
	}
	return c
}

func setBit(b []byte, i int, v bool) {
	b[i>>3] &^= 1 << (i & 7)
	if v {
		b[i>>3] |= 1 << (i & 7)
	}
}

func buildOffsets(rng *rand.Rand, c *Chunk, kind Kind, cells []cell) {
	data := garbage(rng, 3)
	offsets := make([]int, c.Offset, c.Offset+len(cells)+1)
	for _, x := range cells {
		offsets = append(offsets, len(data))
		if x.null {
			data = append(data, garbage(rng, rng.IntN(4))...)
		}
		data = append(data, x.raw...)
	}
	offsets = append(offsets, len(data))
	for _, o := range offsets {
		if kind == Binary {
			c.Values = binary.LittleEndian.AppendUint32(c.Values, uint32(o))
		} else {
			c.Values = binary.LittleEndian.AppendUint64(c.Values, uint64(o))
		}
	}
	c.Data = [][]byte{data}
}

func buildViews(rng *rand.Rand, c *Chunk, cells []cell) {
	c.Values = garbage(rng, c.Offset*16)
	c.Data = [][]byte{garbage(rng, 2), garbage(rng, 1)}
	for _, x := range cells {
		if x.null {
			c.Values = append(c.Values, garbage(rng, 16)...)
			continue
		}
		view := make([]byte, 16)
		binary.LittleEndian.PutUint32(view, uint32(len(x.raw)))
		if len(x.raw) <= 12 {
			copy(view[4:], x.raw)
		} else {
			buffer := rng.IntN(2)
			copy(view[4:8], x.raw)
			binary.LittleEndian.PutUint32(view[8:], uint32(buffer))
			binary.LittleEndian.PutUint32(view[12:], uint32(len(c.Data[buffer])))
			c.Data[buffer] = append(c.Data[buffer], x.raw...)
		}
		c.Values = append(c.Values, view...)
	}
}

// buildDictionary makes a separate dictionary for each chunk, with duplicates and, for some nulls, null entries.
func buildDictionary(rng *rand.Rand, c *Chunk, kind Kind, cells []cell) {
	nullEntry := len(cells) > 0 && len(cells) < 100 && rng.IntN(2) == 0
	if nullEntry {
		c.Ranks = append(c.Ranks, 0)
	}
	w := widthOfIndex(kind)
	c.Values = garbage(rng, (c.Offset+len(cells))*w)
	known := map[uint32]int{}
	for i, x := range cells {
		at := c.Offset + i
		if x.null {
			if nullEntry && rng.IntN(2) == 0 {
				setBit(c.Validity, at, true)
				putIndex(c.Values[at*w:], w, 0)
			}
			continue
		}
		rank := binary.LittleEndian.Uint32(x.raw)
		index, ok := known[rank]
		if !ok || len(c.Ranks) < 100 && rng.IntN(4) == 0 {
			index = len(c.Ranks)
			known[rank] = index
			c.Ranks = append(c.Ranks, rank+1)
		}
		putIndex(c.Values[at*w:], w, uint64(index))
	}
}

func widthOfIndex(kind Kind) int { return 1 << (kind - Dictionary8) }

func putIndex(b []byte, w int, index uint64) {
	var le [8]byte
	binary.LittleEndian.PutUint64(le[:], index)
	copy(b[:w], le[:])
}

func sortCells(kind Kind, k Key, cells []cell) {
	slices.SortStableFunc(cells, func(a, b cell) int { return compareCells(kind, k, a, b) })
}
