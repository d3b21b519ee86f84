package payload

import (
	"sync/atomic"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/keys"
	"github.com/arrowsort/arrowsort/internal/arena"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/internal/workers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A Column is a gathered column: the movers that move it and how they become its buffers.
type Column struct {
	chunked
	Values   *Mover   // values of fixed width, in the result's buffer
	Bits     *Mover   // validity and Bool values as bytes; nil when no row is null, or when validity says which
	Strings  *Strings // values of variable width as words
	Validity []byte   // of the only key: its nulls are one run of the sorted rows
	nulls    int      // zeros of validity
}

// NewColumn makes column i of the keys' job, with memory for the rows of the result.
func NewColumn(pool *workers.Pool, mem *arena.Arena, k *keys.Keys, i, rows int) (*Column, error) {
	src := &k.Columns[i]
	c := &Column{chunked: newChunked(src)}
	if src.ValueBytes() > 0 {
		c.Values = newFixed(c.chunked)
		if err := c.Values.Allocate(mem, rows); err != nil {
			return nil, err
		}
		// entries may be null, too
		if len(k.Keys) == 1 && k.Keys[0].Column == i && src.Kind < keyencode.Dictionary8 {
			return c, c.placeNulls(mem, k, rows)
		}
	}
	nullable, err := c.nullable(pool)
	if err != nil {
		return nil, err
	}
	if src.Kind == keyencode.Binary || src.Kind == keyencode.LargeBinary {
		if c.Strings, err = newStrings(pool, c.chunked, nullable); err != nil {
			return nil, err
		}
		if d := k.Dictionaries[i]; d != nil {
			c.Strings.moveAsIndices(d)
		}
		return c, c.Strings.Mover.Allocate(mem, rows)
	}
	if nullable || src.Kind == keyencode.Bool {
		c.Bits = newBits(c.chunked)
		return c, c.Bits.Allocate(mem, rows)
	}
	return c, nil
}

// placeNulls writes the validity of the only key, whose nulls are the last or the first rows.
func (c *Column) placeNulls(mem *arena.Arena, k *keys.Keys, rows int) (err error) {
	nulls := k.Plan.Statistics(0).Nulls
	if nulls == 0 {
		return nil
	}
	if c.Validity, err = mem.Bytes((rows + 7) / 8); err != nil {
		return err
	}
	clear(c.Validity)
	if k.Keys[0].Nulls == keyencode.NullsAtStart {
		c.nulls = min(nulls, rows)
		buffers.SetRange(c.Validity, c.nulls, rows)
		return nil
	}
	c.nulls = max(0, rows-(k.Rows-nulls))
	buffers.SetRange(c.Validity, 0, rows-c.nulls)
	return nil
}

// Cut leaves the first rows of the validity of the only key.
func (c *Column) Cut(mem *arena.Arena, rows int) (err error) {
	if c.Validity == nil {
		return nil
	}
	if c.Validity, err = mem.Shrink(c.Validity, (rows+7)/8); err != nil {
		return err
	}
	if rows&7 != 0 {
		c.Validity[rows>>3] &= 1<<(rows&7) - 1
	}
	if c.nulls = buffers.CountZeros(c.Validity, 0, rows); c.nulls == 0 {
		mem.Free(c.Validity)
		c.Validity = nil
	}
	return nil
}

// Movers returns all movers of the column.
func (c *Column) Movers() (ls []*Mover) {
	if c.Values != nil {
		ls = append(ls, c.Values)
	}
	if c.Bits != nil {
		ls = append(ls, c.Bits)
	}
	if c.Strings != nil {
		ls = append(ls, c.Strings.Mover)
	}
	return ls
}

// nullable reports whether any row is null: a bitmap may have no zeros.
func (c *Column) nullable(pool *workers.Pool) (bool, error) {
	for i := range c.Chunks {
		k := &c.Chunks[i]
		if k.Validity == nil {
			continue
		}
		for lo := 0; lo < k.Rows; lo += keys.TileRows {
			if pool.Stopped() {
				return false, pool.Ctx.Err()
			}
			if n := min(keys.TileRows, k.Rows-lo); buffers.CountZeros(k.Validity, k.Offset+lo, n) > 0 {
				return true, nil
			}
		}
	}
	return false, nil
}

// Unpack turns the sorted movers into the buffers of the result.
func (c *Column) Unpack(pool *workers.Pool, mem *arena.Arena) (engine.Column, error) {
	if c.Strings != nil {
		return c.Strings.Unpack(pool, mem, nil, nil)
	}
	var col engine.Column
	if c.Values != nil {
		col.Values = c.Values.Out
	}
	if col.Nulls = c.nulls; c.nulls > 0 {
		col.Validity = c.Validity
	}
	if c.Bits == nil || len(c.Bits.Out) == 0 {
		return col, nil
	}
	rows := len(c.Bits.Out)
	var err error
	if col.Validity, err = mem.Bytes((rows + 7) / 8); err != nil {
		return col, err
	}
	if c.Kind == keyencode.Bool {
		if col.Values, err = mem.Bytes((rows + 7) / 8); err != nil {
			return col, err
		}
	}
	var nulls atomic.Int64
	err = pool.Tiles(rows, keys.TileRows, func(_, lo, hi int) {
		buffers.PackBits(col.Validity[lo/8:(hi+7)/8], c.Bits.Out[lo:hi], 1)
		nulls.Add(int64(buffers.CountZeros(col.Validity[lo/8:(hi+7)/8], 0, hi-lo)))
		if c.Kind == keyencode.Bool {
			buffers.PackBits(col.Values[lo/8:(hi+7)/8], c.Bits.Out[lo:hi], 0)
		}
	})
	mem.Free(c.Bits.Out)
	if col.Nulls = int(nulls.Load()); col.Nulls == 0 {
		mem.Free(col.Validity)
		col.Validity = nil
	}
	return col, err
}

// moveAsIndices lets a column move as the indices of a dictionary, whose words are in a table.
func (t *Strings) moveAsIndices(d *keys.Dictionary) {
	t.table = make([]uint64, len(d.Rows))
	t.Mover.Take(buffers.Bytes(t.table), d.Rows)
	t.table[0] = t.null()
	t.Mover = newFixed(newChunked(&d.Indices))
}
