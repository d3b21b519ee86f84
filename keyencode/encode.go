package keyencode

import (
	"encoding/binary"

	"github.com/arrowsort/arrowsort/internal/buffers"
)

// Encode writes the leading word of the codes of rows lo..lo+len(dst)-1, right aligned. It is meant for a thousand rows
// at a time and for many goroutines at once.
func (p *Plan) Encode(dst []uint64, lo int) { p.encodeWord(dst, 0, lo) }

func (p *Plan) encodeWord(dst []uint64, word, lo int) {
	if word >= p.words {
		clear(dst)
		return
	}
	s := p.wordGroup(word)
	if s.ofStrings {
		p.encodeStringWords(dst, s, word, lo)
		return
	}
	for i := range s.bitRanges {
		p.encodeBitRange(dst, &s.bitRanges[i], i == 0, lo)
	}
	assertCodes(p, word, dst)
}

func (p *Plan) encodeBitRange(dst []uint64, pc *bitRange, first bool, lo int) {
	f := &p.fields[pc.field]
	if pc.wholeField {
		f = &pc.shifted
	}
	k := &p.keys[f.key]
	if pc.wholeField && first {
		k.each(lo, lo+len(dst), func(c *Chunk, at, n, row int) {
			k.encodeRange(dst[row-lo:][:n], f, c, at)
		})
		return
	}
	var buffer [blockRows]uint64
	k.each(lo, lo+len(dst), func(c *Chunk, at, n, row int) {
		codes := buffer[:n]
		k.encodeRange(codes, f, c, at)
		pc.place(dst[row-lo:][:n], codes, first)
	})
}

// place puts the bitRange's bits of the codes of its field into the words.
func (pc *bitRange) place(dst, codes []uint64, first bool) {
	down, up, mask := uint(pc.down)&63, uint(pc.up)&63, pc.mask
	dst = dst[:len(codes)]
	switch {
	case first && pc.wholeField:
		copy(dst, codes)
	case pc.wholeField:
		for i, c := range codes {
			dst[i] |= c
		}
	case first:
		for i, c := range codes {
			dst[i] = c >> down & mask << up
		}
	default:
		for i, c := range codes {
			dst[i] |= c >> down & mask << up
		}
	}
}

// encodeRange writes the codes of a field for rows of one chunk, at most blockRows.
func (k *keyPlan) encodeRange(dst []uint64, f *field, c *Chunk, at int) {
	switch {
	case f.part == partLeadingBytes && k.kind == Binary:
		encodeLeadingBytes(dst, buffers.Values[uint32](c.Values, c.Offset+at, len(dst)+1), dataOf(c), f.from, &f.affine)
		f.patch(dst, c, at)
		return
	case f.part == partLeadingBytes && k.kind == LargeBinary:
		encodeLeadingBytes(dst, buffers.Values[uint64](c.Values, c.Offset+at, len(dst)+1), dataOf(c), f.from, &f.affine)
		f.patch(dst, c, at)
		return
	case f.part == partLeadingBytes || f.part == partLength:
		var t stringBlock
		for len(dst) > 0 {
			n := min(len(dst), gatherRows)
			k.column.Strings(t[:n], c, at)
			f.encodeStrings(dst[:n], t[:n])
			dst, at = dst[n:], at+n
		}
		return
	}
	b := k.block(c, at, len(dst))
	k.encodeBlock(dst, f, &b)
}

// patch writes the code of null where it belongs.
func (f *field) patch(dst []uint64, c *Chunk, at int) {
	if c.Validity != nil {
		buffers.SetWhereZero(dst, c.Validity, c.Offset+at, f.null)
	}
}

func (k *keyPlan) encodeBlock(dst []uint64, f *field, b *block) {
	switch f.part {
	case partWord:
		f.affine.encode(dst, b)
	case partLimb:
		k.wide.encode(dst, b, f.limb, f.bias, f.null)
	case partClass:
		fill(dst, f.bias)
		if b.validity != nil {
			buffers.SetWhereZero(dst, b.validity, b.bit, f.null)
		}
	}
}

// encodeStrings writes the codes of a leading bytes or length field, or of the class of strings.
func (f *field) encodeStrings(dst []uint64, t [][]byte) {
	for i, s := range t {
		switch {
		case f.part == partLeadingBytes:
			dst[i] = f.code(buffers.BytesFrom(s, f.from))
		case f.part == partLength:
			dst[i] = f.code(uint64(len(s)))
		default:
			dst[i] = f.bias
		}
		if s == nil {
			dst[i] = f.null
		}
	}
}

