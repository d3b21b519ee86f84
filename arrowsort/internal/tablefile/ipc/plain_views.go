package ipc

import (
	"encoding/binary"
	"math"

	"github.com/apache/arrow/go/v15/arrow"
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

// views are n rows of string or binary views. A slice has all bytes of its array: when its own values are less than
// half of them, they are copied, so that a batch of a large array is no larger than its rows.
func (p *plainer) views(d arrow.ArrayData, first, n int) plainParts {
	headers, texts := p.slice(d, 1, arrow.ViewHeaderSizeBytes, first, n), d.Buffers()[2:]
	all, used := 0, 0
	for _, b := range texts {
		all += b.Len()
	}
	p.eachText(d, first, n, func(_ int, view []byte) { used += int(binary.LittleEndian.Uint32(view)) })
	if 2*used < all {
		defer headers.Release()
		return p.copiedViews(d, first, n, used)
	}
	buffers := []*memory.Buffer{nil, headers}
	for _, b := range texts {
		b.Retain()
		buffers = append(buffers, b)
	}
	return plainParts{buffers: buffers}
}

// eachText calls do for the views of valid rows whose values do not lie in the view.
func (p *plainer) eachText(d arrow.ArrayData, first, n int, do func(row int, view []byte)) {
	valid, views := arraydata.Validity(d), arraydata.Bytes(d, 1)
	for row := range n {
		view := views[(first+row)*arrow.ViewHeaderSizeBytes:][:arrow.ViewHeaderSizeBytes]
		if binary.LittleEndian.Uint32(view) > inlineBytes && (valid == nil || bitutil.BitIsSet(valid, first+row)) {
			do(row, view)
		}
	}
}

// copiedViews are views whose values of used bytes lie in separate buffers, each of at most 2^31-1 bytes. Views of null
// rows become empty: they would refer to the old buffers, and Polars checks them.
func (p *plainer) copiedViews(d arrow.ArrayData, first, n, used int) plainParts {
	headers := p.buffer(n * arrow.ViewHeaderSizeBytes)
	copy(headers.Bytes(), arraydata.Bytes(d, 1)[first*arrow.ViewHeaderSizeBytes:])
	if valid := arraydata.Validity(d); valid != nil {
		for row := range n {
			if !bitutil.BitIsSet(valid, first+row) {
				clear(headers.Bytes()[row*arrow.ViewHeaderSizeBytes:][:arrow.ViewHeaderSizeBytes])
			}
		}
	}
	parts := plainParts{buffers: []*memory.Buffer{nil, headers}}
	var text *memory.Buffer
	at := 0
	p.eachText(d, first, n, func(row int, view []byte) {
		size := int(binary.LittleEndian.Uint32(view))
		from := d.Buffers()[2+binary.LittleEndian.Uint32(view[viewBuffer:])].Bytes()
		from = from[binary.LittleEndian.Uint32(view[viewOffset:]):]
		if text == nil || at+size > text.Len() {
			text, at = p.buffer(max(min(used, math.MaxInt32), size)), 0
			parts.buffers = append(parts.buffers, text)
		}
		copy(text.Bytes()[at:], from[:size])
		to := headers.Bytes()[row*arrow.ViewHeaderSizeBytes:]
		binary.LittleEndian.PutUint32(to[viewBuffer:], uint32(len(parts.buffers)-3))
		binary.LittleEndian.PutUint32(to[viewOffset:], uint32(at))
		at, used = at+size, used-size
	})
	return parts
}
