package tablefile

import (
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
)

type offset interface{ int32 | int64 }

// validateOffsets checks the offsets of strings and lists: they start at 0 or above, never fall and end within limit.
func validateOffsets[T offset](d arrow.ArrayData, limit int) error {
	if d.Len() == 0 {
		return nil
	}
	width := int(unsafe.Sizeof(T(0)))
	if err := needBytes(d, 1, (int(end(d))+1)*width); err != nil {
		return err
	}
	offsets := arrow.GetData[T](bufferBytes(d, 1))[d.Offset() : d.Offset()+d.Len()+1]
	last := offsets[0]
	if last < 0 {
		return corrupt("a column of type %s starts at offset %d", d.DataType(), last)
	}
	fell := T(0) // its sign is set once an offset is negative or falls; no branch per row
	for _, o := range offsets {
		fell |= (o - last) | o
		last = o
	}
	if fell < 0 || int64(last) > int64(limit) {
		return corrupt("the offsets of a column of type %s fall or pass its %d values", d.DataType(), limit)
	}
	return nil
}

// validateListView checks the offsets and sizes of a list view against its child.
func validateListView[T offset](d arrow.ArrayData) error {
	width := int(unsafe.Sizeof(T(0)))
	for _, buffer := range []int{1, 2} {
		if err := needBytes(d, buffer, int(end(d))*width); err != nil {
			return err
		}
	}
	if d.Len() == 0 {
		return nil
	}
	offsets, sizes := arrow.GetData[T](bufferBytes(d, 1)), arrow.GetData[T](bufferBytes(d, 2))
	values, valid := int64(d.Children()[0].Len()), validity(d)
	for i := d.Offset(); i < d.Offset()+d.Len(); i++ {
		if valid != nil && !bitutil.BitIsSet(valid, i) {
			continue
		}
		if start, size := int64(offsets[i]), int64(sizes[i]); start < 0 || size < 0 || start > values-size {
			return corrupt("a list view of %d values at %d passes its %d values", size, start, values)
		}
	}
	return nil
}

// viewBytes is the size of a string view: length, then 12 bytes of the string, or a prefix, a buffer and an offset.
const viewBytes = 16

func validateViews(d arrow.ArrayData) error {
	if err := needBytes(d, 1, int(end(d))*viewBytes); err != nil {
		return err
	}
	if d.Len() == 0 {
		return nil
	}
	views, valid := bufferBytes(d, 1), validity(d)
	for i := d.Offset(); i < d.Offset()+d.Len(); i++ {
		if valid != nil && !bitutil.BitIsSet(valid, i) {
			continue
		}
		view := views[i*viewBytes : (i+1)*viewBytes]
		length := int64(int32(littleEndian(view, 4)))
		if length < 0 {
			return corrupt("a view is %d bytes long", length)
		}
		if length <= 12 {
			continue
		}
		buffer, start := int64(int32(littleEndian(view[8:], 4))), int64(int32(littleEndian(view[12:], 4)))
		if buffer < 0 || buffer >= int64(len(d.Buffers())-2) || start < 0 || start > int64(len(bufferBytes(d, int(buffer)+2)))-length {
			return corrupt("a view of %d bytes at %d of buffer %d passes its data", length, start, buffer)
		}
	}
	return nil
}
