package writer

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
)

// bounds are the bounds of rows of which some are null.
func (v *flatValues) bounds(row, rows, nulls int) page.Bounds {
	b := page.Bounds{Nulls: int64(nulls), Empty: nulls == rows}
	switch {
	case b.Empty:
	case v.plain == nil:
		b.Low, b.High = v.textBounds(row, rows, nulls)
	default:
		b.Low, b.High = v.plain.bounds(v, row, rows, rows-nulls)
		b.Unknown = b.Low == nil // b.low may be empty
	}
	return b
}

// textBounds are bounds of text as a copy.
func (v *flatValues) textBounds(row, rows, nulls int) (low, high []byte) {
	least, greatest := int32(-1), int32(-1)
	for i, k := range v.indices[row : row+rows] {
		switch {
		case k == least || k == greatest || nulls > 0 && !v.valid(row+i):
		case least < 0:
			least, greatest = k, k
		case v.order.less(k, least):
			least = k
		case v.order.less(greatest, k):
			greatest = k
		}
	}
	return slices.Clone(v.order.entry(least)), slices.Clone(v.order.entry(greatest))
}

// entryOrder compares the entries of a dictionary of text, most by eight bytes.
type entryOrder struct {
	entries  []byte   // plain
	starts   []uint32 // of each entry's text
	prefixes []uint64 // the bytes behind those that all entries share, as a big-endian number
}

// set takes the entries.
func (t *entryOrder) set(entries []byte, count int) {
	t.entries, t.starts = entries, slices.Grow(t.starts[:0], count)
	for at := 0; at < len(entries); {
		size := binary.LittleEndian.Uint32(entries[at:])
		t.starts = append(t.starts, uint32(at+4))
		at += 4 + int(size)
	}
	shared := len(entries)
	for i := range t.starts {
		shared = sharedLength(t.entry(0)[:min(shared, len(t.entry(0)))], t.entry(int32(i)))
	}
	t.prefixes = slices.Grow(t.prefixes[:0], count)
	for i := range t.starts {
		var prefix [8]byte
		copy(prefix[:], t.entry(int32(i))[shared:])
		t.prefixes = append(t.prefixes, binary.BigEndian.Uint64(prefix[:]))
	}
}

func (t *entryOrder) entry(k int32) []byte {
	start := t.starts[k]
	return t.entries[start:][:binary.LittleEndian.Uint32(t.entries[start-4:])]
}

func (t *entryOrder) less(j, k int32) bool {
	if a, b := t.prefixes[j], t.prefixes[k]; a != b {
		return a < b
	}
	return bytes.Compare(t.entry(j), t.entry(k)) < 0
}

// sharedLength is the number of bytes that two texts begin with both.
func sharedLength(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
