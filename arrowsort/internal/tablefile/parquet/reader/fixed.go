package reader

import (
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/bitutil"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/fileerror"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
)

// A fixedReader reads values of four or eight bytes that Parquet stores as Arrow does, or with text the indices of its
// dictionary.
type fixedReader struct {
	chunkReader
	width   int
	indexed func(p *page.Page) (int, error) // keeps the dictionary of text; nil: of numbers
}

// read fills dst with rows and marks those that are there in the bitmap, where dst begins at a row. It returns how many
// are null.
func (r *fixedReader) read(dst, bitmap []byte, row int) (nulls int, err error) {
	keep := r.indexed
	if keep == nil {
		keep = r.keepNumbers
	}
	for len(dst) > 0 {
		n, err := r.span(len(dst)/r.width, keep)
		if err != nil {
			return 0, err
		}
		present, err := r.validity(bitmap, row, n)
		if err != nil {
			return 0, err
		}
		if err := r.values(dst[:present*r.width]); err != nil {
			return 0, err
		}
		if present < n {
			nulls += n - present
			if r.width == 4 {
				spread(arrow.Uint32Traits.CastFromBytes(dst[:n*4]), present, bitmap, row)
			} else {
				spread(arrow.Uint64Traits.CastFromBytes(dst[:n*8]), present, bitmap, row)
			}
		}
		r.left -= n
		row, dst = row+n, dst[n*r.width:]
	}
	return nulls, nil
}

// keepNumbers keeps a dictionary of numbers.
func (r *fixedReader) keepNumbers(p *page.Page) (int, error) {
	copy(page.Grow(r.scratch.Entries, p.Values*r.width), p.Body)
	return p.Values, nil
}

// values decodes the next values of the page, without its nulls.
func (r *fixedReader) values(dst []byte) error {
	switch {
	case len(dst) == 0:
		return nil
	case !r.packed && r.indexed != nil:
		return fileerror.Corrupt("a plain page of text where a dictionary belongs")
	case !r.packed:
		if len(r.plain) < len(dst) {
			return fileerror.Corrupt("a plain page has %d bytes for %d", len(r.plain), len(dst))
		}
		copy(dst, r.plain)
		r.plain = r.plain[len(dst):]
		return nil
	case r.entries < 0:
		return fileerror.Corrupt("indices without a dictionary")
	case r.indexed != nil:
		greatest, err := r.indices.Read(arrow.Uint32Traits.CastFromBytes(dst))
		return page.CheckIndex(greatest, r.entries, err)
	}
	entries := r.scratch.Entries.Bytes()[:r.entries*r.width]
	if r.width == 4 {
		return lookUp(arrow.Uint32Traits.CastFromBytes(dst), &r.indices, arrow.Uint32Traits.CastFromBytes(entries))
	}
	return lookUp(arrow.Uint64Traits.CastFromBytes(dst), &r.indices, arrow.Uint64Traits.CastFromBytes(entries))
}

// lookUp replaces indices by entries, some at a time so that they stay in the first cache.
func lookUp[T uint32 | uint64](dst []T, indices *page.HybridReader, entries []T) error {
	var block [1024]uint32
	for len(dst) > 0 {
		b := block[:min(len(block), len(dst))]
		greatest, err := indices.Read(b)
		if err := page.CheckIndex(greatest, len(entries), err); err != nil {
			return err
		}
		for i, index := range b {
			dst[i] = entries[index]
		}
		dst = dst[len(b):]
	}
	return nil
}

// spread moves values, which lie at the front, to the rows that have one; the others become 0.
func spread[T uint32 | uint64](rows []T, present int, validity []byte, first int) {
	for i := range slices.Backward(rows) {
		if bitutil.BitIsSet(validity, first+i) {
			present--
			rows[i] = rows[present]
		} else {
			rows[i] = 0
		}
	}
}
