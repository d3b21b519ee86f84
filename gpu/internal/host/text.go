package host

import (
	"slices"

	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// IsText reports whether a column holds strings, which have offsets.
func IsText(k keyencode.Kind) bool { return k == keyencode.Binary || k == keyencode.LargeBinary }

// OffsetBytes is the size of an offset.
func OffsetBytes(k keyencode.Kind) int {
	if k == keyencode.Binary {
		return 4
	}
	return 8
}

// TextRange is the range of a chunk's string bytes.
func TextRange(c *keyencode.Column, k *keyencode.Chunk) (begin, end int) {
	if c.Kind == keyencode.Binary {
		offsets := buffers.View[int32](k.Values)
		return int(offsets[k.Offset]), int(offsets[k.Offset+k.Rows])
	}
	offsets := buffers.View[int64](k.Values)
	return int(offsets[k.Offset]), int(offsets[k.Offset+k.Rows])
}

// TextBytes is the size of all strings of a column.
func TextBytes(c *keyencode.Column) (bytes int) {
	for _, k := range Filled(c) {
		begin, end := TextRange(c, &k)
		bytes += end - begin
	}
	return bytes
}

// Nullable reports whether a column has bitmaps: rows may be null.
func Nullable(c *keyencode.Column) bool {
	return slices.ContainsFunc(c.Chunks, func(k keyencode.Chunk) bool { return k.Rows > 0 && k.Validity != nil })
}

// Filled are the chunks that have rows.
func Filled(c *keyencode.Column) []keyencode.Chunk {
	return slices.DeleteFunc(slices.Clone(c.Chunks), func(k keyencode.Chunk) bool { return k.Rows == 0 })
}
