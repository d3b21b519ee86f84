//go:build cuda && linux && amd64

package keys

import (
	"slices"

	"github.com/arrowsort/arrowsort/gpu/internal/abi"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/host"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A Text is where the strings of a column lie on the device, its chunks contiguous.
type Text struct {
	Starts driver.Ptr // u64[rows+1]: where each row's bytes begin; 0 for FixedSizeBinary
	Data   driver.Ptr
}

// Text uploads the strings of a column, unless they are on the device: Binary and LargeBinary as they are, BinaryView
// once the host has copied its strings side by side. ok is false if there is no memory for them.
func (s *Columns) Text(at int) (t Text, ok bool) { return s.text(at, s.AllocAll) }

// An allocation allocates memory of all sizes, or returns false.
type allocation func(sizes ...int) ([]driver.Ptr, bool)

func (s *Columns) text(at int, alloc allocation) (t Text, ok bool) {
	if s.Failed() {
		return t, false
	}
	c, src := s.Column(at), &s.Job.Columns[at]
	switch {
	case src.Kind == keyencode.FixedSizeBinary:
		return Text{Data: c.Values}, true
	case c.text != Text{}:
		return c.text, true
	case src.Kind == keyencode.BinaryView:
		c.text, ok = s.uploadViews(src, alloc)
	default:
		c.text, ok = s.uploadOffsets(src, alloc)
	}
	return c.text, ok
}

// uploadOffsets uploads the offsets and bytes of all chunks.
func (s *Columns) uploadOffsets(c *keyencode.Column, alloc allocation) (t Text, ok bool) {
	width, chunks, longest := host.OffsetBytes(c.Kind), host.Filled(c), 0
	for _, k := range chunks {
		longest = max(longest, k.Rows)
	}
	room, ok := alloc(8*(s.Rows+1), host.TextBytes(c), width*(longest+1))
	if !ok {
		return t, false
	}
	t, offsets := Text{room[0], room[1]}, room[2]
	row, at := 0, 0
	for _, k := range chunks {
		s.Upload(offsets, k.Values[k.Offset*width:(k.Offset+k.Rows+1)*width])
		s.Launch("text_starts", s.Blocks(k.Rows), uint64(offsets), uint64(width), uint64(k.Rows), uint64(at),
			uint64(t.Starts)+uint64(8*row))
		if begin, end := host.TextRange(c, &k); end > begin {
			s.Upload(t.Data+driver.Ptr(at), k.Data[0][begin:end])
			at += end - begin
		}
		row += k.Rows
	}
	s.Free(offsets)
	s.markFree()
	return t, true
}

// uploadViews uploads the strings of views. They are copied to memory of the host that is freed when the sort ends.
func (s *Columns) uploadViews(c *keyencode.Column, alloc allocation) (t Text, ok bool) {
	starts, data, err := host.CopyStrings(s.Workers, s.buffers, c)
	s.Fail(err)
	room, ok := alloc(8*(s.Rows+1), len(data))
	if !ok {
		return t, false
	}
	s.Upload(room[0], buffers.Bytes(starts))
	s.Upload(room[1], data)
	return Text{room[0], room[1]}, true
}

// TextKey describes a key of strings for kernels.
func (s *Columns) TextKey(key keyencode.Key) abi.Text {
	src := &s.Job.Columns[key.Column]
	t, _ := s.text(key.Column, func(sizes ...int) (room []driver.Ptr, ok bool) {
		for _, size := range sizes {
			room = append(room, s.Alloc(size))
		}
		return room, !s.Failed()
	})
	c := s.Column(key.Column)
	return abi.Text{
		Starts: uint64(t.Starts), Width: uint64(src.ValueBytes()), Data: uint64(t.Data),
		Validity: uint64(c.Validity), Bit: c.Bit, Reference: uint64(host.FirstValid(src)),
		Descending: uint64(key.Order), NullsAtStart: uint64(key.Nulls),
	}
}

// isGathered reports whether a column is part of the result.
func (s *Columns) isGathered(at int) bool { return slices.Contains(s.Job.Gather, at) }
