package validate

import (
	"fmt"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/bitutil"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/internal/buffers"
)

// checkOffsets checks the offsets of strings and lists: they start at 0 or above, never fall and end within limit.
func checkOffsets[T arraydata.Offset](d arrow.ArrayData, limit int) error {
	if d.Len() == 0 {
		return nil
	}
	width := int(unsafe.Sizeof(T(0)))
	if err := needBytes(d, 1, (int(arraydata.End(d))+1)*width); err != nil {
		return err
	}
	offsets := arrow.GetData[T](arraydata.Bytes(d, 1))[d.Offset() : d.Offset()+d.Len()+1]
	last := offsets[0]
	if last < 0 {
		return errkind.Corrupt("a column of type %s starts at offset %d", d.DataType(), last)
	}
	fell := T(0) // its sign is set once an offset is negative or falls; no branch per row
	for _, o := range offsets {
		fell |= (o - last) | o
		last = o
	}
	if fell < 0 || int64(last) > int64(limit) {
		return errkind.Corrupt("the offsets of a column of type %s fall or pass its %d values", d.DataType(), limit)
	}
	return nil
}

// checkListView checks the offsets and sizes of a list view against its child.
func checkListView[T arraydata.Offset](d arrow.ArrayData) error {
	width := int(unsafe.Sizeof(T(0)))
	for _, buffer := range []int{1, 2} {
		if err := needBytes(d, buffer, int(arraydata.End(d))*width); err != nil {
			return err
		}
	}
	if d.Len() == 0 {
		return nil
	}
	offsets, sizes := arrow.GetData[T](arraydata.Bytes(d, 1)), arrow.GetData[T](arraydata.Bytes(d, 2))
	values, valid := int64(d.Children()[0].Len()), arraydata.Validity(d)
	for i := d.Offset(); i < d.Offset()+d.Len(); i++ {
		if valid != nil && !bitutil.BitIsSet(valid, i) {
			continue
		}
		if start, size := int64(offsets[i]), int64(sizes[i]); start < 0 || size < 0 || start > values-size {
			return errkind.Corrupt("a list view of %d values at %d passes its %d values", size, start, values)
		}
	}
	return nil
}

// checkViews checks string and binary views: values of up to 12 bytes are followed by zeros, those that are longer lie
// inside a buffer and begin with the prefix in the view. Readers compare views by padding and prefix.
func checkViews(d arrow.ArrayData) error {
	if err := needBytes(d, 1, int(arraydata.End(d))*arrow.ViewHeaderSizeBytes); err != nil {
		return err
	}
	if d.Len() == 0 {
		return nil
	}
	views, valid := arrow.ViewHeaderTraits.CastFromBytes(arraydata.Bytes(d, 1)), arraydata.Validity(d)
	for i := d.Offset(); i < d.Offset()+d.Len(); i++ {
		if valid != nil && !bitutil.BitIsSet(valid, i) {
			continue
		}
		if err := checkView(d, &views[i]); err != nil {
			return fmt.Errorf("%w, in row %d of a column of type %s", err, i-d.Offset(), d.DataType())
		}
	}
	return nil
}

func checkView(d arrow.ArrayData, v *arrow.ViewHeader) error {
	prefix := v.Prefix()
	if v.Len() < 0 {
		return errkind.Corrupt("a view is %d bytes long", v.Len())
	}
	if v.IsInline() {
		for _, padding := range v.InlineBytes()[v.Len():buffers.InlineView] {
			if padding != 0 {
				return errkind.Corrupt("a view of %d bytes is not followed by zeros", v.Len())
			}
		}
		return nil
	}
	buffer, start := int(v.BufferIndex()), int(v.BufferOffset())
	exists := buffer >= 0 && buffer < len(d.Buffers())-2
	if !exists || start < 0 || start > len(arraydata.Bytes(d, buffer+2))-v.Len() {
		return errkind.Corrupt("a view of %d bytes at %d of buffer %d passes its data", v.Len(), start, buffer)
	}
	if value := arraydata.Bytes(d, buffer+2)[start:]; string(prefix[:]) != string(value[:len(prefix)]) {
		return errkind.Corrupt("a view has the prefix %q, its value begins with %q", prefix, value[:len(prefix)])
	}
	return nil
}

// needBytes makes sure that a buffer is large enough for its rows.
func needBytes(d arrow.ArrayData, buffer, n int) error {
	if have := len(arraydata.Bytes(d, buffer)); n < 0 || have < n && d.Len() > 0 {
		return errkind.Corrupt("%d rows of type %s need %d bytes, there are %d", d.Len(), d.DataType(), n, have)
	}
	return nil
}
