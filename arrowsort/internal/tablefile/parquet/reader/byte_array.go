package reader

import (
	"encoding/binary"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
	"github.com/arrowsort/arrowsort/internal/machine"
)

// A textArray is a growing array of text.
type textArray[T int32 | int64] struct {
	mem     memory.Allocator
	offsets []T // of the rows, and the end of the last
	data    *memory.Buffer
	size    int // bytes of text
}

// readText reads text in plain or dictionary encoding. A chunk may have both: writers change to plain pages when the
// dictionary is too large.
func readText[T int32 | int64](r *columnReader, mem memory.Allocator, rows, size int) (arrow.Array, error) {
	offsets := arraydata.NewBuffer(mem, len(arrow.GetBytes([]T{0}))*(rows+1))
	defer offsets.Release()
	machine.AdviseHuge(offsets.Bytes(), machine.HugeBytes)
	t := &textArray[T]{mem: mem, offsets: arrow.GetData[T](offsets.Bytes()), data: memory.NewResizableBuffer(mem)}
	defer func() { t.data.Release() }()
	t.move(size)
	validity := r.newValidity(mem, rows)
	nulls, err := t.read(r, rows, validity.Bytes())
	t.data.ResizeNoShrink(t.size)
	return r.makeArray(rows, nulls, err, validity, offsets, t.data)
}

// reserve makes room for n more bytes, the text up to a row. A buffer that has to grow gets room for the remaining
// rows, too, by the mean so far.
func (t *textArray[T]) reserve(n, row int) {
	if need := t.size + n; need > t.data.Cap() {
		rest := len(t.offsets) - 1 - row
		t.move(need + min(int(float64(need)/float64(row)*float64(rest)), need))
	}
	t.data.ResizeNoShrink(t.data.Cap())
}

// move copies the text to a buffer of a size.
func (t *textArray[T]) move(size int) {
	to := arraydata.NewBuffer(t.mem, size)
	machine.AdviseHuge(to.Bytes(), machine.HugeBytes)
	copy(to.Bytes(), t.data.Bytes()[:t.size])
	t.data.Release()
	t.data = to
}

// read reads rows and returns how many of them are null.
func (t *textArray[T]) read(r *columnReader, rows int, bitmap []byte) (nulls int, err error) {
	t.offsets[0] = 0
	return r.eachSpan(rows, bitmap, func(row, n, present int) (err error) {
		if r.packed {
			err = t.decodeIndices(r, row, present)
		} else {
			err = t.plain(r, row, present)
		}
		if err == nil && present < n {
			t.scatterNulls(row, n, present, bitmap)
		}
		return err
	})
}

// keepText keeps a dictionary of text and finds the starts of its entries, each after its length.
func (r *columnReader) keepText(p *page.Page) (int, error) {
	s := r.scratch
	entries := page.Grow(s.Entries, len(p.Body))
	copy(entries, p.Body)
	s.Starts = slices.Grow(s.Starts[:0], p.Values+1)
	at := 0
	for range p.Values {
		if len(entries)-at < 4 {
			return 0, errkind.Corrupt("a dictionary is cut off")
		}
		s.Starts = append(s.Starts, uint32(at+4))
		if at += 4 + int(binary.LittleEndian.Uint32(entries[at:])); at > len(entries) {
			return 0, errkind.Corrupt("an entry of a dictionary is cut off")
		}
	}
	s.Starts = append(s.Starts, uint32(at+4))
	return p.Values, nil
}

// plain appends n values of a plain page.
func (t *textArray[T]) plain(r *columnReader, row, n int) error {
	length, err := plainLength(r.plain, n)
	if err != nil {
		return err
	}
	t.reserve(length, row+n)
	src, dst, size := r.plain, t.data.Bytes(), t.size
	ends := t.offsets[row+1 : row+1+n]
	for i := range ends {
		end := 4 + int(binary.LittleEndian.Uint32(src))
		size += copy(dst[size:], src[4:end])
		ends[i] = T(size)
		src = src[end:]
	}
	r.plain = src
	return t.end(size)
}

// plainLength returns the length of the first n texts of a plain page.
func plainLength(page []byte, n int) (length int, err error) {
	at := 0
	for range n {
		if len(page)-at < 4 {
			return 0, errkind.Corrupt("a plain page of text is cut off")
		}
		text := int(binary.LittleEndian.Uint32(page[at:]))
		if at += 4; text > len(page)-at {
			return 0, errkind.Corrupt("a text of %d bytes passes its page", text)
		}
		at += text
	}
	return at - 4*n, nil
}

// decodeIndices appends the entries of n indices.
func (t *textArray[T]) decodeIndices(r *columnReader, row, n int) error {
	s := r.scratch
	var block [1024]uint32
	for n > 0 {
		b := block[:min(len(block), n)]
		greatest, err := r.indices.Read(b)
		if err := page.CheckIndex(greatest, r.entries, err); err != nil {
			return err
		}
		starts, length := s.Starts, 0
		for _, k := range b {
			length += int(starts[k+1] - starts[k] - 4)
		}
		t.reserve(length, row+len(b))
		src, dst, size := s.Entries.Bytes(), t.data.Bytes(), t.size
		ends := t.offsets[row+1 : row+1+len(b)]
		for i, k := range b {
			size += copy(dst[size:], src[starts[k]:starts[k+1]-4])
			ends[i] = T(size)
		}
		if err := t.end(size); err != nil {
			return err
		}
		row, n = row+len(b), n-len(b)
	}
	return nil
}

// end sets the length of the text to the bytes that were appended.
func (t *textArray[T]) end(size int) error {
	if t.size = size; int(T(size)) != size {
		return errkind.Corrupt("text of more than 2 GiB")
	}
	return nil
}

// scatterNulls moves the ends of the values from the first of n rows to the rows that are not null. Null rows are
// empty.
func (t *textArray[T]) scatterNulls(row, n, present int, bitmap []byte) {
	ends := t.offsets[row+1 : row+1+n]
	before := t.offsets[row]
	for i := range slices.Backward(ends) {
		if present == 0 {
			ends[i] = before
			continue
		}
		ends[i] = ends[present-1]
		if bitutil.BitIsSet(bitmap, row+i) {
			present--
		}
	}
}
