package ipc

import (
	"encoding/binary"
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/arraydata"
)

// Offsets of a view's fields. A value of up to inlineBytes lies in the view itself.
const (
	viewBuffer  = 8
	viewOffset  = 12
	inlineBytes = 12
)

// withOwnText is an array whose views, at every level, refer to buffers with little else than their values. The caller
// releases it.
func withOwnText(a arrow.Array, mem memory.Allocator) arrow.Array {
	d := ownText(a.Data(), mem)
	defer d.Release()
	return array.MakeFromData(d)
}

func ownText(d arrow.ArrayData, mem memory.Allocator) arrow.ArrayData {
	if _, ok := arraydata.StorageOf(d.DataType()).(arrow.BinaryViewDataType); ok {
		return ownViews(d, mem)
	}
	if len(d.Children()) == 0 {
		d.Retain()
		return d
	}
	children := make([]arrow.ArrayData, len(d.Children()))
	for i, c := range d.Children() {
		children[i] = ownText(c, mem)
		defer children[i].Release()
	}
	return array.NewData(d.DataType(), d.Len(), d.Buffers(), children, d.NullN(), d.Offset())
}

// ownViews are views. When their values are less than half of the buffers, they are copied to separate buffers, each of
// at most 2^31-1 bytes, so that a batch of a large array is no larger than its rows. Views of null rows then become
// empty: they would refer to the old buffers, and Polars checks them.
func ownViews(d arrow.ArrayData, mem memory.Allocator) arrow.ArrayData {
	all, used := 0, 0
	for _, b := range d.Buffers()[2:] {
		all += b.Len()
	}
	eachText(d, func(_ int, view []byte) { used += int(binary.LittleEndian.Uint32(view)) })
	if 2*used >= all {
		d.Retain()
		return d
	}
	headers := arraydata.NewBuffer(mem, d.Len()*arrow.ViewHeaderSizeBytes)
	copy(headers.Bytes(), arraydata.Bytes(d, 1)[d.Offset()*arrow.ViewHeaderSizeBytes:])
	buffers := []*memory.Buffer{nil, headers}
	defer func() { memory.ReleaseBuffers(buffers) }()
	if valid := arraydata.Validity(d); valid != nil {
		buffers[0] = arraydata.NewBuffer(mem, int(bitutil.BytesForBits(int64(d.Len()))))
		bitutil.CopyBitmap(valid, d.Offset(), d.Len(), buffers[0].Bytes(), 0)
		for row := range d.Len() {
			if !bitutil.BitIsSet(valid, d.Offset()+row) {
				clear(headers.Bytes()[row*arrow.ViewHeaderSizeBytes:][:arrow.ViewHeaderSizeBytes])
			}
		}
	}
	var text *memory.Buffer
	at := 0
	eachText(d, func(row int, view []byte) {
		size := int(binary.LittleEndian.Uint32(view))
		from := d.Buffers()[2+binary.LittleEndian.Uint32(view[viewBuffer:])].Bytes()
		from = from[binary.LittleEndian.Uint32(view[viewOffset:]):]
		if text == nil || at+size > text.Len() {
			text, at = arraydata.NewBuffer(mem, max(min(used, math.MaxInt32), size)), 0
			buffers = append(buffers, text)
		}
		copy(text.Bytes()[at:], from[:size])
		to := headers.Bytes()[row*arrow.ViewHeaderSizeBytes:]
		binary.LittleEndian.PutUint32(to[viewBuffer:], uint32(len(buffers)-3))
		binary.LittleEndian.PutUint32(to[viewOffset:], uint32(at))
		at, used = at+size, used-size
	})
	return array.NewData(d.DataType(), d.Len(), buffers, nil, d.NullN(), 0)
}

// eachText calls do for the views of valid rows whose values do not lie in the view.
func eachText(d arrow.ArrayData, do func(row int, view []byte)) {
	valid, views := arraydata.Validity(d), arraydata.Bytes(d, 1)
	for row := range d.Len() {
		at := d.Offset() + row
		view := views[at*arrow.ViewHeaderSizeBytes:][:arrow.ViewHeaderSizeBytes]
		if binary.LittleEndian.Uint32(view) > inlineBytes && (valid == nil || bitutil.BitIsSet(valid, at)) {
			do(row, view)
		}
	}
}
