package rowcode

import (
	"context"
	"fmt"
	"math"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/internal/workers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// Decode returns the keys of rows: the data of an array for each one, structs as structs. The caller releases them.
// Errors are those of rows.Converter.Decode.
func (f *Format) Decode(ctx context.Context, rows *Rows, opts Options) ([]arrow.ArrayData, error) {
	return f.decode(ctx, rows, opts, false)
}

// decode is Decode; inner rows are elements, of which some stand for nulls.
func (f *Format) decode(ctx context.Context, rows *Rows, opts Options, inner bool) ([]arrow.ArrayData, error) {
	d := &decoder{
		ctx: ctx, opts: opts, rows: rows, n: rows.Len(), inner: inner, allocations: allocations{mem: opts.Allocator},
	}
	defer d.release()
	d.scratch = make([]*tile, workers.Count(opts.Threads))
	if err := d.open(f.leaves); err != nil {
		return nil, err
	}
	if err := d.measure(); err != nil {
		return nil, err
	}
	if err := d.eachTile(d.take); err != nil {
		return nil, err
	}
	for i := range d.columns {
		if err := d.columns[i].decodeElements(d); err != nil {
			return nil, err
		}
	}
	return d.assembleAll(f.columns)
}

// release releases all but what the arrays hold.
func (d *decoder) release() {
	for i := range d.columns {
		arraydata.Release(d.columns[i].children)
	}
	d.allocations.release()
}

// A decoder is one decoding on its way.
type decoder struct {
	allocations
	ctx     context.Context
	opts    Options
	rows    *Rows
	n       int
	inner   bool // rows are elements
	width   int  // bytes of the leaves of fixed width
	varies  bool // there are others
	columns []column
	scratch []*tile
}

func (d *decoder) eachTile(f func(t *tile, lo, n int) error) error {
	return eachTile(d.ctx, d.scratch, d.n, d.opts.Threads, f)
}

// open allocates the columns, but for the bytes of strings.
func (d *decoder) open(leaves []leaf) error {
	d.columns = make([]column, len(leaves))
	for i := range leaves {
		d.columns[i].leaf = &leaves[i]
		if err := d.columns[i].open(d); err != nil {
			return err
		}
		d.width += leaves[i].bytes
		d.varies = d.varies || leaves[i].varies()
	}
	return nil
}

// open allocates what has the same size for each row.
func (c *column) open(d *decoder) (err error) {
	if c.format == formatNone {
		c.nulls.Store(int64(d.n))
		return nil
	}
	if c.validity, err = d.allocate(d.ctx, (d.n+7)/8); err != nil {
		return err
	}
	if c.nested() {
		places, err := d.allocate(d.ctx, d.n*arrow.Int64SizeBytes)
		if err == nil {
			c.places = arrow.Int64Traits.CastFromBytes(places.Bytes())
		}
		return err
	}
	size := d.n * c.width
	switch c.kind {
	case keyencode.Bool:
		size = (d.n + 7) / 8
	case keyencode.Binary, keyencode.LargeBinary:
		size = (d.n + 1) * c.width
	}
	if c.values, err = d.allocate(d.ctx, size); err != nil || c.format != formatText {
		return err
	}
	ends := c.values // the offsets after the first one
	switch c.kind {
	case keyencode.LargeBinary:
		c.wideEnds = arrow.Int64Traits.CastFromBytes(ends.Bytes())
		c.wideEnds[0], c.wideEnds = 0, c.wideEnds[1:]
		return nil
	case keyencode.BinaryView:
		if ends, err = d.allocate(d.ctx, (d.n+1)*arrow.Int32SizeBytes); err != nil {
			return err
		}
	}
	c.ends = arrow.Int32Traits.CastFromBytes(ends.Bytes())
	c.ends[0], c.ends = 0, c.ends[1:]
	return nil
}

// openTexts allocates the bytes of strings, once their ends are known by tile.
func (c *column) openTexts(d *decoder) (err error) {
	if c.format != formatText {
		return nil
	}
	total := int64(0)
	if c.wide() {
		c.starts, total = tileStarts(c.wideEnds)
	} else {
		c.starts, total = tileStarts(c.ends)
	}
	if err := c.checkTextBytes(total); err != nil {
		return err
	}
	c.data, err = d.allocate(d.ctx, int(total))
	return err
}

// measure checks that rows have the bytes that their leaves take, and finds where the strings of a column end.
func (d *decoder) measure() error {
	if !d.varies {
		return d.eachTile(d.checkWidths)
	}
	if err := d.eachTile(d.measureTile); err != nil {
		return err
	}
	for i := range d.columns {
		if err := d.columns[i].openTexts(d); err != nil {
			return err
		}
	}
	return nil
}

func (d *decoder) checkWidths(_ *tile, lo, n int) error {
	offsets := d.rows.Offsets[lo : lo+n+1]
	for i := range n {
		if offsets[i+1]-offsets[i] != int64(d.width) {
			return d.malformed(lo + i)
		}
	}
	return nil
}

// measureTile follows the leaves through n rows from row lo on.
func (d *decoder) measureTile(t *tile, lo, n int) error {
	d.start(t, lo, n)
	ends := d.rows.Offsets[lo+1 : lo+n+1]
	skip := 0 // bytes of fixed width since the positions
	for i := range d.columns {
		c := &d.columns[i]
		if !c.varies() {
			skip += c.bytes
			continue
		}
		if c.nested() {
			if bad := c.skipRows(d.rows.Data, t.pos[:n], skip, ends); bad >= 0 {
				return d.malformed(lo + bad)
			}
			skip = 0
			continue
		}
		bad, total := c.measure(d.rows.Data, t.pos[:n], skip, ends, lo)
		if bad >= 0 {
			return d.malformed(lo + bad)
		}
		if err := c.checkTextBytes(int64(total)); err != nil {
			return err
		}
		skip = 0
	}
	for i, end := range ends {
		if at := int64(t.pos[i] + skip); at != end {
			return d.malformed(lo + i)
		}
	}
	return nil
}

// start sets the positions to the starts of n rows from row lo on.
func (d *decoder) start(t *tile, lo, n int) {
	for i, o := range d.rows.Offsets[lo : lo+n] {
		t.pos[i] = int(o)
	}
}

// take reads the values of n rows from row lo on, which are measured.
func (d *decoder) take(t *tile, lo, n int) error {
	d.start(t, lo, n)
	for i := range d.columns {
		c := &d.columns[i]
		if bad := c.take(t, d.rows.Data, lo, n); bad >= 0 {
			return d.malformed(lo + bad)
		}
	}
	return nil
}

// take reads n rows from row lo of the result on from their positions, which move on. It returns a row that is
// malformed, counted from row lo, or -1.
func (c *column) take(t *tile, data []byte, lo, n int) (bad int) {
	if c.format == formatNone {
		return -1
	}
	valid := c.validity.Bytes()[lo/8 : (lo+n+7)/8]
	for i := range valid {
		valid[i] = 0xff
	}
	pos := t.pos[:n]
	nulls := 0
	switch c.format {
	case formatText:
		nulls, bad = c.takeTexts(data, pos, valid, lo), -1
	case formatList, formatTuple, formatUnion:
		nulls, bad = c.takePlaces(data, pos, valid, lo), -1
	case formatBool:
		nulls, bad = c.takeValues(t, c.values.Bytes()[lo/8:], data, pos, valid)
	default:
		nulls, bad = c.takeValues(t, c.values.Bytes()[lo*c.width:], data, pos, valid)
	}
	c.nulls.Add(int64(nulls))
	return bad
}

// takeValues is take for values of fixed width.
func (c *column) takeValues(t *tile, values, data []byte, pos []int, valid []byte) (nulls, bad int) {
	switch c.format {
	case formatBool:
		return c.takeBools(values, data, pos, valid)
	case formatWord:
		return c.takeWords(t, values, data, pos, valid)
	case formatFloat:
		return c.takeFloats(t, values, data, pos, valid)
	}
	return c.takeFixed(values, data, pos, valid)
}

// malformed names the first key of a row that does not have its bytes. Columns are read one by one, and those of fixed
// width after the strings, so that the key that stopped the reading may be a later one.
func (d *decoder) malformed(row int) error {
	bytes := d.rows.Row(row)
	at := 0
	for i := range d.columns {
		c := &d.columns[i]
		n := c.skip(bytes[at:], true)
		if n < 0 {
			return fmt.Errorf("%w: row %d does not have the bytes of key %s of type %s in its place",
				ErrRow, row, c.Name, c.Type)
		}
		at += n
	}
	return fmt.Errorf("%w: row %d has %d bytes after the %d of its keys", ErrRow, row, len(bytes)-at, at)
}

// checkTextBytes returns an error where one array cannot hold the bytes of its strings.
func (c *column) checkTextBytes(total int64) error {
	if c.wide() || total <= math.MaxInt32 {
		return nil
	}
	return fmt.Errorf("%w: key %s of type %s has %d bytes of strings; decode fewer rows at once",
		errkind.ErrOffsets, c.Name, c.Type, total)
}
