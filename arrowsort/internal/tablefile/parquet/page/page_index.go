package page

import (
	"encoding/binary"

	"github.com/apache/arrow-go/v18/parquet/schema"
)

// An Index is the page index of a column chunk: location, bounds and null count of each data page. Readers use it to
// skip pages. In the file it is two structs of parquet.thrift, OffsetIndex and ColumnIndex.
type Index struct {
	Column  *schema.Column
	Entries []PageLocation
	Foreign bool // some page has an encoding that is not decoded here, so that its bounds are unknown
	split   bool // some page starts within a row, so that readers cannot start there
}

// A PageLocation is the location of a data page, as in an OffsetIndex, and its bounds.
type PageLocation struct {
	Offset int64 // of its header, in what the Writer writes
	Size   int   // with its header
	Row    int   // the first one, in the row group
	Bounds
}

// Bounds returns the bounds of the column chunk.
func (x *Index) Bounds() Bounds {
	compare, all := ValueOrder(x.Column), Bounds{AllNull: true}
	for _, p := range x.Entries {
		all.Nulls += p.Nulls
		all.NoBounds = all.NoBounds || p.NoBounds
		switch {
		case p.AllNull:
		case all.NoBounds:
			all.AllNull = false
		case all.AllNull:
			all.Min, all.Max, all.AllNull = p.Min, p.Max, false
		default:
			if compare(p.Min, all.Min) < 0 {
				all.Min = p.Min
			}
			if compare(p.Max, all.Max) > 0 {
				all.Max = p.Max
			}
		}
	}
	return all
}

// BoundaryOrder of parquet.thrift.
const (
	unorderedPages  = 0
	ascendingPages  = 1
	descendingPages = 2
)

// OffsetIndex encodes the OffsetIndex of pages that are moved by shift bytes; nil if a page starts within a row.
func (x *Index) OffsetIndex(shift int64) []byte {
	if x.split {
		return nil
	}
	var w compactWriter
	w.list(1, ThriftStruct, len(x.Entries))
	for _, p := range x.Entries {
		location := compactWriter{b: w.b}
		location.long(1, p.Offset+shift)
		location.number(2, p.Size)
		location.long(3, int64(p.Row))
		w.b = append(location.b, thriftStop)
	}
	return append(w.b, thriftStop)
}

// ColumnIndex encodes the ColumnIndex; nil if the bounds of a page are unknown, or without an OffsetIndex.
func (x *Index) ColumnIndex() []byte {
	for _, p := range x.Entries {
		if p.NoBounds || x.split {
			return nil
		}
	}
	var w compactWriter
	w.list(1, ThriftTrue, len(x.Entries))
	for _, p := range x.Entries {
		if p.AllNull {
			w.b = append(w.b, ThriftTrue)
		} else {
			w.b = append(w.b, thriftFalse)
		}
	}
	w.list(2, ThriftBinary, len(x.Entries))
	text := holdsText(x.Column)
	for _, p := range x.Entries {
		w.binary(truncatedMin(p.Min, x.Column, text))
	}
	w.list(3, ThriftBinary, len(x.Entries))
	for _, p := range x.Entries {
		w.binary(truncatedMax(p.Max, x.Column, text))
	}
	w.number(4, x.order())
	w.list(5, thriftI64, len(x.Entries))
	for _, p := range x.Entries {
		w.b = binary.AppendUvarint(w.b, uint64(p.Nulls)<<1)
	}
	return append(w.b, thriftStop)
}

// An IndexPlace is the location of an encoded OffsetIndex or ColumnIndex in a file; of length 0: the chunk has none.
type IndexPlace struct {
	Offset int64
	Length int
}

// AppendColumnChunk appends an encoded ColumnChunk struct, and the location of its page index, which it has to lack.
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

// order returns the BoundaryOrder of the pages, which allows binary search. Pages of nulls do not count.
func (x *Index) order() int {
	compare := ValueOrder(x.Column)
	if compare == nil {
		return unorderedPages
	}
	rising, falling := true, true
	var last *PageLocation
	for i := range x.Entries {
		p := &x.Entries[i]
		if p.AllNull {
			continue
		}
		if last != nil {
			low, high := compare(last.Min, p.Min), compare(last.Max, p.Max)
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

// ShiftOffsetIndex adds shift to all offsets of an encoded OffsetIndex. It panics for invalid bytes.
func ShiftOffsetIndex(b []byte, shift int64) []byte {
	var pages []PageLocation
	r := CompactReader{Bytes: b}
	r.Fields(func(number int, typ byte) {
		if number != 1 || typ != thriftList {
			r.Skip(typ)
			return
		}
		for range r.ListOf(ThriftStruct) {
			var p PageLocation
			r.Fields(func(number int, typ byte) {
				switch {
				case number == 1 && typ == thriftI64:
					p.Offset = r.long()
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
