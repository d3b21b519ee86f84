package rows

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/internal/workers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// Encode returns the rows of the keys of a record, a table, an array or a chunked array, which must have the columns
// that the converter was made for. Columns that are no keys may be anything. The caller releases the rows.
//
// It fails with arrowsort.ErrColumn or ErrOption when a column is missing or has another type, with arrow.ErrInvalid
// when the buffers of an array contradict each other, with an error that matches engine.ErrMemory, or with the
// context's, as a rule within 50 ms of its end.
func (c *Converter) Encode(ctx context.Context, data arrowsort.Data, opts Options) (*Rows, error) {
	opts, err := opts.resolved(ctx)
	if err != nil {
		return nil, err
	}
	in, err := c.input(data)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	e := newEncoder(ctx, &in, opts)
	defer e.release()
	if err := e.open(c.leaves); err != nil {
		return nil, err
	}
	return e.encode(e.sources, e.rows)
}

// AppendRow appends the bytes of one row to dst and returns the longer slice. The data and the errors are as those of
// Encode; a row that is not in the data is arrowsort.ErrIndex. Temporary memory comes from Go. For many rows use
// Encode: each call of AppendRow prepares all key columns.
func (c *Converter) AppendRow(dst []byte, data arrowsort.Data, row int) ([]byte, error) {
	in, err := c.input(data)
	if err != nil {
		return dst, err
	}
	if row < 0 || row >= in.Rows {
		return dst, fmt.Errorf("%w: row %d of %d", arrowsort.ErrIndex, row, in.Rows)
	}
	one, held, err := c.rowOf(&in, row)
	defer func() { adapter.ReleaseAll([][]arrow.Array{held}) }()
	if err != nil {
		return dst, err
	}
	e := newEncoder(context.Background(), &one, Options{Allocator: memory.NewGoAllocator(), Threads: 1})
	defer e.release()
	if err := e.open(c.leaves); err != nil {
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
	in      *adapter.Input
	raw     adapter.RawColumns
	sources []source
	tables  []*Rows // encoded entries of dictionaries
}

func newEncoder(ctx context.Context, in *adapter.Input, opts Options) *encoder {
	e := &encoder{ctx: ctx, opts: opts, rows: in.Rows, in: in}
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
func (e *encoder) open(leaves []leaf) error {
	e.sources = make([]source, len(leaves))
	for i := range leaves {
		l := &leaves[i]
		values, err := e.raw.Values(e.in, l.Leaf)
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
	offsetBytes, err := b.allocate(e.ctx, (n+1)*arrow.Int64SizeBytes)
	if err != nil {
		return nil, err
	}
	offsets := arrow.Int64Traits.CastFromBytes(offsetBytes.Bytes())
	ends := offsets[1:]
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
		offsets[0] = 0
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
	return owned(data, offsetBytes, offsets), nil
}

// tiles runs f on all tiles of n rows.
func (e *encoder) tiles(scratch []*tile, n int, f func(t *tile, lo, n int)) error {
	return eachTile(e.ctx, scratch, n, e.opts.Threads, func(t *tile, lo, n int) error {
		f(t, lo, n)
		return nil
	})
}

// tilesPerTask are the tiles that a worker does without asking for more: some 100 microseconds of work.
const tilesPerTask = 8

// eachTile runs f on all tiles of n rows, with scratch memory of the worker, which it makes.
func eachTile(
	ctx context.Context, scratch []*tile, n, threads int, f func(t *tile, lo, n int) error,
) error {
	const step = tilesPerTask * tileRows
	return workers.Run(ctx, (n+step-1)/step, threads, func(worker, i int) error {
		if scratch[worker] == nil {
			scratch[worker] = new(tile)
		}
		for lo := i * step; lo < min(n, (i+1)*step) && ctx.Err() == nil; lo += tileRows {
			if err := f(scratch[worker], lo, min(tileRows, n-lo)); err != nil {
				return err
			}
		}
		return nil
	})
}

// tileStarts returns the places where tiles begin whose rows end at the given places of their tile, and the end of all.
func tileStarts[O int32 | int64](ends []O) (starts []int64, total int64) {
	starts = make([]int64, 0, (len(ends)+tileRows-1)/tileRows)
	for lo := 0; lo < len(ends); lo += tileRows {
		starts = append(starts, total)
		total += int64(ends[min(lo+tileRows, len(ends))-1])
	}
	return starts, total
}

// A source is the rows of a leaf.
type source struct {
	*leaf
	chunks []chunk
	starts buffers.Chunks
}

// A chunk is a chunk of a source.
type chunk struct {
	*leaf
	keyencode.Chunk
	values     keyencode.Column // the chunk without its validity
	indexBytes int              // of a dictionary
	escapes    atomic.Bool      // strings with bytes to escape were measured
	entries    *Rows            // of a dictionary, encoded, from entry first on; nil for values
	first      int
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
	}
	return s, e.addEntries(&s, values)
}

// each calls f for the runs of n rows from row lo on that lie in one chunk: n of them from row at of the chunk on,
// which are from rows after row lo.
func (s *source) each(lo, n int, f func(k *chunk, at, from, n int)) {
	if n == 0 {
		return
	}
	for from, i := 0, s.starts.Find(lo); from < n; i++ {
		run := min(n-from, s.starts[i+1]-lo-from)
		f(&s.chunks[i], lo+from-s.starts[i], from, run)
		from += run
	}
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
		return &Rows{offsets: []int64{0}}, nil
	}
	values, err := e.raw.EntryValues(dictionary, first, n)
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

// valid reports whether row i is not null.
func (k *chunk) valid(i int) bool {
	return k.Validity == nil || buffers.Bit(k.Validity, k.Offset+i)
}
