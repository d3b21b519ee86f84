package writer

import (
	"math/bits"
	"slices"
	"unsafe"
)

// A sample of a few stretches of rows finds most columns that are no better with a dictionary, before all their values
// are numbered: where nearly all values of a stretch differ. Of as many different values as pay, in no order, there are
// more that repeat.
const (
	stretches    = 3
	stretchRows  = 1 << 12
	distinctFrom = stretchRows - stretchRows/100 // of a stretch; in no order numberEntries values have fewer
	stretchBits  = 14
)

// distinctSample is a set of hashes.
type distinctSample [1 << stretchBits]uint64

// mostlyDistinct reports whether nearly all values of each stretch differ, by their hashes.
func (t *distinctSample) mostlyDistinct(v *flatValues, hashAt func(row int) uint64) bool {
	if v.rows < 2*stretches*stretchRows {
		return false
	}
	for s := range stretches {
		first := s * (v.rows - stretchRows) / (stretches - 1)
		if t.distinct(v, first, hashAt) < distinctFrom {
			return false
		}
	}
	return true
}

// distinct counts the values of a stretch from a row on; a null is none.
func (t *distinctSample) distinct(v *flatValues, first int, hashAt func(row int) uint64) (n int) {
	clear(t[:])
	for row := first; row < first+stretchRows; row++ {
		if !v.valid(row) {
			continue
		}
		h := hashAt(row) | 1 // 0 is an empty slot
		slot := h >> (64 - stretchBits)
		for t[slot] != 0 && t[slot] != h {
			slot = (slot + 1) % uint64(len(t))
		}
		if t[slot] == 0 {
			t[slot] = h
			n++
		}
	}
	return n
}

// Numbers are written as a dictionary and indices where the column may have one and it is worth it; what has more
// values than that is written plain, which is known long before the last row.
const numberEntries = 1 << 17 // of a dictionary: those of 8 bytes fill the page that other writers give it

// mostNumbers returns how many values of 4 or 8 bytes are worth a dictionary: with more, it and the indices take nearly
// as much as the values.
func mostNumbers(rows, width int) int { return min(numberEntries, rows*width/16) }

// integerTable finds the number of a value by open addressing.
type integerTable struct {
	values  []int64 // by slot
	numbers []int32 // by slot, plus one; 0 is an empty slot
	entries []int64 // by number
}

// hashBits returns the bits of the number of a slot in a table of at least twice the entries.
func hashBits(entries int) int { return bits.Len(uint(max(2*entries, 2) - 1)) }

// emptied returns n zeros, in the memory of s if it is large enough.
func emptied[T any](s []T, n int) []T {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

// hash spreads values by their product with 2^64 over the golden ratio, whose high bits depend on all bits.
func hash(v int64) uint64 { return uint64(v) * 0x9E3779B97F4A7C15 }

// dictionaryEncode numbers the values of rows in the order of their first rows and returns them; nil when there are
// more than limit. The number of a null is anything. The table keeps nothing from one column to the next.
func dictionaryEncode[T int32 | int64](t *integerTable, rows []T, v *flatValues, numbers []int32, limit int) []int64 {
	bits := hashBits(limit)
	shift, last := 64-bits, uint64(1)<<bits-1
	t.numbers = emptied(t.numbers, 1<<bits)
	t.values = slices.Grow(t.values[:0], 1<<bits)[:1<<bits]
	entries := t.entries[:0]
	if entries == nil {
		entries = make([]int64, 0, 1024)
	}
	before, number := int64(0), int32(-1) // of the row before, which a sorted column repeats
	for i, x := range rows {
		x := int64(x)
		if v.nulls > 0 && !v.valid(i) {
			continue
		}
		if x == before && number >= 0 {
			numbers[i] = number
			continue
		}
		slot := hash(x) >> shift
		for t.numbers[slot] != 0 && t.values[slot] != x {
			slot = (slot + 1) & last
		}
		if t.numbers[slot] == 0 {
			if len(entries) == limit {
				return nil
			}
			entries = append(entries, x)
			t.values[slot], t.numbers[slot] = x, int32(len(entries))
		}
		before, number = x, t.numbers[slot]-1
		numbers[i] = number
	}
	t.entries = entries
	return entries
}

const (
	dictionaryBytes = 1 << 20 // of a dictionary of text at most, as other writers do
	rowsPerText     = 4       // rows for an entry at least
)

// textTable finds the number of a text.
type textTable struct {
	numbers map[string]int32
	first   []int32 // the first row of each number
}

// dictionaryEncode numbers the texts of rows in the order of their first rows, which it returns; nil when there are
// more than limit, or too many bytes. The number of a null is anything. The table keeps nothing from one column to the
// next.
func (t *textTable) dictionaryEncode(at func(row int) []byte, v *flatValues, numbers []int32, limit int) []int32 {
	if t.numbers == nil {
		t.numbers = make(map[string]int32)
	}
	defer clear(t.numbers) // its keys lie in the rows
	t.first = slices.Grow(t.first[:0], 1)
	size := 0
	for i := range numbers {
		if !v.valid(i) {
			continue
		}
		b := at(i)
		text := unsafe.String(unsafe.SliceData(b), len(b))
		n, found := t.numbers[text]
		if !found {
			if size += len(text) + 4; size > dictionaryBytes || len(t.first) == limit {
				return nil
			}
			n = int32(len(t.first))
			t.first, t.numbers[text] = append(t.first, int32(i)), n
		}
		numbers[i] = n
	}
	return t.first
}
