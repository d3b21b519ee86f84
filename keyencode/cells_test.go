package keyencode

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"

	"github.com/arrowsort/arrowsort/internal/referenceorder"
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

// model returns how referenceorder orders a key.
func (k Key) model(kind Kind) referenceorder.Key {
	m := referenceorder.Key{
		Kind: referenceorder.Unsigned, Descending: k.Order == Descending, NullsFirst: k.Nulls == NullsAtStart,
	}
	switch kind {
	case Int8, Int16, Int32, Int64, Decimal128, Decimal256:
		m.Kind = referenceorder.Signed
	case Float16, Float32, Float64:
		m.Kind = referenceorder.Float
	case FixedSizeBinary, Binary, LargeBinary, BinaryView:
		m.Kind = referenceorder.Bytes
	}
	return m
}

func (a cell) model(kind Kind) referenceorder.Cell {
	return referenceorder.Cell{Null: a.null || kind == Null, Value: a.raw}
}

func (a cell) class(kind Kind) Class { return Class(Key{}.model(kind).Class(a.model(kind))) }

func compareCells(kind Kind, k Key, a, b cell) int {
	return k.model(kind).Compare(a.model(kind), b.model(kind))
}

// widthOf returns the number of bytes of a cell's raw value.
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

// randomCells draws n cells of a kind: from few or many values, near together or anywhere, with and without nulls.
func randomCells(rng *rand.Rand, kind Kind, fixed, n int) []cell {
	distinct := []int{1, 2, 5, 1000}[rng.IntN(4)]
	if kind == Dictionary8 {
		distinct = min(distinct, 100) // an index has 8 bits
	}
	nulls := []float64{0, 0, 0.1, 0.6, 1}[rng.IntN(5)]
	pool := make([][]byte, min(distinct, n))
	style := rng.IntN(6)
	base := randomValue(rng, kind, fixed, 0, nil)
	for i := range pool {
		pool[i] = randomValue(rng, kind, fixed, style, base)
	}
	if (&Column{Kind: kind, Width: fixed}).encoding() == encodingBytes && rng.IntN(3) == 0 {
		shareBytes(rng, kind, pool)
	}
	cells := make([]cell, n)
	for i := range cells {
		if kind == Null || rng.Float64() < nulls {
			cells[i].null = true
		} else {
			cells[i].raw = pool[rng.IntN(len(pool))]
		}
	}
	return cells
}

func randomValue(rng *rand.Rand, kind Kind, fixed, style int, base []byte) []byte {
	switch kind {
	case Null:
		return nil
	case Bool:
		return []byte{byte(rng.IntN(2))}
	case Binary, LargeBinary, BinaryView:
		return randomString(rng, style%5)
	}
	w := widthOf(kind, fixed)
	v := garbage(rng, w)
	switch {
	case w == 0:
	case style == 1: // near the base
		v = slices.Clone(base)
		v[0] ^= byte(rng.Uint32()) & 0x3c
	case style == 2: // extremes
		fill := [][2]byte{{0, 0}, {0xff, 0xff}, {0, 0x80}, {0xff, 0x7f}}[rng.IntN(4)]
		for i := range v {
			v[i] = fill[0]
		}
		v[w-1] = fill[1]
	case style == 3 && kind.isFloat(): // zeros, infinities, NaNs
		clear(v)
		v[w-1] = []byte{0, 0x80, 0x7f, 0xff}[rng.IntN(4)]
		if v[w-1]&0x7f != 0 {
			v[w-2] = []byte{0xf0, 0x80, 0x7c, 0xff}[rng.IntN(4)]
		}
		if rng.IntN(2) == 0 {
			v[0] = byte(rng.IntN(3))
		}
	case style == 5 && w <= 8: // multiples of a number, from anywhere
		u := uint64(0)
		for i, b := range base {
			u |= uint64(b) << (8 * i)
		}
		putWord(v, w, u%1000+rng.Uint64N(50)*uint64(w)*1500)
	case style == 4: // high bits only
		clear(v[:w-1])
	}
	if kind.isDictionary() {
		v[3] &= 0x7f // leave a rank free for null
	}
	return v
}

func randomString(rng *rand.Rand, style int) []byte {
	letters := []string{"ab", "\x00a", "\x00\xff", "abcdefghijklmnopqrstuvwxyz", "\x00"}[style]
	prefix := []string{"", "", "shared/", "\x00\x00", "a long prefix that all share \xff"}[(style+3)%5]
	s := []byte(prefix)
	for range rng.IntN([]int{4, 10, 12, 24, 40}[rng.IntN(5)]) {
		s = append(s, letters[rng.IntN(len(letters))])
	}
	return s
}

// shareBytes writes the same bytes to two places near the beginning of some strings, which are made longer if they may.
func shareBytes(rng *rand.Rand, kind Kind, pool [][]byte) {
	shared := garbage(rng, 8+rng.IntN(80))
	places := [2]int{rng.IntN(len(shared)), rng.IntN(len(shared))}
	length := rng.IntN(30)
	for i, s := range pool {
		if kind != FixedSizeBinary {
			s = append(garbage(rng, len(shared)), s...)
		}
		for _, at := range places {
			for b := at; b < min(at+length, len(s), len(shared)); b++ {
				s[b] = shared[b]
			}
		}
		pool[i] = s
	}
}
