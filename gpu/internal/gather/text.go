//go:build cuda && linux && amd64

package gather

import (
	"fmt"
	"math"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/gpu/internal/device"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/host"
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

// A deviceText is a string column on the device.
type deviceText struct {
	starts driver.Ptr // u64[rows+1]: where each row's bytes begin
	data   driver.Ptr
}

// uploadText uploads a string column, its chunks contiguous. ok is false if there is no memory for it.
func (g *Gatherer) uploadText(c *keyencode.Column) (t deviceText, ok bool) {
	width, chunks, longest := host.OffsetBytes(c.Kind), host.Filled(c), 0
	for _, k := range chunks {
		longest = max(longest, k.Rows)
	}
	room, ok := g.AllocAll(8*(g.rows+1), host.TextBytes(c), width*(longest+1))
	if !ok {
		return t, false
	}
	t, offsets := deviceText{room[0], room[1]}, room[2]
	row, at := 0, 0
	for _, k := range chunks {
		g.Upload(offsets, k.Values[k.Offset*width:(k.Offset+k.Rows+1)*width])
		g.Launch("text_starts", g.Blocks(k.Rows), uint64(offsets), uint64(width), uint64(k.Rows), uint64(at),
			uint64(t.starts)+uint64(8*row))
		if begin, end := host.TextRange(c, &k); end > begin {
			g.Upload(t.data+driver.Ptr(at), k.Data[0][begin:end])
			at += end - begin
		}
		row += k.Rows
	}
	g.Free(offsets)
	return t, true
}

// Text gathers the string column of a number: lengths, whose sums are the offsets, then bytes. It returns both and the
// number of bytes. ok is false if there is no memory for it.
func (g *Gatherer) Text(at int, src *keyencode.Column, validity driver.Ptr, bit uint64) (
	offsets, data driver.Ptr, bytes int, ok bool) {
	width, tiles := host.OffsetBytes(src.Kind), (g.Out+kernels.TextTile-1)/kernels.TextTile
	t, ok := g.uploadText(src)
	if !ok {
		return 0, 0, 0, false
	}
	defer g.Free(t.starts, t.data)
	room, ok := g.AllocAll(4*g.Out, 8*(tiles+1), width*(g.Out+1))
	if !ok {
		return 0, 0, 0, false
	}
	lengths, sums, offsets := room[0], room[1], room[2]
	g.Launch("text_lengths", tiles, uint64(t.starts), uint64(validity), bit, uint64(g.Order), uint64(g.Out),
		uint64(lengths), uint64(sums))
	g.Launch("text_sums", 1, uint64(sums), uint64(tiles))
	g.Launch("text_offsets", tiles, uint64(lengths), uint64(g.Out), uint64(sums), uint64(width), uint64(offsets))
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
		g.Launch("text_copy", g.Blocks(bytes/8+1), uint64(t.starts), uint64(g.Order), uint64(offsets), uint64(width),
			uint64(g.Out), uint64(t.data), uint64(gathered[0]), uint64(bytes))
		g.Moves(4 * bytes)
	}
	return offsets, gathered[0], bytes, true
}
