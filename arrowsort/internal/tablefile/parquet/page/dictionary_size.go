package page

import (
	"io"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/fileerror"
)

// DictionarySize reads the bytes and the number of entries of the dictionary page at an offset of a file from its
// header; 0 and 0 where there is none.
func DictionarySize(src io.ReaderAt, at int64) (bytes, entries int) {
	var b [headWindow]byte
	n, _ := src.ReadAt(b[:], at) // less at the end of the file
	var h Header
	err := fileerror.Contain(func() error { h.Read(&CompactReader{Bytes: b[:n]}); return nil })
	if err != nil || h.Kind != Dictionary {
		return 0, 0
	}
	return h.size, h.Values
}
