//go:build cuda && linux && amd64

// Package keys has the columns of a job on the device: uploads, fields of codes, statistics.
package keys

import (
	"unsafe"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/gpu/internal/device"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/host"
	"github.com/arrowsort/arrowsort/gpu/internal/stream"
	"github.com/arrowsort/arrowsort/internal/arena"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// Columns are the columns of a job on the device: keys, and columns that are gathered.
type Columns struct {
	*device.Task
	Job      *engine.Job
	Rows     int
	OnDevice map[int]*Column
	ranks    map[int]driver.Ptr // dictionary keys as ranks
	mem      *arena.Arena       // of the host
	prefetcher
}

// NewColumns are the columns of a job, of which none is on the device. early are those that Prefetch uploads.
func NewColumns(t *device.Task, job *engine.Job, mem *arena.Arena, early []int) *Columns {
	s := &Columns{Task: t, Job: job, Rows: job.Rows, OnDevice: map[int]*Column{}, ranks: map[int]driver.Ptr{},
		mem: mem, prefetcher: prefetcher{early: early}}
	t.OnPressure(s.dropArrivals)
	return s
}

// A Column is a column of the job on the device, its chunks contiguous.
type Column struct {
	Values   driver.Ptr
	ValueBit uint64     // of Bool: position of row 0 in values
	Validity driver.Ptr // a bitmap; 0 when there is none
	Bit      uint64     // position of row 0 in validity
	text     Text
}

// Column uploads a column, unless it is on the device.
func (s *Columns) Column(at int) *Column {
	if c := s.OnDevice[at]; c != nil {
		return c
	}
	src := &s.Job.Columns[at]
	c := &Column{}
	chunks := host.Filled(src)
	if host.Nullable(src) {
		c.Validity, c.Bit = s.uploadBits(chunks, func(k *keyencode.Chunk) []byte { return k.Validity })
	}
	switch {
	case src.Kind == keyencode.Bool:
		c.Values, c.ValueBit = s.uploadBits(chunks, func(k *keyencode.Chunk) []byte { return k.Values })
	case s.arrivals[at] != nil:
		c.Values = s.await(at)
	case src.Kind == keyencode.BinaryView && !s.isGathered(at): // its strings are read elsewhere
	case src.ValueBytes() > 0:
		c.Values = s.Alloc(s.Rows * src.ValueBytes())
		UploadValues(&s.Copier, c.Values, chunks, src.ValueBytes())
	}
	s.OnDevice[at] = c
	return c
}

// ReleaseKeys frees the key columns that the device does not gather, the strings of views, which are gathered as views,
// and ranks.
func (s *Columns) ReleaseKeys() {
	for _, key := range s.Job.Keys {
		if !s.isGathered(key.Column) {
			s.Release(key.Column)
		} else if c := s.OnDevice[key.Column]; c != nil && s.Job.Columns[key.Column].Kind == keyencode.BinaryView {
			s.Free(c.text.Starts, c.text.Data)
			c.text = Text{}
		}
		s.Free(s.ranks[key.Column])
		delete(s.ranks, key.Column)
	}
}

// Release frees a column on the device.
func (s *Columns) Release(at int) {
	if c := s.OnDevice[at]; c != nil {
		s.Free(c.Values, c.Validity, c.text.Starts, c.text.Data)
		delete(s.OnDevice, at)
	}
}

// Take returns the values of a column on the device, which are the caller's from then on, and frees the rest of it.
func (s *Columns) Take(at int) (values driver.Ptr) {
	c := s.OnDevice[at]
	values, c.Values = c.Values, 0
	s.Release(at)
	return values
}

// UploadValues uploads the values of chunks contiguously.
func UploadValues(m *stream.Copier, dst driver.Ptr, chunks []keyencode.Chunk, width int) {
	for _, k := range chunks {
		m.Upload(dst, k.Values[k.Offset*width:(k.Offset+k.Rows)*width])
		dst += driver.Ptr(k.Rows * width)
	}
}

// uploadBits uploads bitmaps: a single one as it is, several shifted to be contiguous. A chunk without a bitmap has
// ones.
func (s *Columns) uploadBits(chunks []keyencode.Chunk, bitmap func(*keyencode.Chunk) []byte) (driver.Ptr, uint64) {
	if len(chunks) == 1 {
		return s.uploadBitmap(&chunks[0], bitmap(&chunks[0]))
	}
	dst, at := s.Zeros(s.Rows/8+8), 0
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
func (s *Columns) uploadBitmap(k *keyencode.Chunk, bitmap []byte) (p driver.Ptr, bit uint64) {
	if bitmap == nil {
		return 0, 0
	}
	bytes := bitmap[k.Offset/8 : (k.Offset+k.Rows+7)/8]
	p = s.Alloc(len(bytes))
	s.Clear(p+driver.Ptr(len(bytes)&^7), 8) // kernels read whole words
	s.Upload(p, bytes)
	return p, uint64(k.Offset % 8)
}

// uploadRanks returns the ranks of the entries of a dictionary column: 4 bytes for each row, 0 for null.
func (s *Columns) uploadRanks(src *keyencode.Column, c *Column) driver.Ptr {
	dst := s.Alloc(4 * s.Rows)
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
		s.Launch("look_up_ranks", s.Blocks(k.Rows), uint64(c.Values)+uint64(at*width), uint64(width),
			uint64(c.Validity), c.Bit+uint64(at), uint64(ranks), uint64(k.Rows), uint64(dst)+uint64(4*at))
		at += k.Rows
	}
	s.Free(ranks)
	s.markFree()
	return dst
}
