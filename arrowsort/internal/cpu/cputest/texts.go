package cputest

import (
	"math/rand/v2"

	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A Texts describes a column of strings.
type Texts struct {
	Name     string
	Lo, Hi   int // lengths
	Nulls    int // percent
	Chunks   int
	OneData  bool // the chunks are slices of one buffer, whose first bytes belong to none
	EmptyToo bool // some chunks have no rows, and no buffer of bytes
}

// AllTexts are columns of all lengths, layouts and shares of nulls.
var AllTexts = []Texts{
	{Name: "empty", Lo: 0, Hi: 0}, {Name: "narrow", Lo: 0, Hi: 3},
	{Name: "narrow with nulls", Lo: 0, Hi: 3, Nulls: 20, Chunks: 3}, {Name: "short", Lo: 0, Hi: 7},
	{Name: "short with nulls", Lo: 0, Hi: 7, Nulls: 20}, {Name: "one byte", Lo: 1, Hi: 1},
	{Name: "three bytes", Lo: 3, Hi: 3, Chunks: 5}, {Name: "four bytes", Lo: 4, Hi: 4},
	{Name: "seven bytes", Lo: 7, Hi: 7}, {Name: "seven bytes with nulls", Lo: 7, Hi: 7, Nulls: 1},
	{Name: "eight bytes", Lo: 8, Hi: 8}, {Name: "long", Lo: 0, Hi: 40, Chunks: 2},
	{Name: "long with nulls", Lo: 5, Hi: 20, Nulls: 50}, {Name: "all null", Lo: 0, Hi: 20, Nulls: 100},
	{Name: "short in many chunks", Lo: 0, Hi: 5, Nulls: 5, Chunks: 900, EmptyToo: true},
	{Name: "long in many chunks", Lo: 0, Hi: 15, Nulls: 5, Chunks: 900, EmptyToo: true},
	{Name: "slices of one buffer", Lo: 0, Hi: 9, Nulls: 5, Chunks: 40, OneData: true},
	{Name: "equal slices of one buffer", Lo: 5, Hi: 5, Chunks: 40, OneData: true},
}

// Draw are the strings of a column, and what is null; strings under nulls are there, too.
func (s Texts) Draw(n int) (texts [][]byte, valid []bool) {
	r := rand.New(rand.NewPCG(uint64(n), uint64(len(s.Name))))
	pool := make([]byte, 1<<16)
	for i := range pool {
		pool[i] = byte(r.Uint32())
	}
	texts, valid = make([][]byte, n), make([]bool, n)
	for i := range texts {
		at := r.IntN(len(pool) - s.Hi)
		texts[i], valid[i] = pool[at:at+s.Lo+r.IntN(s.Hi-s.Lo+1)], r.IntN(100) >= s.Nulls
	}
	return texts, valid
}

// Column lays the strings out. Chunks begin at an offset of their buffers, and their first string not at 0.
func (s Texts) Column(kind keyencode.Kind, texts [][]byte, valid []bool) keyencode.Column {
	r := rand.New(rand.NewPCG(1, 1))
	c := keyencode.Column{Kind: kind}
	data, offsets := []byte("before"), []uint64{2}
	firsts := []int{0} // the chunks' first offsets
	flush := func(texts [][]byte, valid []bool) {
		k := keyencode.Chunk{Rows: len(texts), Offset: 1, Values: buffers.Bytes(offsets), Data: [][]byte{data}}
		if s.Nulls > 0 {
			k.Validity = Bitmap(r, 1, valid)
		}
		c.Chunks = append(c.Chunks, k)
	}
	chunks := max(s.Chunks, 1)
	for k := range chunks {
		lo, hi := len(texts)*k/chunks, len(texts)*(k+1)/chunks
		if s.OneData {
			firsts = append(firsts, len(offsets)-1)
		} else {
			data, offsets = []byte("before"), []uint64{2}
		}
		offsets = append(offsets, uint64(len(data)))
		for _, text := range texts[lo:hi] {
			data = append(data, text...)
			offsets = append(offsets, uint64(len(data)))
		}
		flush(texts[lo:hi], valid[lo:hi])
		if s.EmptyToo && k%3 == 0 {
			c.Chunks = append(c.Chunks, keyencode.Chunk{})
		}
	}
	for i := range c.Chunks {
		k := &c.Chunks[i]
		if s.OneData { // as slicing an array leaves it: the whole buffers, another offset
			k.Data, k.Values, k.Offset, k.Validity = [][]byte{data}, buffers.Bytes(offsets), firsts[i+1]+1, nil
			if s.Nulls > 0 {
				k.Validity = Bitmap(r, k.Offset, valid[len(texts)*i/chunks:len(texts)*(i+1)/chunks])
			}
		}
		if kind == keyencode.Binary {
			k.Values = narrowOffsets(k.Values)
		}
	}
	return c
}

func narrowOffsets(values []byte) []byte {
	offsets := make([]uint32, 0, len(values)/8)
	for _, o := range buffers.View[uint64](values) {
		offsets = append(offsets, uint32(o))
	}
	return buffers.Bytes(offsets)
}

// Bitmap packs bits from an offset on; the bits before it and after the last are set at random.
func Bitmap(r *rand.Rand, offset int, set []bool) []byte {
	bitmap := make([]byte, (offset+len(set)+7)/8)
	for i := range bitmap {
		bitmap[i] = byte(r.Uint32())
	}
	for i, s := range set {
		bitmap[(offset+i)/8] &^= 1 << ((offset + i) % 8)
		if s {
			bitmap[(offset+i)/8] |= 1 << ((offset + i) % 8)
		}
	}
	return bitmap
}
