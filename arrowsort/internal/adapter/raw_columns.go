package adapter

import (
	"context"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/take"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/internal/workers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// Options are the options of a job and of its raw columns.
type Options struct {
	Allocator memory.Allocator
	Ranker    engine.Engine // sorts the entries of dictionaries
	Threads   int
	Split     bool // the results may be several arrays where 32-bit offsets would pass 2 GiB
}

// RawColumns make the raw columns of keys, payloads and dictionary entries, and hold the memory that those take beyond
// the arrays, until Release.
type RawColumns struct {
	ctx     context.Context // of the call
	mem     memory.Allocator
	ranker  engine.Engine // sorts the entries of dictionaries
	threads int
	temp    [][]byte
	held    []interface{ Release() }

	one  [1]keyencode.Chunk // storage for one chunk without an allocation
	full bool               // it is in use
}

// Start makes r empty, for a call.
func (r *RawColumns) Start(ctx context.Context, opts Options) {
	*r = RawColumns{ctx: ctx, mem: opts.Allocator, ranker: opts.Ranker, threads: opts.Threads}
}

// Call returns the context and the options of the call.
func (r *RawColumns) Call() (context.Context, Options) {
	return r.ctx, Options{Allocator: r.mem, Ranker: r.ranker, Threads: r.threads}
}

// Hold takes over what the columns refer to, until Release.
func (r *RawColumns) Hold(x interface{ Release() }) { r.held = append(r.held, x) }

// Release gives the memory back.
func (r *RawColumns) Release() {
	for _, b := range r.temp {
		r.mem.Free(b)
	}
	arraydata.Release(r.held)
	r.temp, r.held = nil, nil
}

// column returns the raw column of slices of one layout. An array whose offsets or views lead out of its buffers is
// an error here, so that reading the column needs no checks.
func (r *RawColumns) column(l layout, parts []arraySlice) (keyencode.Column, error) {
	c := keyencode.Column{Kind: l.kind, Width: l.width}
	c.Chunks = r.chunksOf(len(parts))
	for i, v := range parts {
		var err error
		if c.Chunks[i], err = r.chunk(l, v); err != nil {
			return c, err
		}
	}
	return c, malformed(keyencode.Validate(&c))
}

// chunksOf returns storage for n chunks.
func (r *RawColumns) chunksOf(n int) []keyencode.Chunk {
	if n == 1 && !r.full {
		r.full = true
		return r.one[:]
	}
	return make([]keyencode.Chunk, n)
}

// malformed lets an error of validation match arrow.ErrInvalid.
func malformed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", arrow.ErrInvalid, err)
}

// chunk returns a slice as raw buffers. Validity and values share one offset, which is made small by starting both at a
// row that is a multiple of 8.
func (r *RawColumns) chunk(l layout, v arraySlice) (keyencode.Chunk, error) {
	offset := v.first % 8
	start, end := v.first-offset, v.first+v.rows
	c := keyencode.Chunk{Rows: v.rows, Offset: offset}
	var err error
	if c.Validity, err = r.validity(v, offset); err != nil {
		return c, err
	}
	switch l.kind {
	case keyencode.Null:
		return c, nil
	case keyencode.Bool:
		c.Values, err = r.span(v, start/8, (end+7)/8)
	case keyencode.Binary, keyencode.LargeBinary:
		c.Data = [][]byte{v.buffer(2)}
		c.Values, err = r.span(v, start*l.width, (end+1)*l.width)
	case keyencode.BinaryView:
		for i := 2; i < len(v.data.Buffers()); i++ {
			c.Data = append(c.Data, v.buffer(i))
		}
		c.Values, err = r.span(v, start*l.width, end*l.width)
	default:
		c.Values, err = r.span(v, start*l.width, end*l.width)
	}
	return c, err
}

// span returns the value buffer from byte lo, at least up to byte hi. Arrays without any value may lack the buffer: it
// reads as zeros.
func (r *RawColumns) span(v arraySlice, lo, hi int) ([]byte, error) {
	b := v.buffer(1)
	switch {
	case len(b) >= hi:
		return b[lo:], nil
	case len(b) == 0:
		return r.zeros(hi - lo)
	}
	return nil, fmt.Errorf("%w: an array of type %s has %d bytes of values where its rows take %d",
		arrow.ErrInvalid, v.data.DataType(), len(b), hi)
}

