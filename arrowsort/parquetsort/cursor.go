package parquetsort

import (
	"context"
	"io"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/keyencode"
)

// encodeRows is the number of rows whose codes are made at once.
const encodeRows = 1 << 10

// A cursor stands on a row of sorted rows. It holds the leading code words of the piece that the row is in; the words
// behind are made when another cursor's row ties, and kept while it stands.
type cursor struct {
	source tables
	piece  arrow.Table // nil behind the last row
	first  uint32      // row number of the piece's first row among the rows to gather
	row    int
	codes  []uint64
	plan   *keyencode.Plan // on the piece
	mem    heldMemory      // of the piece's keys
	later  []uint64        // code words behind the leading one, in the order in which Plan.Next names them
}

// load steps to the first row of the next piece that has rows. It forgets the piece before, which the caller releases.
func (c *cursor) load(ctx context.Context, plan *keyencode.Plan, keys []arrowsort.Key) error {
	c.piece, c.row, c.later = nil, 0, c.later[:0]
	c.mem.release()
	piece, err := c.source.next(ctx)
	for err == nil && piece.NumRows() == 0 {
		piece.Release()
		piece, err = c.source.next(ctx)
	}
	if err == io.EOF {
		return nil
	}
	if err != nil {
		return err
	}
	c.piece = piece
	return keyColumns(ctx, piece, keys, &c.mem, func(job *engine.Job) error {
		c.plan = plan.On(job.Columns)
		if cap(c.codes) < job.Rows {
			c.codes = make([]uint64, job.Rows)
		}
		c.codes = c.codes[:job.Rows]
		for lo := 0; lo < job.Rows; lo += encodeRows {
			c.plan.Encode(c.codes[lo:min(lo+encodeRows, job.Rows)], lo)
		}
		return nil
	})
}

// word is the i-th code word of the row, counted in the order in which words decide; false when it has no more.
func (c *cursor) word(i int) (uint64, bool) {
	if i == 0 {
		return c.codes[c.row], true
	}
	if i <= len(c.later)/2 {
		return c.later[2*i-1], true
	}
	number, code := 0, c.codes[c.row]
	if n := len(c.later); n > 0 {
		number, code = int(c.later[n-2]), c.later[n-1]
	}
	if number >= c.plan.Words() {
		return 0, false
	}
	next := c.plan.Next(number, code)
	if next >= c.plan.Words() {
		return 0, false
	}
	row, word := [1]uint32{uint32(c.row)}, [1]uint64{}
	c.plan.EncodeRows(word[:], next, row[:])
	c.later = append(c.later, uint64(next), word[0])
	return word[0], true
}

// compare orders the rows of two cursors by their codes.
func (c *cursor) compare(d *cursor) int {
	for i := 0; ; i++ {
		a, ok := c.word(i)
		b, _ := d.word(i) // words that tie are followed by the same words
		switch {
		case !ok:
			return 0
		case a < b:
			return -1
		case a > b:
			return 1
		}
	}
}

// step goes to the next row of the piece; false when there is none.
func (c *cursor) step() bool {
	c.row++
	c.later = c.later[:0]
	return c.row < len(c.codes)
}

func (c *cursor) close() {
	c.mem.release()
	c.source.close()
}