func (p *Plan) encodeStringWords(dst []uint64, s *wordGroup, word, lo int) {
	k := &p.keys[s.key]
	var t stringBlock
	for done := 0; done < len(dst); done += gatherRows {
		k.each(lo+done, lo+min(done+gatherRows, len(dst)), func(c *Chunk, at, n, row int) {
			k.column.Strings(t[:n], c, at)
			k.encodeWords(dst[row-lo:][:n], t[:n], s.from+(word-s.first)*stringWordBytes)
		})
	}
}

func (k *keyPlan) encodeWords(dst []uint64, t [][]byte, from int) {
	flip := uint64(0)
	if k.Order == Descending {
		flip = ^flip
	}
	for i, s := range t {
		dst[i] = stringWord(s, from) ^ flip
	}
}

// StringWord returns the column whose strings a word holds bytes of, and the first of these bytes; ok is false for
// words of other keys.
func (p *Plan) StringWord(word int) (column, from int, ok bool) {
	s := p.wordGroup(word)
	if !s.ofStrings {
		return 0, 0, false
	}
	return p.keys[s.key].Column, s.from + (word-s.first)*stringWordBytes, true
}

// EncodeStrings is EncodeRows for a word of strings, given the strings of the rows; nil is null. The word begins skip
// bytes later than StringWord says: where the strings of rows that tie differ, if they share the bytes before.
func (p *Plan) EncodeStrings(dst []uint64, word, skip int, strings [][]byte) {
	s := p.wordGroup(word)
	p.keys[s.key].encodeWords(dst, strings, s.from+(word-s.first)*stringWordBytes+skip)
}

// EncodeRows writes one word of the codes of some rows, in any order.
func (p *Plan) EncodeRows(dst []uint64, word int, rows []uint32) {
	for len(rows) > 0 {
		n := min(len(rows), gatherRows)
		p.encodeRows(dst[:n], word, rows[:n])
		assertCodes(p, word, dst[:n])
		dst, rows = dst[n:], rows[n:]
	}
}

func (p *Plan) encodeRows(dst []uint64, word int, rows []uint32) {
	if word >= p.words {
		clear(dst)
		return
	}
	s := p.wordGroup(word)
	if s.ofStrings {
		var t stringBlock
		k := &p.keys[s.key]
		k.stringsAt(t[:len(rows)], rows)
		k.encodeWords(dst, t[:len(rows)], s.from+(word-s.first)*stringWordBytes)
		return
	}
	var codes [gatherRows]uint64
	for i := range s.bitRanges {
		pc := &s.bitRanges[i]
		f := &p.fields[pc.field]
		if pc.wholeField {
			f = &pc.shifted
		}
		p.encodeFieldRows(codes[:len(rows)], f, rows)
		pc.place(dst, codes[:len(rows)], i == 0)
	}
}

func (p *Plan) encodeFieldRows(dst []uint64, f *field, rows []uint32) {
	k := &p.keys[f.key]
	if k.encoding == encodingBytes {
		var t stringBlock
		k.stringsAt(t[:len(rows)], rows)
		f.encodeStrings(dst, t[:len(rows)])
		return
	}
	var g gathered
	b := g.gather(&k.reader, rows)
	k.encodeBlock(dst, f, &b)
}

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
		gatherInts(buffers.Values[uint8](b.values, 0, b.rows), r, rows)
	case b.width == 2:
		gatherInts(buffers.Values[uint16](b.values, 0, b.rows), r, rows)
	case b.width == 4:
		gatherInts(buffers.Values[uint32](b.values, 0, b.rows), r, rows)
	case b.width == 8:
		gatherInts(buffers.Values[uint64](b.values, 0, b.rows), r, rows)
	default:
		g.gatherBytes(r, rows, b.width)
	}
	if g.gatherValidity(r, rows) {
		b.validity = g.validity[:]
	}
	return b
}

// gatherInts copies whatever lies at the rows: under a null it does no harm.
func gatherInts[U buffers.Unsigned](dst []U, r *reader, rows []uint32) {
	c := newCursor(r)
	var src []U
	dst = dst[:len(rows)]
	for i, row := range rows {
		if !c.on(int(row)) {
			c.move(int(row))
			src = buffers.Values[U](c.chunk.Values, c.chunk.Offset, c.chunk.Rows)
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

// gatherRanks looks ranks up. A null has none: its index is undefined.
func (g *gathered) gatherRanks(r *reader, rows []uint32) {
	c, width := newCursor(r), r.column.ValueBytes()
	clear(g.validity[:])
	for i, row := range rows {
		if !c.on(int(row)) {
			c.move(int(row))
		}
		at := c.chunk.Offset + int(row) - c.start
		if c.chunk.Validity != nil && !buffers.Bit(c.chunk.Validity, at) {
			continue
		}
		if rank := c.chunk.Ranks[buffers.Index(c.chunk.Values, width, at)]; rank != 0 {
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
