package writer

import (
	"slices"
	"unsafe"
)

const (
	dictionaryBytes = 1 << 20 // of a dictionary of text at most, as other writers do
	rowsPerText     = 4       // rows for an entry at least
)

// textTable finds the number of a text.
type textTable struct {
	numbers map[string]int32
	first   []int32 // the first row of each number
}

// number numbers the texts of rows in the order of their first rows, which it returns; nil when there are more than
// limit, or too many bytes. The number of a null is anything. The table keeps nothing from one column to the next.
func (t *textTable) number(at func(row int) []byte, v *flatValues, numbers []int32, limit int) []int32 {
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
