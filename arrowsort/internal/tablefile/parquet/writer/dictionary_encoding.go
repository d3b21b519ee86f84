package writer

import (
	"math/bits"
	"slices"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/dictionary"
)

// integerTable finds the number of a value by open addressing.
type integerTable struct {
	values  []int64 // by slot
	numbers []int32 // by slot, plus one; 0 is an empty slot
	entries []int64 // by number
}

// hashBits returns the bits of the number of a slot in a table of at least twice the entries.
func hashBits(entries int) int { return bits.Len(uint(max(2*entries, 2) - 1)) }

// hash spreads values by their product with 2^64 over the golden ratio, whose high bits depend on all bits.
func hash(v int64) uint64 { return uint64(v) * 0x9E3779B97F4A7C15 }

// dictionaryEncode numbers the values of rows in the order of their first rows and returns them; nil when there are
// more than limit. The number of a null is anything. The table keeps nothing from one column to the next.
func dictionaryEncode[T int32 | int64](t *integerTable, rows []T, v *flatValues, numbers []int32, limit int) []int64 {
	bits := hashBits(limit)
	shift, last := 64-bits, uint64(1)<<bits-1
	t.numbers = slices.Grow(t.numbers[:0], 1<<bits)[:1<<bits]
	clear(t.numbers)
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

// encodeBuffers are reused for the values of all column chunks.
type encodeBuffers struct {
	stretch   distinctSample
	integers  integerTable
	textTable textTable
	wide      []int32 // integers of less than 32 bits
	indices   []int32
	used      []int32
	entries   []byte
}

// dictionaryValues returns the rows of a column of text with its dictionary; nil for all others.
func dictionaryValues(field arrow.Field, a arrow.Array, useDictionary bool, s *encodeBuffers) *flatValues {
	if ext, ok := a.(array.ExtensionArray); ok {
		a = ext.Storage()
	}
	d, ok := a.(*array.Dictionary)
	if !ok || !useDictionary || !field.Nullable && d.NullN() > 0 {
		return nil
	}
	if v := rowsOf(a); v.setEntries(d, s) {
		return v
	}
	return nil
}

// setEntries takes strings or bytes that have a dictionary, with only those entries that rows refer to: so a row group
// holds no entries of others, and its statistics are its own. It is false for other dictionaries, and for those with
// nulls as entries, with too many entries, or with an entry twice: Arrow C++ drops the second, but not its index.
func (v *flatValues) setEntries(d *array.Dictionary, s *encodeBuffers) bool {
	if id := d.Dictionary().DataType().ID(); id != arrow.STRING && id != arrow.BINARY || d.Dictionary().NullN() > 0 {
		return false
	}
	v.indices = rawIndices(d, s)
	s.used = slices.Grow(s.used[:0], d.Dictionary().Len())[:d.Dictionary().Len()]
	clear(s.used)
	v.count = v.markUsed(s.used)
	if v.count > dictionary.MaxEntries {
		return false
	}
	if v.count < len(s.used) {
		v.renumber(s)
	}
	s.entries = s.entries[:0]
	entry := dictionary.EntryBytes(d.Dictionary())
	distinct := make(map[string]struct{}, v.count)
	for i, used := range s.used {
		if used == 0 {
			continue
		}
		text := entry(i)
		distinct[string(text)] = struct{}{}
		s.entries = appendText(s.entries, text)
	}
	v.entries = s.entries
	return len(distinct) == v.count
}

// rawIndices returns the indices of a dictionary array as integers of 32 bits.
func rawIndices(d *array.Dictionary, s *encodeBuffers) []int32 {
	if indices, ok := d.Indices().(*array.Int32); ok {
		return indices.Int32Values()
	}
	s.indices = slices.Grow(s.indices[:0], d.Len())[:d.Len()]
	for i := range s.indices {
		s.indices[i] = int32(d.GetValueIndex(i))
	}
	return s.indices
}

// markUsed sets the entries that rows refer to to 1 and counts them.
func (v *flatValues) markUsed(used []int32) (count int) {
	for i, k := range v.indices {
		if count == len(used) { // a small dictionary is seen whole in the first rows
			break
		}
		if v.valid(i) && used[k] == 0 {
			used[k] = 1
			count++
		}
	}
	return count
}

// renumber numbers the used entries consecutively.
func (v *flatValues) renumber(s *encodeBuffers) {
	next := int32(0)
	for i, used := range s.used {
		if next += used; used != 0 {
			s.used[i] = next
		}
	}
	s.indices = slices.Grow(s.indices[:0], v.rows)[:v.rows] // may be v.indices itself
	for i, k := range v.indices {
		if v.valid(i) {
			s.indices[i] = s.used[k] - 1
		}
	}
	v.indices = s.indices
}

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

// A few stretches of rows show most columns that gain nothing from a dictionary, before all values are numbered: nearly
// all values of a stretch differ. Values of a column that gains, in random order, repeat more often.
const (
	stretches    = 3
	stretchRows  = 1 << 12
	distinctFrom = stretchRows - stretchRows/100 // of a stretch; in no order numberEntries values have fewer
	stretchBits  = 14
)
