package tablefile

// moveOffsets encodes an offset index for pages that are moved. It panics for bytes that are none.
func moveOffsets(b []byte, shift int64) []byte {
	var pages []indexedPage
	r := compactReader{b: b}
	r.fields(func(number int, typ byte) {
		if number != 1 || typ != thriftList {
			r.skip(typ)
			return
		}
		for range r.listOf(thriftStruct) {
			var p indexedPage
			r.fields(func(number int, typ byte) {
				switch {
				case number == 1 && typ == thriftI64:
					p.at = r.long()
				case number == 2 && typ == thriftI32:
					p.size = r.number()
				case number == 3 && typ == thriftI64:
					p.row = int(r.long())
				default:
					r.skip(typ)
				}
			})
			pages = append(pages, p)
		}
	})
	return (&pageIndex{pages: pages}).offsetIndex(shift)
}
