package extsort

import (
	"cmp"
	"context"
	"io"
	"sort"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/internal/buffers"
)

// A TableStream is sorted rows, a table at a time. Next ends with io.EOF; the caller releases the tables.
type TableStream interface {
	Next(ctx context.Context) (arrow.Table, error)
	Close()
}

// singleTable is a stream of one table.
type singleTable struct{ table arrow.Table }

func (o *singleTable) Next(context.Context) (arrow.Table, error) {
	if o.table == nil {
		return nil, io.EOF
	}
	table := o.table
	o.table = nil
	return table, nil
}

func (o *singleTable) Close() {
	if o.table != nil {
		o.table.Release()
	}
}

// rebatch joins or cuts tables so that each has the same number of rows, or fewer where they reach a number of bytes,
// and one chunk per column.
type rebatch struct {
	source   TableStream
	opts     *Options
	schema   *arrow.Schema
	rows     int64         // of a piece
	bytes    int64         // of a piece; 0: any
	left     int64         // rows that are wanted in all
	parts    []arrow.Table // of the next piece
	buffered int64         // their rows
	size     int64         // their bytes
	in       arrow.Table   // that is cut; nil before the first
	at       int64         // its rows that are cut off
	names    PartNames     // of its rows; nil: there are no parts
	part     string        // that the rows of the piece are in
}

func newRebatch(source TableStream, schema *arrow.Schema, rows, bytes int64, opts *Options) *rebatch {
	g := &rebatch{source: source, opts: opts, schema: schema, rows: rows, bytes: bytes, left: 1<<63 - 1}
	if opts.Limit > 0 {
		g.left = opts.Limit
	}
	return g
}

func (g *rebatch) Next(ctx context.Context) (arrow.Table, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	for want := min(g.rows, g.left); g.buffered < want && !g.full(); {
		if err := g.load(ctx); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		n, err := g.rowsOfPart()
		if err != nil {
			return nil, err
		}
		if n == 0 {
			break
		}
		if err := g.cut(ctx, min(n, want-g.buffered)); err != nil {
			return nil, err
		}
	}
	if g.buffered == 0 {
		return nil, io.EOF
	}
	out := arraydata.Concatenate(g.schema, g.parts)
	g.drop()
	g.left -= out.NumRows()
	for i := range int(out.NumCols()) {
		if len(out.Column(i).Data().Chunks()) > 1 {
			defer out.Release()
			return CopyTable(ctx, out, g.opts.taking())
		}
	}
	return out, nil
}

// full reports whether the next piece has its bytes.
func (g *rebatch) full() bool { return g.bytes > 0 && g.buffered > 0 && g.size >= g.bytes }

// load reads the next table when the last one is cut up.
func (g *rebatch) load(ctx context.Context) (err error) {
	for g.in == nil || g.at == g.in.NumRows() {
		g.dropInput()
		if g.in, err = g.source.Next(ctx); err != nil {
			g.in = nil
			return err
		}
		if g.opts.PartOf != nil {
			g.names = g.opts.PartOf(g.in)
		}
	}
	return nil
}

// rowsOfPart returns the number of the next rows of the table that are in the part of the piece, or in the next part
// where it has no rows.
func (g *rebatch) rowsOfPart() (int64, error) {
	all := g.in.NumRows() - g.at
	if g.names == nil {
		return all, nil
	}
	part, err := g.names(g.at)
	if err != nil {
		return 0, err
	}
	if g.buffered > 0 && part != g.part {
		return 0, nil
	}
	g.part = part
	return gallop(all, func(n int64) (bool, error) {
		part, err := g.names(g.at + n)
		return part == g.part, err
	})
}

// gallop returns how many of some numbers from 0 on are inside: all that precede the first that is not. 0 is.
func gallop(all int64, inside func(n int64) (bool, error)) (int64, error) {
	var failed error
	outside := func(n int64) (is bool) {
		if failed == nil {
			is, failed = inside(n)
			is = !is
		}
		return is || failed != nil
	}
	first, last := int64(1), int64(1) // the first that is outside is one of these, or all
	for last < all && !outside(last) {
		first, last = last+1, min(2*last+1, all)
	}
	n := sort.Search(int(last-first), func(i int) bool { return outside(first + int64(i)) })
	return first + int64(n), failed
}