// An arraySlice is consecutive rows of an array that may lie within structs.
type arraySlice struct {
	data  arrow.ArrayData
	first int    // position of the first row in data's buffers
	rows  int    // more than 0
	masks []mask // validity of the rows: data's own and that of the structs above it; none when all rows are valid
}

// A mask is a validity bitmap; its bit first belongs to the first row of the slice.
type mask struct {
	bits  []byte
	first int
}

// parts returns the rows of the field at path, one slice for each chunk that has rows, in buf if it is large enough.
func (in *Input) parts(path []int, buf []arraySlice) []arraySlice {
	left := in.Rows
	chunks := in.Columns[path[0]].Chunks
	parts := slices.Grow(buf, len(chunks))
	for _, chunk := range chunks {
		rows := min(chunk.Len(), left)
		if rows == 0 {
			continue
		}
		left -= rows
		v := newSlice(chunk.Data(), rows)
		for _, field := range path[1:] {
			v = v.child(field)
		}
		parts = append(parts, v)
	}
	return parts
}

// newSlice returns the first rows of data.
func newSlice(data arrow.ArrayData, rows int) arraySlice {
	v := arraySlice{data: data, first: data.Offset(), rows: rows}
	v.masks = v.ownMask(nil)
	return v
}

// child returns a field of a slice of structs. Children do not include the offset of their parent.
func (v arraySlice) child(field int) arraySlice {
	data := v.data.Children()[field]
	c := arraySlice{data: data, first: v.first + data.Offset(), rows: v.rows}
	c.masks = c.ownMask(v.masks)
	return c
}

// ownMask returns masks and the validity of the slice, if it may have nulls.
func (v arraySlice) ownMask(masks []mask) []mask {
	if bits := v.buffer(0); len(bits) > 0 && v.data.NullN() != 0 {
		return append(masks[:len(masks):len(masks)], mask{bits, v.first})
	}
	return masks
}

// buffer returns the i-th buffer of the array, nil when it has none.
func (v arraySlice) buffer(i int) []byte { return arraydata.Bytes(v.data, i) }

// validity returns a bitmap whose bit offset, below 8, belongs to the first row. It is borrowed when the slice has one
// mask whose bits lie right; else it is made.
func (r *RawColumns) validity(v arraySlice, offset int) ([]byte, error) {
	for _, m := range v.masks {
		if 8*len(m.bits) < m.first+v.rows {
			return nil, fmt.Errorf("%w: an array of type %s has validity for %d rows where there are %d",
				arrow.ErrInvalid, v.data.DataType(), 8*len(m.bits), m.first+v.rows)
		}
	}
	switch {
	case len(v.masks) == 0:
		return nil, nil
	case len(v.masks) == 1 && v.masks[0].first%8 == offset:
		return v.masks[0].bits[v.masks[0].first/8:], nil
	}
	merged, err := r.temporary((offset + v.rows + 7) / 8)
	if err != nil {
		return nil, err
	}
	for i := range merged {
		merged[i] = 0xff
	}
	for _, m := range v.masks {
		buffers.And(merged, offset, m.bits, m.first, v.rows)
	}
	return merged, nil
}

// Values are the rows of a leaf as raw buffers: of a dictionary its indices, which need not be in range, and the
// dictionary of each chunk. Run-end-encoded rows are expanded. Lists and unions are slices of arrays.
type Values struct {
	keyencode.Column
	Dictionaries []arrow.ArrayData // of each chunk; nil when the column has none
	Slices       []NestedRows      // of each chunk of lists or unions, whose column has validity only
}

// Plain returns the type of the values that a column of a Sortable type stands for, when dictionaries and runs are
// resolved. An extension type is kept where its storage is plain.
func Plain(typ arrow.DataType) arrow.DataType {
	switch t := arraydata.Storage(typ).(type) {
	case *arrow.DictionaryType:
		return Plain(t.ValueType)
	case *arrow.RunEndEncodedType:
		return Plain(t.Encoded())
	}
	return typ
}

// Layout returns kind and width of the values of a Plain type that is Sortable.
func Layout(typ arrow.DataType) (kind keyencode.Kind, width int) {
	l, _ := layoutOf(typ)
	return l.kind, l.width
}

// Values returns the rows of a leaf of an input, whose type must be Sortable.
// Those of a key with a function or a collation are what these make of them.
func (r *RawColumns) Values(in *Input, leaf Leaf) (Values, error) {
	if !leaf.Derived() {
		return r.values(leaf.Type, in.parts(leaf.Path, nil))
	}
	typ, parts, err := r.plainParts(in, leaf)
	if err != nil {
		return Values{}, err
	}
	keys, err := r.derived(typ, parts, leaf.derivation())
	return Values{Column: keys}, err
}

