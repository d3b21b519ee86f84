package rowcode

import (
	"context"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/internal/workers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// Encode returns the rows of the keys of data that has the columns of the format. The caller releases them. Errors are
// those of rows.Converter.Encode.
func (f *Format) Encode(ctx context.Context, in *adapter.Input, opts Options) (*Rows, error) {
	e := newEncoder(ctx, in.Rows, opts)
	defer e.release()
	if err := e.open(f.leaves, in); err != nil {
		return nil, err
	}
	return e.encode(e.sources, e.rows)
}

// AppendRow appends the bytes of data of one row to dst. Temporary memory comes from Go.
func (f *Format) AppendRow(dst []byte, one *adapter.Input) ([]byte, error) {
	e := newEncoder(context.Background(), one.Rows, Options{Allocator: memory.NewGoAllocator(), Threads: 1})
	defer e.release()
	if err := e.open(f.leaves, one); err != nil {
		return dst, err
	}
	var t tile
	var width [1]int64
	t.measure(e.sources, width[:], 0)
	t.out = slices.Grow(dst, int(width[0]))[:len(dst)+int(width[0])]
	t.pos[0] = len(dst)
	t.put(e.sources, 0, 1)
	return t.out, nil
}

// An encoder is one encoding on its way.
type encoder struct {
	ctx     context.Context
	opts    Options
	rows    int
	raw     adapter.RawColumns
	sources []source
	tables  []*Rows // encoded entries of dictionaries
}

func newEncoder(ctx context.Context, rows int, opts Options) *encoder {
	e := &encoder{ctx: ctx, opts: opts, rows: rows}
	e.raw.Start(ctx, adapter.Options{Allocator: opts.Allocator, Threads: opts.Threads})
	return e
}

func (e *encoder) release() {
	for _, t := range e.tables {
		t.Release()
	}
	e.raw.Release()
}

// open makes the sources of the leaves.
func (e *encoder) open(leaves []leaf, in *adapter.Input) error {
	e.sources = make([]source, len(leaves))
	for i := range leaves {
		l := &leaves[i]
		values, err := e.raw.Values(in, l.Leaf)
		if err == nil {
			e.sources[i], err = e.source(l, values)
		}
		if err != nil {
			return fmt.Errorf("key %s of type %s: %w", l.Name, l.Type, err)
		}
		if has := values.Rows(); has != e.rows {
			return fmt.Errorf("%w: key %s has %d rows, the data has %d", arrow.ErrInvalid, l.Name, has, e.rows)
		}
	}
	return nil
}

// encode makes n rows of the sources: their widths, which add up to offsets, then their bytes.
func (e *encoder) encode(sources []source, n int) (*Rows, error) {
	b := allocations{mem: e.opts.Allocator}
	rows, err := b.newRows(e.ctx, n)
	if err != nil {
		return nil, err
	}
	ends := rows.Offsets[1:]
	scratch := make([]*tile, workers.Count(e.opts.Threads))
	err = e.tiles(scratch, n, func(t *tile, lo, n int) { t.measure(sources, ends[lo:lo+n], lo) })
	if err != nil {
		b.release()
		return nil, err
	}
	// A tile's ends are measured from its beginning: the tiles come one after the other.
	starts, total := tileStarts(ends)
	data, err := b.allocate(e.ctx, int(total))
	if err == nil {
		err = e.tiles(scratch, n, func(t *tile, lo, n int) {
			t.out = data.Bytes()
			t.place(ends[lo:lo+n], starts[lo/tileRows])
			t.put(sources, lo, n)
		})
	}
	if err != nil {
		b.release()
		return nil, err
	}
	return b.finish(rows, data), nil
}

// measure writes where each row ends, from the start of the tile: of len(ends) rows from row lo on.
func (t *tile) measure(sources []source, ends []int64, lo int) {
	fixed, end := 0, int64(0)
	for i := range sources {
		fixed += sources[i].bytes
	}
	for i := range ends {
		end += int64(fixed)
		ends[i] = end
	}
	for i := range sources {
		if s := &sources[i]; s.varies() {
			before := int64(0)
			s.each(lo, len(ends), func(k *chunk, at, from, n int) {
				before = k.add(t, at, ends[from:from+n], before)
			})
		}
	}
}

// place adds the start of the tile to the ends of its rows; the positions become the starts of the rows.
func (t *tile) place(ends []int64, start int64) {
	at := int(start)
	for i := range ends {
		t.pos[i] = at
		ends[i] += start
		at = int(ends[i])
	}
}

// put writes n rows from row lo on. Only what varies moves the positions of rows on; what is ahead of a leaf, apart
// from that, has the same size in all rows.
func (t *tile) put(sources []source, lo, n int) {
	ahead := 0
	for i := range sources {
		s, out := &sources[i], t.out[ahead:]
		s.each(lo, n, func(k *chunk, at, from, n int) { k.put(t, out, at, t.pos[from:from+n]) })
		ahead += s.bytes
	}
}

// add adds the bytes of rows from row at of the chunk on, and of the rows before them, to where the rows end. Of the
// rows before there are before bytes; it returns those of all.
func (k *chunk) add(t *tile, at int, ends []int64, before int64) int64 {
	switch {
	case k.entries != nil:
		for i := range ends {
			before += int64(len(k.entry(at + i)))
			ends[i] += before
		}
		return before
	case k.nested():
		return k.addNested(t, at, ends, before)
	}
	return k.addTexts(t, at, ends, before)
}

// put writes the leaf of rows from row at of the chunk on to their positions, which those that vary move on.
func (k *chunk) put(t *tile, out []byte, at int, pos []int) {
	switch {
	case k.format == formatNone:
	case k.entries != nil:
		k.putEntries(out, at, pos)
	case k.format == formatBool:
		k.putBools(out, at, pos)
	case k.format == formatWord:
		k.putInts(out, at, pos)
	case k.format == formatFloat:
		k.putFloats(t, out, at, pos)
	case k.format == formatDecimal:
		k.putDecimals(out, at, pos)
	case k.format == formatBytes:
		k.putBytes(out, at, pos)
	case k.format == formatText:
		k.putTexts(t, out, at, pos)
	case k.nested():
		k.putNested(t, out, at, pos)
	}
}

// tiles runs f on all tiles of n rows.
func (e *encoder) tiles(scratch []*tile, n int, f func(t *tile, lo, n int)) error {
	return eachTile(e.ctx, scratch, n, e.opts.Threads, func(t *tile, lo, n int) error {
		f(t, lo, n)
		return nil
	})
}

// source makes a source of values. The entries of dictionaries are encoded here: rows have copies of them.
func (e *encoder) source(l *leaf, values adapter.Values) (source, error) {
	starts := buffers.NewChunks(len(values.Chunks), func(i int) int { return values.Chunks[i].Rows })
	s := source{leaf: l, chunks: make([]chunk, len(values.Chunks)), starts: starts}
	for i, c := range values.Chunks {
		bare := c
		bare.Validity = nil
		k := &s.chunks[i]
		k.leaf, k.Chunk = l, c
		k.values = keyencode.Column{Kind: values.Kind, Width: values.Width, Chunks: []keyencode.Chunk{bare}}
		k.indexBytes = k.values.ValueBytes()
		if values.Slices != nil {
			if err := e.openNested(k, values.Slices[i]); err != nil {
				return s, err
			}
		}
	}
	return s, e.addEntries(&s, values)
}

// addEntries encodes the entries of the dictionaries of a source that its rows use: those from the first one to the
// last one. Neighbouring chunks with one dictionary share them.
func (e *encoder) addEntries(s *source, values adapter.Values) error {
	for i := 0; i < len(values.Dictionaries); {
		dictionary := values.Dictionaries[i]
		first, last, end := dictionary.Len(), -1, i
		for ; end < len(s.chunks) && values.Dictionaries[end] == dictionary; end++ {
			lo, hi, err := s.chunks[end].usedEntries(e, dictionary.Len())
			if err != nil {
				return fmt.Errorf("chunk %d: %w", end, err)
			}
			first, last = min(first, lo), max(last, hi)
		}
		table, err := e.encodeEntries(s.leaf, dictionary, first, last-first+1)
		if err != nil {
			return err
		}
		for ; i < end; i++ {
			s.chunks[i].entries, s.chunks[i].first = table, first
		}
	}
	return nil
}

// encodeEntries encodes n entries of a dictionary, from entry first on.
func (e *encoder) encodeEntries(l *leaf, dictionary arrow.ArrayData, first, n int) (*Rows, error) {
	if n <= 0 {
		return &Rows{Offsets: []int64{0}}, nil
	}
	values, err := e.raw.ChildValues(dictionary, first, n, nil)
	if err != nil {
		return nil, fmt.Errorf("the dictionary: %w", err)
	}
	entries, err := e.source(l, values)
	if err != nil {
		return nil, fmt.Errorf("the dictionary: %w", err)
	}
	table, err := e.encode([]source{entries}, n)
	if err == nil {
		e.tables = append(e.tables, table)
	}
	return table, err
}

// usedEntries returns the first and the last entry that rows refer to: none when the first is after the last.
func (k *chunk) usedEntries(e *encoder, entries int) (first, last int, err error) {
	first, last = entries, -1
	for lo := 0; lo < k.Rows; lo += tileRows {
		if err := e.ctx.Err(); err != nil {
			return 0, 0, err
		}
		for i := lo; i < min(k.Rows, lo+tileRows); i++ {
			if !k.valid(i) {
				continue
			}
			index := k.index(i)
			if index >= uint64(entries) {
				return 0, 0, fmt.Errorf("%w: row %d: index %d in a dictionary of %d entries",
					arrow.ErrInvalid, i, index, entries)
			}
			first, last = min(first, int(index)), max(last, int(index))
		}
	}
	return first, last, nil
}
