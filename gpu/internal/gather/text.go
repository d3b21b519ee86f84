//go:build cuda && linux && amd64

package gather

import (
	"fmt"
	"math"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/gpu/internal/device"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/host"
	"github.com/arrowsort/arrowsort/gpu/internal/keys"
	"github.com/arrowsort/arrowsort/kernels"
	"github.com/arrowsort/arrowsort/keyencode"
)

// TextFits reports whether a device gathers a string column: there is likely to be memory for it, and no chunk has 4
// GiB of strings.
func TextFits(t *device.Task, c *keyencode.Column, rows int) bool {
	if rows < t.Tuning.TextRows {
		return false
	}
	for _, k := range host.Filled(c) {
		if begin, end := host.TextRange(c, &k); uint64(end-begin) > math.MaxUint32 {
			return false
		}
	}
	return t.HasMemory(2*host.TextBytes(c) + (device.SortBytes+32)*rows)
}

// Text gathers the string column of a number and a kind: lengths, whose sums are the offsets, then bytes. It returns
// both and the number of bytes. ok is false if there is no memory for it.
func (g *Gatherer) Text(at int, kind keyencode.Kind, t keys.Text, c *keys.Column) (
	offsets, data driver.Ptr, bytes int, ok bool) {
	width, tiles := host.OffsetBytes(kind), (g.Out+kernels.TextTile-1)/kernels.TextTile
	room, ok := g.AllocAll(4*g.Out, 8*(tiles+1), width*(g.Out+1))
	if !ok {
		return 0, 0, 0, false
	}
	lengths, sums, offsets := room[0], room[1], room[2]
	g.Launch("text_lengths", tiles, t.Starts, c.Validity, c.Bit, g.Order, g.Out, lengths, sums)
	g.Launch("text_sums", 1, sums, tiles)
	g.Launch("text_offsets", tiles, lengths, g.Out, sums, width, offsets)
	g.Moves(80 * g.Out)
	bytes = int(g.Words(sums+driver.Ptr(8*tiles), 1)[0])
	g.Free(lengths, sums)
	if width == 4 && bytes > math.MaxInt32 {
		g.Fail(fmt.Errorf("column %d: %w: %d bytes", at, engine.ErrOffsets, bytes))
	}
	gathered, ok := g.AllocAll(bytes)
	if !ok {
		g.Free(offsets)
		return 0, 0, 0, false
	}
	if bytes > 0 {
		g.Launch("text_copy", g.Blocks(bytes/8+1), t.Starts, g.Order, offsets, width, g.Out, t.Data, gathered[0], bytes)
		g.Moves(4 * bytes)
	}
	return offsets, gathered[0], bytes, true
}