// PlainValues returns the rows of a leaf of an input, whose type must be Sortable, as raw buffers of its Plain type:
// dictionaries and runs are resolved.
func (r *RawColumns) PlainValues(in *Input, leaf Leaf) (keyencode.Column, error) {
	typ, parts, err := r.plainParts(in, leaf)
	if err != nil {
		return keyencode.Column{}, err
	}
	l, _ := layoutOf(typ)
	return r.column(l, parts)
}

// plainParts returns the rows of a leaf as slices of its Plain type.
func (r *RawColumns) plainParts(in *Input, leaf Leaf) (typ arrow.DataType, parts []arraySlice, err error) {
	typ, parts = leaf.Type, in.parts(leaf.Path, nil)
	for {
		if typ, parts, err = r.withoutRuns(typ, parts); err != nil {
			return nil, nil, err
		}
		t, ok := arraydata.Storage(typ).(*arrow.DictionaryType)
		if !ok {
			return typ, parts, nil
		}
		typ = t.ValueType
		if parts, err = r.entriesOf(t, parts); err != nil {
			return nil, nil, err
		}
	}
}

func (r *RawColumns) values(typ arrow.DataType, parts []arraySlice) (Values, error) {
	typ, parts, err := r.withoutRuns(typ, parts)
	if err != nil {
		return Values{}, err
	}
	if _, nested := NestedFields(typ); nested {
		return r.nestedValues(parts)
	}
	l, _ := layoutOf(typ)
	column, err := r.column(l, parts)
	if arraydata.Storage(typ).ID() != arrow.DICTIONARY {
		return Values{Column: column}, err
	}
	dictionaries := make([]arrow.ArrayData, len(parts))
	for i, v := range parts {
		dictionaries[i] = v.data.Dictionary()
	}
	return Values{Column: column, Dictionaries: dictionaries}, err
}

// withoutRuns expands slices of runs.
func (r *RawColumns) withoutRuns(typ arrow.DataType, parts []arraySlice) (arrow.DataType, []arraySlice, error) {
	t, ok := arraydata.Storage(typ).(*arrow.RunEndEncodedType)
	if !ok {
		return typ, parts, nil
	}
	plain, err := r.expandRuns(parts)
	return t.Encoded(), plain, err
}

// expandRuns turns slices of runs into slices of plain values, which the RawColumns hold.
func (r *RawColumns) expandRuns(parts []arraySlice) ([]arraySlice, error) {
	var plain []arraySlice
	for _, v := range parts {
		arrays, err := take.Expand(r.ctx, v.data, v.first, v.rows, take.Options{Allocator: r.mem, Threads: r.threads})
		if err != nil {
			return nil, err
		}
		plain = append(plain, r.hold(arrays, v.masks)...)
	}
	return plain, nil
}

// hold takes over arrays that have the values of the rows of a slice, with its masks, and returns slices of them.
func (r *RawColumns) hold(arrays []arrow.Array, masks []mask) (parts []arraySlice) {
	for _, a := range arrays {
		r.Hold(a)
	}
	done := 0
	for _, a := range arrays {
		if a.Len() == 0 {
			continue
		}
		v := newSlice(a.Data(), a.Len())
		for _, m := range masks {
			v.masks = append(v.masks, mask{m.bits, m.first + done})
		}
		done += a.Len()
		parts = append(parts, v)
	}
	return parts
}

// temporary is memory that is held until Release.
func (r *RawColumns) temporary(n int) ([]byte, error) {
	if err := r.ctx.Err(); err != nil {
		return nil, err
	}
	b, err := engine.Allocate(r.mem, n)
	if b != nil {
		r.temp = append(r.temp, b)
	}
	return b, err
}

// zeros is temporary memory of n zero bytes.
func (r *RawColumns) zeros(n int) ([]byte, error) {
	b, err := r.temporary(n)
	clear(b)
	return b, err
}

// tileRows is the number of rows that one worker converts at a time.
const tileRows = 1 << 16

// eachTile runs f for rows lo..hi-1 of n.
func (r *RawColumns) eachTile(n int, f func(lo, hi int) error) error {
	return workers.Each(r.ctx, (n+tileRows-1)/tileRows, r.threads, func(tile int) error {
		return f(tile*tileRows, min(n, (tile+1)*tileRows))
	})
}
