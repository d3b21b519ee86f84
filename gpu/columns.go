//go:build cuda && linux && amd64

package gpu

import (
	"slices"
	"unsafe"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/gpu/internal/device"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/host"
	"github.com/arrowsort/arrowsort/gpu/internal/stream"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// keyColumns are the columns of a job on the device: keys, and columns that are gathered.
type keyColumns struct {
	*device.Task
	job     *engine.Job
	rows    int
	columns map[int]*column
	ranks   map[int]driver.Ptr // dictionary keys as ranks
	prefetcher
}

// newKeyColumns are the columns of a job, of which none is on the device. early are those that prefetch uploads.
func newKeyColumns(t *device.Task, job *engine.Job, early []int) *keyColumns {
	s := &keyColumns{Task: t, job: job, rows: job.Rows, columns: map[int]*column{}, ranks: map[int]driver.Ptr{},
		prefetcher: prefetcher{early: early}}
	t.OnPressure(s.dropArrivals)
	return s
}

// A column is a column of the job on the device, its chunks contiguous.
type column struct {
	values   driver.Ptr
	valueBit uint64     // of Bool: position of row 0 in values
	validity driver.Ptr // a bitmap; 0 when there is none
	bit      uint64     // position of row 0 in validity
}

// column uploads a column, unless it is on the device.
func (s *keyColumns) column(at int) *column {
	if c := s.columns[at]; c != nil {
		return c
	}
	src := &s.job.Columns[at]
	c := &column{}
	chunks := host.Filled(src)
	if host.Nullable(src) {
		c.validity, c.bit = s.uploadBits(chunks, func(k *keyencode.Chunk) []byte { return k.Validity })
	}
	switch {
	case src.Kind == keyencode.Bool:
		c.values, c.valueBit = s.uploadBits(chunks, func(k *keyencode.Chunk) []byte { return k.Values })
	case s.arrivals[at] != nil:
		c.values = s.await(at)
	case src.ValueBytes() > 0:
		c.values = s.Alloc(s.rows * src.ValueBytes())
		uploadValues(&s.Copier, c.values, chunks, src.ValueBytes())
	}
	s.columns[at] = c
	return c
}

// releaseKeys frees the key columns that are not gathered, and ranks.
func (s *keyColumns) releaseKeys() {
	for _, key := range s.job.Keys {
		if !slices.Contains(s.job.Gather, key.Column) {
			s.release(key.Column)
		}
		s.Free(s.ranks[key.Column])
		delete(s.ranks, key.Column)
	}
}

// release frees a column on the device.
func (s *keyColumns) release(at int) {
	if c := s.columns[at]; c != nil {
		s.Free(c.values, c.validity)
		delete(s.columns, at)
	}
}

// uploadValues uploads the values of chunks contiguously.
func uploadValues(m *stream.Copier, dst driver.Ptr, chunks []keyencode.Chunk, width int) {
	for _, k := range chunks {
		m.Upload(dst, k.Values[k.Offset*width:(k.Offset+k.Rows)*width])
		dst += driver.Ptr(k.Rows * width)
	}
}

// uploadBits uploads bitmaps: a single one as it is, several shifted to be contiguous. A chunk without a bitmap has
// ones.
func (s *keyColumns) uploadBits(chunks []keyencode.Chunk, bitmap func(*keyencode.Chunk) []byte) (driver.Ptr, uint64) {
	if len(chunks) == 1 {
		return s.uploadBitmap(&chunks[0], bitmap(&chunks[0]))
	}
	dst, at := s.Zeros(s.rows/8+8), 0
	for i := range chunks {
		k := &chunks[i]
		src, bit := s.uploadBitmap(k, bitmap(k))
		s.Launch("copy_bits", s.Blocks(k.Rows/32), uint64(src), bit, uint64(k.Rows), uint64(dst), uint64(at))
		s.Free(src)
		at += k.Rows
	}
	s.markFree()
	return dst, 0
}

// uploadBitmap uploads the bytes of a bitmap that hold a chunk's rows; it returns 0 for no bitmap.
func (s *keyColumns) uploadBitmap(k *keyencode.Chunk, bitmap []byte) (p driver.Ptr, bit uint64) {
	if bitmap == nil {
		return 0, 0
	}
	bytes := bitmap[k.Offset/8 : (k.Offset+k.Rows+7)/8]
	p = s.Alloc(len(bytes))
	s.Clear(p+driver.Ptr(len(bytes)&^7), 8) // kernels read whole words
	s.Upload(p, bytes)
	return p, uint64(k.Offset % 8)
}

// ranks returns the ranks of the entries of a dictionary column: 4 bytes for each row, 0 for null.
func (s *keyColumns) uploadRanks(src *keyencode.Column, c *column) driver.Ptr {
	dst := s.Alloc(4 * s.rows)
	width, at := src.ValueBytes(), 0
	var last []uint32
	var ranks driver.Ptr
	for _, k := range host.Filled(src) {
		// Chunks often share a dictionary. Empty slices may begin where another slice does.
		if ranks == 0 || len(k.Ranks) != len(last) || unsafe.SliceData(k.Ranks) != unsafe.SliceData(last) {
			s.Free(ranks)
			ranks, last = s.Alloc(4*len(k.Ranks)), k.Ranks
			s.Upload(ranks, buffers.Bytes(k.Ranks))
		}
		s.Launch("look_up_ranks", s.Blocks(k.Rows), uint64(c.values)+uint64(at*width), uint64(width),
			uint64(c.validity), c.bit+uint64(at), uint64(ranks), uint64(k.Rows), uint64(dst)+uint64(4*at))
		at += k.Rows
	}
	s.Free(ranks)
	s.markFree()
	return dst
}
