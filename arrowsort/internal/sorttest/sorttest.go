// Package sorttest has rows to sort, and their digest, for the tests of external sorts.
package sorttest

import (
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"math/rand/v2"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/valuetext"
)

// NumbersSchema has keys that tie often, the number of the row, and payload of fixed width.
var NumbersSchema = arrow.NewSchema([]arrow.Field{
	{Name: "key", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
	{Name: "x", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
	{Name: "row", Type: arrow.PrimitiveTypes.Int64},
}, nil)

// Numbers makes rows first to first+n-1 of a table of NumbersSchema.
func Numbers(mem memory.Allocator, r *rand.Rand, first, n int) arrow.Record {
	b := array.NewRecordBuilder(mem, NumbersSchema)
	defer b.Release()
	key, x, row := b.Field(0).(*array.Int64Builder), b.Field(1).(*array.Float64Builder),
		b.Field(2).(*array.Int64Builder)
	for i := range n {
		switch v := r.Int64N(int64(n)); {
		case v%50 == 0:
			key.AppendNull()
		default:
			key.Append(v*1_000_003 - 1<<40)
		}
		switch v := r.IntN(20); v {
		case 0:
			x.Append(math.NaN())
		case 1:
			x.AppendNull()
		default:
			x.Append(float64(v) - 10)
		}
		row.Append(int64(first + i))
	}
	return b.NewRecord()
}

// MixedSchema has strings, a dictionary, structs and lists.
var MixedSchema = arrow.NewSchema([]arrow.Field{
	{Name: "text", Type: arrow.BinaryTypes.String, Nullable: true},
	{Name: "word", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16,
		ValueType: arrow.BinaryTypes.String}, Nullable: true},
	{Name: "at", Type: arrow.StructOf(arrow.Field{Name: "day", Type: arrow.PrimitiveTypes.Date32, Nullable: true},
		arrow.Field{Name: "n", Type: arrow.PrimitiveTypes.Int32, Nullable: true}), Nullable: true},
	{Name: "list", Type: arrow.ListOf(arrow.StructOf(
		arrow.Field{Name: "s", Type: arrow.BinaryTypes.String, Nullable: true})), Nullable: true},
	{Name: "row", Type: arrow.PrimitiveTypes.Int64},
}, nil)

// Mixed makes rows first to first+n-1 of a table of MixedSchema.
func Mixed(mem memory.Allocator, r *rand.Rand, first, n int) arrow.Record {
	b := array.NewRecordBuilder(mem, MixedSchema)
	defer b.Release()
	or := func(value string) string {
		if r.IntN(10) == 0 {
			return "null"
		}
		return value
	}
	for i := range n {
		text := or(fmt.Sprintf(`"common start of all %0*d"`, r.IntN(40), r.IntN(200)))
		word := or(fmt.Sprintf(`"word %d"`, r.IntN(40)+first/n))
		at := or(fmt.Sprintf(`{"day":%s,"n":%s}`, or(fmt.Sprint(r.IntN(9))), or(fmt.Sprint(r.IntN(99)))))
		list := or(fmt.Sprintf(`[{"s":%s},{"s":"x"}]`, or(`"s"`)))
		if r.IntN(5) == 0 {
			list = "[]"
		}
		row := fmt.Sprintf(`{"text":%s,"word":%s,"at":%s,"list":%s,"row":%d}`, text, word, at, list, first+i)
		if err := b.UnmarshalJSON([]byte(row)); err != nil {
			panic(err)
		}
	}
	return b.NewRecord()
}

// A Digest is what does not depend on the order of rows: their number and the sum of a checksum of each.
type Digest struct {
	Rows int64
	Sum  uint64
}

// Add adds the rows of a batch.
func (d *Digest) Add(rec arrow.Record) {
	cells := make([]func(int) uint64, rec.NumCols())
	for c := range cells {
		cells[c] = checksum(rec.Column(c))
	}
	for i := range int(rec.NumRows()) {
		h := uint64(1)
		for c, cell := range cells {
			const golden = 0x9E3779B97F4A7C15 // 2^64 over the golden ratio
			h = (h ^ 1) * golden
			if rec.Column(c).IsValid(i) {
				h = (h ^ cell(i)) * golden
				h ^= h >> 29
			}
		}
		d.Sum += h
		d.Rows++
	}
}

// checksum gives the bits of a value, or a hash of its text.
func checksum(column arrow.Array) func(i int) uint64 {
	switch a := column.(type) {
	case *array.Int64:
		return func(i int) uint64 { return uint64(a.Value(i)) }
	case *array.Float64:
		return func(i int) uint64 { return math.Float64bits(a.Value(i)) }
	}
	text := valuetext.Formatter(column)
	return func(i int) uint64 {
		h := fnv.New64a()
		io.WriteString(h, text(i))
		return h.Sum64()
	}
}
