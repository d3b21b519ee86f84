package page

import (
	"encoding/binary"

	"github.com/apache/arrow-go/v18/parquet/schema"
)

// An Index has place, bounds and nulls of each data page of a column chunk, so that a reader skips those without rows
// that it wants. In the file it is two structs of parquet.thrift, OffsetIndex and ColumnIndex.
type Index struct {
	Column  *schema.Column
	Entries []IndexEntry
	Foreign bool // some page has an encoding that is not decoded here, so that its bounds are unknown
	split   bool // some page starts within a row, so that readers cannot start there
}

// An IndexEntry is a data page. It starts at a row.
type IndexEntry struct {
	At   int64 // of its header, in what the Writer writes
	Size int   // with its header
	Row  int   // the first one, in the row group
	Bounds
}

// Bounds are the least and the greatest value of a page or a column chunk as Parquet stores them. They borrow the
// memory of the values.
type Bounds struct {
	Low, High []byte
	Empty     bool // all are null
	Unknown   bool // there are values, but no bounds: a NaN is among them, or they have no order
	Nulls     int64
}

// Bounds returns those of the whole column chunk.
func (x *Index) Bounds() Bounds {
	compare, all := ValueOrder(x.Column), Bounds{Empty: true}
	for _, p := range x.Entries {
		all.Nulls += p.Nulls
		all.Unknown = all.Unknown || p.Unknown
		switch {
		case p.Empty:
		case all.Unknown:
			all.Empty = false
		case all.Empty:
			all.Low, all.High, all.Empty = p.Low, p.High, false
		default:
			if compare(p.Low, all.Low) < 0 {
				all.Low = p.Low
			}
			if compare(p.High, all.High) > 0 {
				all.High = p.High
			}
		}
	}
	return all
}

// The orders in which pages may lie in a chunk, of parquet.thrift.
const (
	unorderedPages  = 0
	ascendingPages  = 1
	descendingPages = 2
)

// OffsetIndex encodes where the pages are when they are moved in the file; nil when one starts within a row.
func (x *Index) OffsetIndex(shift int64) []byte {
	if x.split {
		return nil
	}
	var w compactWriter
	w.list(1, ThriftStruct, len(x.Entries))
	for _, p := range x.Entries {
		location := compactWriter{b: w.b}
		location.long(1, p.At+shift)
		location.number(2, p.Size)
		location.long(3, int64(p.Row))
		w.b = append(location.b, thriftStop)
	}
	return append(w.b, thriftStop)
}

// ColumnIndex encodes what is in the pages; nil when that is not known for each, or without an OffsetIndex.
func (x *Index) ColumnIndex() []byte {
	for _, p := range x.Entries {
		if p.Unknown || x.split {
			return nil
		}
	}
	var w compactWriter
	w.list(1, ThriftTrue, len(x.Entries))
	for _, p := range x.Entries {
		if p.Empty {
			w.b = append(w.b, ThriftTrue)
		} else {
			w.b = append(w.b, thriftFalse)
		}
	}
	w.list(2, ThriftBinary, len(x.Entries))
	text := holdsText(x.Column)
	for _, p := range x.Entries {
		w.binary(truncatedMin(p.Low, x.Column, text))
	}
	w.list(3, ThriftBinary, len(x.Entries))
	for _, p := range x.Entries {
		w.binary(truncatedMax(p.High, x.Column, text))
	}
	w.number(4, x.order())
	w.list(5, thriftI64, len(x.Entries))
	for _, p := range x.Entries {
		w.b = binary.AppendUvarint(w.b, uint64(p.Nulls)<<1)
	}
	return append(w.b, thriftStop)
}

// An IndexPlace is where a file has the OffsetIndex or ColumnIndex of a column chunk; of length 0: it has none.
type IndexPlace struct {
	Offset int64
	Length int
}

// AppendColumnChunk appends an encoded ColumnChunk struct that does not say where its page index lies, and says it.
func AppendColumnChunk(out, chunk []byte, columns, offsets IndexPlace) []byte {
	const lastField = 3 // of the chunk: its metadata
	w := compactWriter{b: append(out, chunk[:len(chunk)-1]...), field: lastField}
	if offsets.Length > 0 {
		w.long(4, offsets.Offset)
		w.number(5, offsets.Length)
	}
	if columns.Length > 0 {
		w.long(6, columns.Offset)
		w.number(7, columns.Length)
	}
	return append(w.b, thriftStop)
}

// order reports whether the bounds of the pages rise or fall, which allows binary search. Pages of nulls do not count.
func (x *Index) order() int {
	compare := ValueOrder(x.Column)
	if compare == nil {
		return unorderedPages
	}
	rising, falling := true, true
	var last *IndexEntry
	for i := range x.Entries {
		p := &x.Entries[i]
		if p.Empty {
			continue
		}
		if last != nil {
			low, high := compare(last.Low, p.Low), compare(last.High, p.High)
			rising = rising && low <= 0 && high <= 0
			falling = falling && low >= 0 && high >= 0
		}
		last = p
	}
	switch {
	case rising:
		return ascendingPages
	case falling:
		return descendingPages
	}
	return unorderedPages
}

// MovedOffsets encodes an offset index for pages that are moved. It panics for bytes that are none.
func MovedOffsets(b []byte, shift int64) []byte {
	var pages []IndexEntry
	r := CompactReader{Bytes: b}
	r.Fields(func(number int, typ byte) {
		if number != 1 || typ != thriftList {
			r.Skip(typ)
			return
		}
		for range r.ListOf(ThriftStruct) {
			var p IndexEntry
			r.Fields(func(number int, typ byte) {
				switch {
				case number == 1 && typ == thriftI64:
					p.At = r.long()
				case number == 2 && typ == ThriftI32:
					p.Size = r.Number()
				case number == 3 && typ == thriftI64:
					p.Row = int(r.long())
				default:
					r.Skip(typ)
				}
			})
			pages = append(pages, p)
		}
	})
	return (&Index{Entries: pages}).OffsetIndex(shift)
}
