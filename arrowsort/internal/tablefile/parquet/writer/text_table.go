package writer

import (
	"bytes"
	"hash/maphash"
	"slices"
)

const (
	dictionaryBytes = 1 << 20 // of a dictionary of text at most, as other writers do
	rowsPerText     = 4       // rows for an entry at least
)

// textTable finds the number of a text by open addressing.
type textTable struct {
	hashes  []uint64 // by slot
	numbers []int32  // by slot, plus one; 0 is an empty slot
	first   []int32  // the first row of each number
	seed    maphash.Seed
}

func newTextTable() *textTable { return &textTable{seed: maphash.MakeSeed()} }

// number numbers the texts of rows in the order of their first rows, which it returns; nil when there are more than
// limit, or too many bytes. The number of a null is anything. The table keeps nothing from one column to the next.
func (t *textTable) number(at func(row int) []byte, v *flatValues, numbers []int32, limit int) []int32 {
	bits := hashBits(limit)
	shift, last := 64-bits, uint64(1)<<bits-1
	t.numbers = emptied(t.numbers, 1<<bits)
	t.hashes = slices.Grow(t.hashes[:0], 1<<bits)[:1<<bits]
	if t.first = t.first[:0]; t.first == nil {
		t.first = make([]int32, 0, 1024)
	}
	size := 0
	for i := range numbers {
		if !v.valid(i) {
			continue
		}
		text := at(i)
		h := maphash.Bytes(t.seed, text)
		slot := h >> shift
		for t.numbers[slot] != 0 && (t.hashes[slot] != h || !bytes.Equal(at(int(t.first[t.numbers[slot]-1])), text)) {
			slot = (slot + 1) & last
		}
		if t.numbers[slot] == 0 {
			if size += len(text) + 4; size > dictionaryBytes || len(t.first) == limit {
				return nil
			}
			t.first = append(t.first, int32(i))
			t.hashes[slot], t.numbers[slot] = h, int32(len(t.first))
		}
		numbers[i] = t.numbers[slot] - 1
	}
	return t.first
}
