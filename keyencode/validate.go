package keyencode

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/arrowsort/arrowsort/internal/buffers"
)

// Validate checks that the buffers of a column hold its rows, so that nothing that reads or gathers them can leave
// their bounds: it is the gate for columns from files and callers. Offsets are checked in one read, views where their
// row is valid. Dictionary indices are checked against Ranks where there are any; ValidateKey insists on them. Errors
// wrap ErrColumn, or ErrKind for an unknown kind, and name chunk and row.
func Validate(c *Column) error {
	if c.Kind > Dictionary64 {
		return fmt.Errorf("%w: %d", ErrKind, c.Kind)
	}
	if c.Kind == FixedSizeBinary && c.Width < 0 {
		return fmt.Errorf("%w: values of %d bytes", ErrColumn, c.Width)
	}
	total := 0
	for i := range c.Chunks {
		if err := c.validateChunk(&c.Chunks[i]); err != nil {
			return fmt.Errorf("%w: chunk %d: %w", ErrColumn, i, err)
		}
		if total += c.Chunks[i].Rows; total < 0 {
			return fmt.Errorf("%w: chunk %d: more than %d rows in all", ErrColumn, i, math.MaxInt)
		}
	}
	return nil
}

// ValidateKey is Validate for a column that is a sort key: valid dictionary rows need a rank.
func ValidateKey(c *Column) error {
	if err := Validate(c); err != nil || !c.Kind.isDictionary() {
		return err
	}
	for i := range c.Chunks {
		if err := c.validateIndices(&c.Chunks[i]); err != nil {
			return fmt.Errorf("%w: chunk %d: %w", ErrColumn, i, err)
		}
	}
	return nil
}

func (c *Column) validateChunk(k *Chunk) error {
	if k.Rows < 0 || k.Offset < 0 || k.Offset >= math.MaxInt-k.Rows {
		return fmt.Errorf("%d rows at offset %d", k.Rows, k.Offset)
	}
	n := k.Offset + k.Rows
	switch {
	case k.Rows == 0:
		return nil
	case k.Validity != nil && !holdsBits(k.Validity, n):
		return fmt.Errorf("validity of %d bytes for %d rows", len(k.Validity), n)
	case !c.holdsValues(k, n):
		return fmt.Errorf("values of %d bytes for %d rows", len(k.Values), n)
	}
	switch {
	case c.Kind == Binary:
		return validateOffsets(buffers.Values[uint32](k.Values, k.Offset, k.Rows+1), math.MaxInt32, k.Data)
	case c.Kind == LargeBinary:
		return validateOffsets(buffers.Values[uint64](k.Values, k.Offset, k.Rows+1), math.MaxInt64, k.Data)
	case c.Kind == BinaryView:
		return validateViews(k)
	case c.Kind.isDictionary() && k.Ranks != nil:
		return c.validateIndices(k)
	}
	return nil
}

func holdsBits(b []byte, n int) bool { return (n-1)/8 < len(b) }

// holdsValues reports whether Values is long enough for n > 0 rows.
func (c *Column) holdsValues(k *Chunk, n int) bool {
	switch c.Kind {
	case Null:
		return true
	case Bool:
		return holdsBits(k.Values, n)
	case Binary:
		return n < len(k.Values)/4
	case LargeBinary:
		return n < len(k.Values)/8
	}
	w := c.ValueBytes()
	return w == 0 || n <= len(k.Values)/w
}

// validateOffsets checks that offsets never fall and stay within the data and the range of their signed type.
func validateOffsets[U uint32 | uint64](offsets []U, most U, data [][]byte) error {
	bytes := 0
	if len(data) > 0 {
		bytes = len(data[0])
	}
	last := offsets[0]
	for i, o := range offsets {
		if o < last {
			return fmt.Errorf("row %d: offsets fall from %d to %d", i-1, last, o)
		}
		last = o
	}
	if last > most || last > offsets[0] && uint64(last) > uint64(bytes) {
		out := func(o U) bool { return o > offsets[0] && uint64(o) > min(uint64(most), uint64(bytes)) }
		end := max(slices.IndexFunc(offsets, out), 0)
		return fmt.Errorf("row %d: offset %d in %d bytes of data", max(end-1, 0), offsets[end], bytes)
	}
	return nil
}

func validateViews(k *Chunk) error {
	for i := range k.Rows {
		at := k.Offset + i
		if k.Validity != nil && !buffers.Bit(k.Validity, at) {
			continue
		}
		view := k.Values[at*16 : at*16+16]
		n := binary.LittleEndian.Uint32(view)
		if n <= buffers.InlineView {
			continue
		}
		buffer, offset := binary.LittleEndian.Uint32(view[8:]), binary.LittleEndian.Uint32(view[12:])
		if uint64(buffer) >= uint64(len(k.Data)) || uint64(offset)+uint64(n) > uint64(len(k.Data[buffer])) ||
			n > math.MaxInt32 {
			return fmt.Errorf("row %d: view of %d bytes at %d of buffer %d", i, n, offset, buffer)
		}
	}
	return nil
}

func (c *Column) validateIndices(k *Chunk) error {
	width := c.ValueBytes()
	for i := range k.Rows {
		at := k.Offset + i
		if k.Validity != nil && !buffers.Bit(k.Validity, at) {
			continue
		}
		if index := buffers.Index(k.Values, width, at); index >= uint64(len(k.Ranks)) {
			return fmt.Errorf("row %d: index %d in a dictionary of %d ranks", i, index, len(k.Ranks))
		}
	}
	return nil
}
