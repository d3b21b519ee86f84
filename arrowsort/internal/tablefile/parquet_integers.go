package tablefile

// Numbers are written as a dictionary and indices where the column may have one and it is worth it; what has more values than that is
// written plain, which is known long before the last row.
const (
	numberEntries = 1 << 17 // of a dictionary: those of 8 bytes fill the page that other writers give it
	hashBits      = 18      // a hash table of twice the entries
	hashSlots     = 1 << hashBits
)

// mostNumbers is how many values of 4 or 8 bytes are worth a dictionary: with more, it and the indices take nearly as much as the values.
func mostNumbers(rows, width int) int { return min(numberEntries, rows*width/16) }

// integerTable finds the number of a value by open addressing.
type integerTable struct {
	values  [hashSlots]int64
	numbers [hashSlots]int32 // plus one; 0 is an empty slot
	entries []int64          // by number
}

// hash spreads values by their product with 2^64 over the golden ratio, whose high bits depend on all bits.
func hash(v int64) uint64 { return uint64(v) * 0x9E3779B97F4A7C15 }

// numberValues numbers the values of rows in the order of their first rows and returns them; nil when there are more than limit.
// The number of a null is anything. The table keeps nothing from one column to the next.
func numberValues[T int32 | int64](t *integerTable, rows []T, v *flatValues, numbers []int32, limit int) []int64 {
	clear(t.numbers[:])
	entries := t.entries[:0]
	if entries == nil {
		entries = make([]int64, 0, 1024)
	}
	last, number := int64(0), int32(-1) // of the row before, which a sorted column repeats
	for i, x := range rows {
		x := int64(x)
		if v.nulls > 0 && !v.valid(i) {
			continue
		}
		if x == last && number >= 0 {
			numbers[i] = number
			continue
		}
		slot := hash(x) >> (64 - hashBits)
		for t.numbers[slot] != 0 && t.values[slot] != x {
			slot = (slot + 1) % hashSlots
		}
		if t.numbers[slot] == 0 {
			if len(entries) == limit {
				return nil
			}
			entries = append(entries, x)
			t.values[slot], t.numbers[slot] = x, int32(len(entries))
		}
		last, number = x, t.numbers[slot]-1
		numbers[i] = number
	}
	t.entries = entries
	return entries
}
