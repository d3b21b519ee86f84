package tablefile

import (
	"sync"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// Integers of 64 bits are turned into a dictionary and indices here before pqarrow writes them: its own dictionary
// allocates a value per row. A dictionary is worth it up to integerEntries values and one per rowsPerInteger rows; what
// has more is written plain, which is known long before the last row.
const (
	integerEntries = 1 << 16
	rowsPerInteger = 4
	hashBits       = 17 // a hash table of twice the entries
	integerSlots   = 1 << hashBits
)

// integerTable finds the number of a value by open addressing.
type integerTable struct {
	values  [integerSlots]int64
	numbers [integerSlots]int32 // plus one; 0 is an empty slot
}

var integerTables = sync.Pool{New: func() any { return new(integerTable) }}

// hash spreads values by their product with 2^64 over the golden ratio, whose high bits depend on all bits.
func hash(v int64) uint64 {
	return uint64(v) * 0x9E3779B97F4A7C15 >> (64 - hashBits)
}

// storesRawInteger says whether the type is stored in Parquet as its 64-bit integer.
func storesRawInteger(typ arrow.DataType) bool {
	ts, ok := typ.(*arrow.TimestampType)
	return typ.ID() == arrow.INT64 || ok && ts.Unit != arrow.Second
}

// integerDictionary turns an array of 64-bit integers into a dictionary array; nil when it has too many values.
func integerDictionary(a arrow.Array, mem memory.Allocator) arrow.Array {
	limit := min(integerEntries, a.Len()/rowsPerInteger)
	buffer := newBuffer(mem, arrow.Int32Traits.BytesRequired(a.Len()))
	defer buffer.Release()
	indices := arrow.Int32Traits.CastFromBytes(buffer.Bytes())
	entries := numberIntegers(a, indices, limit)
	if entries == nil {
		return nil
	}
	var bitmap *memory.Buffer
	if a.NullN() > 0 {
		bitmap = newBuffer(mem, int(bitutil.BytesForBits(int64(a.Len()))))
		defer bitmap.Release()
		bitutil.CopyBitmap(a.NullBitmapBytes(), a.Data().Offset(), a.Len(), bitmap.Bytes(), 0)
	}
	values := array.NewInt64Builder(mem)
	defer values.Release()
	values.AppendValues(entries, nil)
	dictionary := values.NewInt64Array()
	defer dictionary.Release()
	data := array.NewData(arrow.PrimitiveTypes.Int32, a.Len(), []*memory.Buffer{bitmap, buffer}, nil, a.NullN(), 0)
	defer data.Release()
	numbers := array.NewInt32Data(data)
	defer numbers.Release()
	typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.PrimitiveTypes.Int64}
	return array.NewDictionaryArray(typ, numbers, dictionary)
}

// numberIntegers numbers the values in the order of their first rows and returns them; nil when there are more than limit.
// The number of a null is 0.
func numberIntegers(a arrow.Array, numbers []int32, limit int) []int64 {
	table := integerTables.Get().(*integerTable)
	defer integerTables.Put(table)
	clear(table.numbers[:])
	entries := make([]int64, 0, min(limit, 1024))
	rows := arrow.Int64Traits.CastFromBytes(a.Data().Buffers()[1].Bytes())[a.Data().Offset():][:a.Len()]
	valid := a.NullBitmapBytes()
	if a.NullN() == 0 {
		valid = nil
	}
	for i, v := range rows {
		if valid != nil && !bitutil.BitIsSet(valid, a.Data().Offset()+i) {
			numbers[i] = 0
			continue
		}
		slot := hash(v)
		for table.numbers[slot] != 0 && table.values[slot] != v {
			slot = (slot + 1) % integerSlots
		}
		if table.numbers[slot] == 0 {
			if len(entries) == limit {
				return nil
			}
			entries = append(entries, v)
			table.values[slot], table.numbers[slot] = v, int32(len(entries))
		}
		numbers[i] = table.numbers[slot] - 1
	}
	return entries
}
