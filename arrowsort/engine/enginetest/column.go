package enginetest

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"github.com/arrowsort/arrowsort/keyencode"
)

// A columnSpec says how a random column looks.
type columnSpec struct {
	kind   keyencode.Kind
	width  int // of FixedSizeBinary
	dist   distribution
	nulls  float64 // the part of the rows that are null
	style  int     // shape of wide values, see cells
	chunks int     // 0 and 1: one chunk; else about this number, of uneven sizes, some empty
	offset int     // of the first row of a chunk in its buffers; -1: another one for each chunk
}

func (s columnSpec) String() string {
	return fmt.Sprintf("kind %d width %d %q nulls %.2f style %d chunks %d offset %d",
		s.kind, s.width, s.dist.name, s.nulls, s.style, s.chunks, s.offset)
}

// column makes a random column of n rows.
func column(r *rand.Rand, s columnSpec, n int) keyencode.Column {
	entries := []int{1, 3, 100}[r.IntN(3)]
	if s.kind > keyencode.Dictionary8 && r.IntN(2) == 0 {
		entries = 5000
	}
	values := cells(r, s.kind, s.width, s.style, entries, s.dist.draw(r, n, patternBits(s.kind)))
	c := keyencode.Column{Kind: s.kind, Width: s.width}
	data := &viewData{buffers: make([][]byte, 2)}
	lo := 0
	for _, rows := range cut(r, n, s.chunks) {
		offset := s.offset
		if offset < 0 {
			offset = []int{0, 1, 3, 7, 8, 31, 63, 64}[r.IntN(8)]
		}
		b := chunkBuilder{r: r, column: &c, offset: offset, data: data}
		nulls := s.nulls
		if nulls > 0 && s.chunks > 1 && r.IntN(4) == 0 {
			nulls = 1
		}
		c.Chunks = append(c.Chunks, b.build(values[lo:lo+rows], nulls))
		lo += rows
	}
	if isDictionary(s.kind) {
		addDictionaries(r, c.Chunks, entries)
	}
	for i := range c.Chunks {
		if s.kind == keyencode.BinaryView {
			c.Chunks[i].Data = data.buffers
		}
	}
	return c
}

func isDictionary(kind keyencode.Kind) bool {
	return kind >= keyencode.Dictionary8 && kind <= keyencode.Dictionary64
}

// addDictionaries gives each chunk the ranks of at least a number of entries, some of them null: those of the chunk
// before, or its own, all in one buffer. A chunk of nulls may have no entries.
func addDictionaries(r *rand.Rand, chunks []keyencode.Chunk, entries int) {
	all := make([]uint32, 0, 2*entries*len(chunks)+1)
	for i := range chunks {
		if i > 0 && len(chunks[i-1].Ranks) > 0 && r.IntN(3) == 0 {
			chunks[i].Ranks = chunks[i-1].Ranks
			continue
		}
		first := len(all)
		if !allNull(&chunks[i]) || r.IntN(2) == 0 {
			for range entries + r.IntN(entries) {
				all = append(all, r.Uint32N(uint32(entries)))
			}
		}
		chunks[i].Ranks = all[first:len(all):len(all)]
	}
}

func allNull(k *keyencode.Chunk) bool {
	for at := k.Offset; at < k.Offset+k.Rows; at++ {
		if k.Validity == nil || k.Validity[at/8]>>(at%8)&1 == 1 {
			return false
		}
	}
	return true
}

// cut splits n rows into about the given number of chunks, some of them empty or a single row.
func cut(r *rand.Rand, n, chunks int) []int {
	if chunks <= 1 {
		return []int{n}
	}
	var sizes []int
	for n > 0 {
		size := min(n, []int{0, 1, r.IntN(2*n/chunks + 2), r.IntN(2*n/chunks + 2)}[r.IntN(4)])
		if len(sizes) >= 3*chunks {
			size = n
		}
		sizes = append(sizes, size)
		n -= size
	}
	return append(sizes, 0)
}

