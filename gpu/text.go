//go:build cuda && linux && amd64

package gpu

import (
	"fmt"
	"math"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/kernels"
	"github.com/arrowsort/arrowsort/keyencode"
)

func isText(k keyencode.Kind) bool { return k == keyencode.Binary || k == keyencode.LargeBinary }

func offsetBytes(k keyencode.Kind) int {
	if k == keyencode.Binary {
		return 4
	}
	return 8
}

// textRange is the range of a chunk's string bytes.
func textRange(c *keyencode.Column, k *keyencode.Chunk) (begin, end int) {
	if c.Kind == keyencode.Binary {
		offsets := buffers.View[int32](k.Values)
		return int(offsets[k.Offset]), int(offsets[k.Offset+k.Rows])
	}
	offsets := buffers.View[int64](k.Values)
	return int(offsets[k.Offset]), int(offsets[k.Offset+k.Rows])
}

// textOnDevice reports whether the device gathers a string column: there is likely to be memory for it, and no chunk
// has 4 GiB of strings.
func (s *sorter) textOnDevice(c *keyencode.Column) bool {
	if s.rows < s.tuning.TextRows {
		return false
	}
	for _, k := range filled(c) {
		if begin, end := textRange(c, &k); uint64(end-begin) > math.MaxUint32 {
			return false
		}
	}
	return s.hasMemory(2*textBytes(c) + (sortBytes+32)*s.rows)
}

// textBytes is the size of all strings of a column.
func textBytes(c *keyencode.Column) (bytes int) {
	for _, k := range filled(c) {
		begin, end := textRange(c, &k)
		bytes += end - begin
	}
	return bytes
}

// A text is a string column on the device.
type text struct {
	starts driver.Ptr // u64[rows+1]: where each row's bytes begin
	data   driver.Ptr
}

// uploadText uploads a string column, its chunks contiguous. ok is false if there is no memory for it.
func (s *sorter) uploadText(c *keyencode.Column) (t text, ok bool) {
	width, chunks, longest := offsetBytes(c.Kind), filled(c), 0
	for _, k := range chunks {
		longest = max(longest, k.Rows)
	}
	room, ok := s.allocAll(8*(s.rows+1), textBytes(c), width*(longest+1))
	if !ok {
		return t, false
	}
	t, offsets := text{room[0], room[1]}, room[2]
	row, at := 0, 0
	for _, k := range chunks {
		s.Upload(offsets, k.Values[k.Offset*width:(k.Offset+k.Rows+1)*width])
		s.launch("text_starts", s.blocks(k.Rows), uint64(offsets), uint64(width), uint64(k.Rows), uint64(at),
			uint64(t.starts)+uint64(8*row))
		if begin, end := textRange(c, &k); end > begin {
			s.Upload(t.data+driver.Ptr(at), k.Data[0][begin:end])
			at += end - begin
		}
		row += k.Rows
	}
	s.free(offsets)
	return t, true
}

// gatherText gathers a string column of the job's list: lengths, whose sums are the offsets, then bytes. The buffer for
// the bytes is allocated in between, when their number is known. If the device lacks memory the host gathers the
// column.
func (s *sorter) gatherText(i int, c *column) {
	at := s.job.Gather[i]
	src, dst := &s.job.Columns[at], &s.result.Columns[i]
	width, tiles := offsetBytes(src.Kind), (s.out+kernels.TextTile-1)/kernels.TextTile
	t, ok := s.uploadText(src)
	if !ok {
		s.gatherLater(at)
		return
	}
	defer s.free(t.starts, t.data)
	room, ok := s.allocAll(4*s.out, 8*(tiles+1), width*(s.out+1))
	if !ok {
		s.gatherLater(at)
		return
	}
	lengths, sums, offsets := room[0], room[1], room[2]
	s.launch("text_lengths", tiles, uint64(t.starts), uint64(c.validity), c.bit, uint64(s.order), uint64(s.out),
		uint64(lengths), uint64(sums))
	s.launch("text_sums", 1, uint64(sums), uint64(tiles))
	s.launch("text_offsets", tiles, uint64(lengths), uint64(s.out), uint64(sums), uint64(width), uint64(offsets))
	s.Moves(80 * s.out)
	bytes := int(s.Words(sums+driver.Ptr(8*tiles), 1)[0])
	s.free(lengths, sums)
	if width == 4 && bytes > math.MaxInt32 {
		s.Fail(fmt.Errorf("column %d: %w: %d bytes", at, engine.ErrOffsets, bytes))
	}
	gathered, ok := s.allocAll(bytes)
	if !ok {
		s.free(offsets)
		s.gatherLater(at)
		return
	}
	s.prepared(len(s.job.Gather))
	var err error
	if !s.Failed() {
		dst.Data, err = s.buffers.Bytes(bytes)
		s.Fail(err)
	}
	if bytes > 0 {
		s.launch("text_copy", s.blocks(bytes/8+1), uint64(t.starts), uint64(s.order), uint64(offsets), uint64(width),
			uint64(s.out),
			uint64(t.data), uint64(gathered[0]), uint64(bytes))
		s.Moves(4 * bytes)
	}
	s.deliver(dst.Values, offsets)
	s.deliver(dst.Data, gathered[0])
}

// gatherLater makes the host gather a column for which the device lacks memory.
func (s *sorter) gatherLater(at int) {
	s.prepared(len(s.job.Gather)) // no other goroutine uses the allocator or onHost any more
	s.onHost[at] = true
	if s.numbers == nil && !s.Failed() {
		s.numbers = s.hostNumbers()
	}
}
