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

// Text uploads the strings of a column of Binary or LargeBinary, unless they are on the device. ok is false if there is
// no memory for them.
func (s *Columns) Text(at int) (t Text, ok bool) {
	if s.Failed() {
		return t, false
	}
	c, src := s.Column(at), &s.Job.Columns[at]
	if c.text == (Text{}) {
		starts, data, offsets := textSizes(src)
		room, ok := s.AllocAll(starts, data, offsets)
		if !ok {
			return t, false
		}
		c.text = s.uploadOffsets(src, Text{room[0], room[1]}, room[2])
	}
	return c.text, true
}

// keyText uploads the strings of a key, unless they are on the device: Binary and LargeBinary as they are, BinaryView
// once the host has copied its strings side by side.
func (s *Columns) keyText(at int) Text {
	c, src := s.Column(at), &s.Job.Columns[at]
	switch {
	case src.Kind == keyencode.FixedSizeBinary:
		return Text{Data: c.Values}
	case c.text != Text{} || s.Failed():
	case src.Kind == keyencode.BinaryView:
		c.text = s.uploadViews(src)
	default:
		starts, data, offsets := textSizes(src)
		c.text = s.uploadOffsets(src, Text{s.Alloc(starts), s.Alloc(data)}, s.Alloc(offsets))
	}
	return c.text
}

// textSizes are the bytes of the starts and of the strings of a column, and of the offsets of its longest chunk.
func textSizes(c *keyencode.Column) (starts, data, offsets int) {
	longest := 0
	for _, k := range c.Chunks {
		longest = max(longest, k.Rows)
	}
	return 8 * (c.Rows() + 1), host.TextBytes(c), host.OffsetBytes(c.Kind) * (longest + 1)
}

// uploadOffsets uploads the bytes of all chunks to t, and their starts by way of their offsets, whose memory it frees.
func (s *Columns) uploadOffsets(c *keyencode.Column, t Text, offsets driver.Ptr) Text {
	width, row, at := host.OffsetBytes(c.Kind), 0, 0
	for _, k := range host.Filled(c) {
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
	return t
}

// uploadViews uploads the strings of views. They are copied to memory of the host that is freed when the sort ends.
func (s *Columns) uploadViews(c *keyencode.Column) Text {
	starts, data, err := host.CopyStrings(s.Workers, s.mem, c)
	s.Fail(err)
	t := Text{s.Alloc(8 * (s.Rows + 1)), s.Alloc(len(data))}
	s.Upload(t.Starts, buffers.Bytes(starts))
	s.Upload(t.Data, data)
	return t
}

// TextKey describes a key of strings for kernels.
func (s *Columns) TextKey(key keyencode.Key) abi.Text {
	src, t, c := &s.Job.Columns[key.Column], s.keyText(key.Column), s.Column(key.Column)
	return abi.Text{
		Starts: uint64(t.Starts), Width: uint64(src.ValueBytes()), Data: uint64(t.Data),
		Validity: uint64(c.Validity), Bit: c.Bit, Reference: uint64(host.FirstValid(src)),
		Descending: uint64(key.Order), NullsAtStart: uint64(key.Nulls),
	}
}

// isGathered reports whether the device gathers a column.
func (s *Columns) isGathered(at int) bool { return slices.Contains(s.Job.Gather, at) }
