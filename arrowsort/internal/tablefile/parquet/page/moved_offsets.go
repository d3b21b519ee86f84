package page

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
