// Package page reads and writes pages of Parquet files: headers, levels, dictionary indices, compression, checksums,
// and the page index. It handles bytes, not arrays.
package page

import (
	"io"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
)

// Kinds of pages, of parquet.thrift.
const (
	Data       = 0
	Dictionary = 2
	DataV2     = 3
)

// A Page is a page of a column chunk. The capacity of its body and its levels is RLESpare bytes beyond the length.
type Page struct {
	Kind                    int
	Values                  int
	Encoding                int
	DefinitionLevelEncoding int    // of a data page V1
	RepetitionLevels        []byte // of a data page V2
	DefinitionLevels        []byte // of a data page V2
	Body                    []byte
}

// A Header is a PageHeader of parquet.thrift.
type Header struct {
	Page
	uncompressedSize, CompressedSize int // bytes of the body, and compressed
	nulls, rows                      int // of the second version
	defLevels, repLevels             int // bytes before the compressed ones, of the second version
	compressed                       int // 0: the codec is not used, of the second version
	bytes                            int // of the header itself
	repetitionLevelEncoding          int // encoding of the repetition levels, of the first version
	checked                          bool
	checksum                         uint32 // of the compressed bytes, if checked: their CRC-32
}

// headerAt reads the header at the start of b. An incomplete header is an error.
func headerAt(b []byte) (h Header, err error) {
	h.compressed = 1
	err = errkind.Contain(func() error {
		h.Read(&CompactReader{Bytes: b})
		return nil
	})
	return h, err
}

// A Range is the bytes of a file from one offset up to another.
type Range struct{ From, To int64 }

// An Announcer is a file that fetches ahead what will be read. Ranges are read about in the order in which they are
// announced, each from front to back.
type Announcer interface{ Announce(ranges []Range) }

// DictionarySize reads the header of the dictionary page at an offset of a file: the size of the page without
// compression, and the number of entries; 0 and 0 if there is none.
func DictionarySize(src io.ReaderAt, at int64) (bytes, entries int) {
	var b [headWindow]byte
	n, _ := src.ReadAt(b[:], at) // less at the end of the file
	if h, err := headerAt(b[:n]); err == nil && h.Kind == Dictionary {
		return h.uncompressedSize, h.Values
	}
	return 0, 0
}

// Read reads a header. It panics for a header without one of the required fields: a wrong bit turns a field into
// another one.
func (h *Header) Read(r *CompactReader) {
	seen := 0
	r.Fields(func(field int, typ byte) {
		switch field {
		case 1:
			h.Kind = r.NumberOf(typ)
		case 2:
			h.uncompressedSize = r.NumberOf(typ)
		case 3:
			h.CompressedSize = r.NumberOf(typ)
		case 4:
			h.checked, h.checksum = true, r.word()
		case 5: // a data page
			r.record(typ, 4, &h.Values, &h.Encoding, &h.DefinitionLevelEncoding, &h.repetitionLevelEncoding)
		case 7: // a dictionary
			r.record(typ, 2, &h.Values, &h.Encoding)
		case 8: // a data page of the second version
			r.record(typ, 6, &h.Values, &h.nulls, &h.rows, &h.Encoding, &h.defLevels, &h.repLevels, &h.compressed)
		default:
			r.Skip(typ)
			return
		}
		seen |= 1 << field
	})
	wanted := 1<<1 | 1<<2 | 1<<3
	if known := map[int]int{Data: 5, Dictionary: 7, DataV2: 8}; known[h.Kind] > 0 {
		wanted |= 1 << known[h.Kind]
	}
	if seen&wanted != wanted {
		panic(errkind.Corrupt("a page header of kind %d is incomplete", h.Kind))
	}
	h.bytes = r.At
}

// Magic are the first and the last bytes of a file.
const Magic = "PAR1"

// headWindow is the bytes that are read for a page header, which may have long statistics.
const headWindow = 4 << 10
