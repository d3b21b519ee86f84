package tablefile

import "github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/fileerror"

// Kinds of pages, of parquet.thrift.
const (
	dataPage       = 0
	dictionaryPage = 2
	dataPageV2     = 3
)

// A page is one of a column chunk. The capacity of its bodies reaches hybridSpare bytes beyond the length.
type page struct {
	kind     int
	values   int
	encoding int
	levels   int    // encoding of the definition levels
	repeats  []byte // repetition levels of a page of the second version
	present  []byte // definition levels of a page of the second version
	body     []byte
}

// A pageHead is what precedes the body of a page.
type pageHead struct {
	page
	size, packed         int // bytes of the body, and compressed
	nulls, rows          int // of the second version
	defLevels, repLevels int // bytes before the compressed ones, of the second version
	compressed           int // 0: the codec is not used, of the second version
	bytes                int // of the header itself
	repLevelsAre         int // encoding of the repetition levels, of the first version
	checked              bool
	checksum             uint32 // of the compressed bytes, if checked: their CRC-32
}

// read reads a header. It panics for one that lacks a field that all have: bits that are wrong make fields seem to be
// others.
func (h *pageHead) read(r *compactReader) {
	seen := 0
	r.fields(func(field int, typ byte) {
		switch field {
		case 1:
			h.kind = r.numberOf(typ)
		case 2:
			h.size = r.numberOf(typ)
		case 3:
			h.packed = r.numberOf(typ)
		case 4:
			h.checked, h.checksum = true, r.word()
		case 5: // a data page
			r.record(typ, 4, &h.values, &h.encoding, &h.levels, &h.repLevelsAre)
		case 7: // a dictionary
			r.record(typ, 2, &h.values, &h.encoding)
		case 8: // a data page of the second version
			r.record(typ, 6, &h.values, &h.nulls, &h.rows, &h.encoding, &h.defLevels, &h.repLevels, &h.compressed)
		default:
			r.skip(typ)
			return
		}
		seen |= 1 << field
	})
	wanted := 1<<1 | 1<<2 | 1<<3
	if known := map[int]int{dataPage: 5, dictionaryPage: 7, dataPageV2: 8}; known[h.kind] > 0 {
		wanted |= 1 << known[h.kind]
	}
	if seen&wanted != wanted {
		panic(fileerror.Corrupt("a page header of kind %d is incomplete", h.kind))
	}
	h.bytes = r.at
}