// cut takes up to n rows from the table. Its last rows are copied if they are few: a slice would keep the whole table
// in memory.
func (g *rebatch) cut(ctx context.Context, n int64) error {
	all := g.in.NumRows()
	n = min(n, all-g.at)
	if g.bytes > 0 {
		n = min(n, FittingRows(g.in, g.at, g.bytes-g.size))
	}
	part := arraydata.SliceTable(g.in, g.at, g.at+n)
	g.at += n
	g.size += arraydata.TableBytes(part)
	if g.at == all && n < g.rows && n < all/2 {
		copied, err := CopyTable(ctx, part, g.opts.taking())
		part.Release()
		if err != nil {
			return err
		}
		part = copied
	}
	g.parts = append(g.parts, part)
	g.buffered += n
	return nil
}

func (g *rebatch) drop() {
	arraydata.Release(g.parts)
	g.parts, g.buffered, g.size = nil, 0, 0
}

func (g *rebatch) dropInput() {
	if g.in != nil {
		g.in.Release()
	}
	g.in, g.at = nil, 0
}

func (g *rebatch) Close() {
	g.drop()
	g.dropInput()
	g.source.Close()
}

// TakeRows returns the rows of a table with some numbers, in their order.
func TakeRows(ctx context.Context, table arrow.Table, rows []uint64, opts arrowsort.Options) (arrow.Table, error) {
	numbers := numberArray(arrow.PrimitiveTypes.Uint64, len(rows), memory.NewBufferBytes(buffers.Bytes(rows)))
	defer numbers.Release()
	return arrowsort.Take(ctx, table, numbers, opts)
}

// CopyTable returns a table with a copy of the rows, each column in one chunk unless its strings pass 2 GiB.
func CopyTable(ctx context.Context, table arrow.Table, opts arrowsort.Options) (arrow.Table, error) {
	rows, err := identity(table.NumRows(), cmp.Or(opts.Allocator, memory.DefaultAllocator))
	if err != nil {
		return nil, err
	}
	defer rows.Release()
	return arrowsort.Take(ctx, table, rows, opts)
}

// CopyRow is KeyedRows of a copy of one row of a table.
func CopyRow(ctx context.Context, table arrow.Table, row int64, keys []arrowsort.Key,
	opts arrowsort.Options) (*KeyedRows, error) {
	one := arraydata.SliceTable(table, row, row+1)
	defer one.Release()
	copied, err := CopyTable(ctx, one, opts)
	if err != nil {
		return nil, err
	}
	return newKeyedRows(ctx, copied, keys, opts.Allocator)
}

// identity returns the numbers of n rows.
func identity(n int64, mem memory.Allocator) (arrow.Array, error) {
	return newNumbers(arrow.PrimitiveTypes.Uint32, n, mem, func(b []byte) {
		rows := buffers.View[uint32](b)
		for i := range rows {
			rows[i] = uint32(i)
		}
	})
}

// newNumbers returns n numbers, whose bytes fill writes.
func newNumbers(typ arrow.DataType, n int64, mem memory.Allocator, fill func(b []byte)) (arrow.Array, error) {
	bytes, err := engine.Allocate(mem, int(n)*typ.(arrow.FixedWidthDataType).Bytes())
	if err != nil {
		return nil, err
	}
	fill(bytes)
	numbers := memory.NewBufferWithAllocator(bytes, mem)
	defer numbers.Release()
	return numberArray(typ, int(n), numbers), nil
}

func numberArray(typ arrow.DataType, n int, numbers *memory.Buffer) arrow.Array {
	return arraydata.NewArray(array.NewData(typ, n, []*memory.Buffer{nil, numbers}, nil, 0, 0))
}

// FittingRows returns the number of rows of a table, from a row on, that take about some bytes at most; one at least.
func FittingRows(table arrow.Table, first, bytes int64) (n int64) {
	const least = 4 // bytes of a row, so that few rows are looked at
	for n = max(min(table.NumRows()-first, bytes/least), 1); n > 1; {
		part := arraydata.SliceTable(table, first, first+n)
		takes := arraydata.TableBytes(part)
		part.Release()
		if takes <= bytes+bytes/16 {
			break
		}
		n = max(int64(float64(n)*float64(bytes)/float64(takes)), 1)
	}
	return n
}