// viewData collects the long values of a view column in two buffers, which all chunks refer to.
type viewData struct{ buffers [][]byte }

func (d *viewData) view(r *rand.Rand, value []byte) []byte {
	v := binary.LittleEndian.AppendUint32(nil, uint32(len(value)))
	if len(value) <= 12 {
		return append(v, append(value, make([]byte, 12-len(value))...)...)
	}
	k := r.IntN(2)
	v = append(v, value[:4]...)
	v = binary.LittleEndian.AppendUint32(v, uint32(k))
	v = binary.LittleEndian.AppendUint32(v, uint32(len(d.buffers[k])))
	d.buffers[k] = append(d.buffers[k], value...)
	return v
}

// A chunkBuilder lays values out in the buffers of a chunk: garbage before the first row and under every null.
type chunkBuilder struct {
	r      *rand.Rand
	column *keyencode.Column
	offset int
	data   *viewData
	valid  []bool
}

func (b *chunkBuilder) build(values [][]byte, nulls float64) keyencode.Chunk {
	chunk := keyencode.Chunk{Rows: len(values), Offset: b.offset}
	b.valid = make([]bool, len(values))
	for i := range values {
		b.valid[i] = b.r.Float64() >= nulls
	}
	withoutBitmap := nulls == 0 && b.r.IntN(2) == 0
	if !withoutBitmap {
		chunk.Validity = bitmap(b.r, b.offset, len(values), func(i int) bool { return b.valid[i] })
	}
	switch b.column.Kind {
	case keyencode.Null:
	case keyencode.Bool:
		chunk.Values = bitmap(b.r, b.offset, len(values), func(i int) bool { return b.value(values, i)[0] == 1 })
	case keyencode.Binary, keyencode.LargeBinary:
		chunk.Values, chunk.Data = b.strings(values)
	default:
		chunk.Values = b.fixed(values)
	}
	return chunk
}

// value is a row's value, or garbage of the right size when the row is null.
func (b *chunkBuilder) value(values [][]byte, i int) []byte {
	if b.valid[i] {
		return values[i]
	}
	garbage := make([]byte, len(values[i]))
	for k := range garbage {
		garbage[k] = byte(b.r.Uint32())
	}
	return garbage
}

func (b *chunkBuilder) fixed(values [][]byte) []byte {
	size := b.column.ValueBytes()
	out := make([]byte, b.offset*size, (b.offset+len(values))*size)
	for i := range out {
		out[i] = byte(b.r.Uint32())
	}
	for i := range values {
		value := b.value(values, i)
		if b.column.Kind == keyencode.BinaryView && b.valid[i] {
			value = b.data.view(b.r, value)
		} else if b.column.Kind == keyencode.BinaryView {
			value = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, b.r.Uint64()), b.r.Uint64())
		}
		out = append(out, value...)
	}
	return out
}

func (b *chunkBuilder) strings(values [][]byte) (offsets []byte, data [][]byte) {
	joined := []byte("before the first row")
	put := func(at int) {
		if b.column.Kind == keyencode.Binary {
			offsets = binary.LittleEndian.AppendUint32(offsets, uint32(at))
		} else {
			offsets = binary.LittleEndian.AppendUint64(offsets, uint64(at))
		}
	}
	for i := range b.offset {
		put(min(i, len(joined)))
	}
	put(len(joined))
	for i := range values {
		joined = append(joined, b.value(values, i)...)
		put(len(joined))
	}
	return offsets, [][]byte{joined}
}

// bitmap has n bits from an offset on and random ones around them.
func bitmap(r *rand.Rand, offset, n int, set func(i int) bool) []byte {
	out := make([]byte, (offset+n+7)/8)
	for i := range out {
		out[i] = byte(r.Uint32())
	}
	for i := range n {
		at := offset + i
		out[at/8] &^= 1 << (at % 8)
		if set(i) {
			out[at/8] |= 1 << (at % 8)
		}
	}
	return out
}
