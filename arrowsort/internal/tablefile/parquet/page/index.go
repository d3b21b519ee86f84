package tablefile

import (
	"encoding/binary"

	"github.com/apache/arrow-go/v18/parquet/schema"
)

// A pageIndex tells of the data pages of a column chunk where they are and what is in them, so that a reader leaves out
// those without rows that it wants. In the file it is two structs of parquet.thrift, OffsetIndex and ColumnIndex.
type pageIndex struct {
	column *schema.Column
	pages  []indexedPage
}

// An indexedPage is a data page. It starts at a row.
type indexedPage struct {
	at   int64 // of its header, in the piece
	size int   // with its header
	row  int   // the first one, in the row group
	pageBounds
}

// pageBounds are the least and the greatest value of a page or a column chunk as Parquet stores them. They borrow the
// memory of the values.
type pageBounds struct {
	low, high []byte
	empty     bool // all are null
	unknown   bool // there are values, but no bounds: a NaN is among them, or they have no order
	nulls     int64
}

// bounds are those of the whole column chunk.
func (x *pageIndex) bounds() pageBounds {
	compare, all := valueOrder(x.column), pageBounds{empty: true}
	for _, p := range x.pages {
		all.nulls += p.nulls
		all.unknown = all.unknown || p.unknown
		switch {
		case p.empty:
		case all.unknown:
			all.empty = false
		case all.empty:
			all.low, all.high, all.empty = p.low, p.high, false
		default:
			if compare(p.low, all.low) < 0 {
				all.low = p.low
			}
			if compare(p.high, all.high) > 0 {
				all.high = p.high
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

// offsetIndex encodes where the pages are when their piece is moved in the file.
func (x *pageIndex) offsetIndex(shift int64) []byte {
	var w compactWriter
	w.list(1, thriftStruct, len(x.pages))
	for _, p := range x.pages {
		location := compactWriter{b: w.b}
		location.long(1, p.at+shift)
		location.number(2, p.size)
		location.long(3, int64(p.row))
		w.b = append(location.b, thriftStop)
	}
	return append(w.b, thriftStop)
}

// columnIndex encodes what is in the pages; nil when that is not known for each.
func (x *pageIndex) columnIndex() []byte {
	for _, p := range x.pages {
		if p.unknown {
			return nil
		}
	}
	var w compactWriter
	w.list(1, thriftTrue, len(x.pages))
	for _, p := range x.pages {
		if p.empty {
			w.b = append(w.b, thriftTrue)
		} else {
			w.b = append(w.b, thriftFalse)
		}
	}
	w.list(2, thriftBinary, len(x.pages))
	text := holdsText(x.column)
	for _, p := range x.pages {
		w.binary(shortLow(p.low, x.column, text))
	}
	w.list(3, thriftBinary, len(x.pages))
	for _, p := range x.pages {
		w.binary(shortHigh(p.high, x.column, text))
	}
	w.number(4, x.order())
	w.list(5, thriftI64, len(x.pages))
	for _, p := range x.pages {
		w.b = binary.AppendUvarint(w.b, uint64(p.nulls)<<1)
	}
	return append(w.b, thriftStop)
}

// order says whether the bounds of the pages rise or fall, so that a reader may search instead of looking at all. Pages
// of nulls do not count.
func (x *pageIndex) order() int {
	compare := valueOrder(x.column)
	if compare == nil {
		return unorderedPages
	}
	rising, falling := true, true
	var last *indexedPage
	for i := range x.pages {
		p := &x.pages[i]
		if p.empty {
			continue
		}
		if last != nil {
			low, high := compare(last.low, p.low), compare(last.high, p.high)
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
