package parquetsort

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/valuetext"
)

// numbersSchema has keys that tie often, the number of the row, and payload of fixed width.
var numbersSchema = arrow.NewSchema([]arrow.Field{
	{Name: "key", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
	{Name: "x", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
	{Name: "row", Type: arrow.PrimitiveTypes.Int64},
}, nil)

// numbers makes rows first to first+n-1 of a table of numbersSchema.
func numbers(mem memory.Allocator, r *rand.Rand, first, n int) arrow.Record {
	b := array.NewRecordBuilder(mem, numbersSchema)
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

// mixedSchema has strings, a dictionary, structs and lists.
var mixedSchema = arrow.NewSchema([]arrow.Field{
	{Name: "text", Type: arrow.BinaryTypes.String, Nullable: true},
	{Name: "word", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16,
		ValueType: arrow.BinaryTypes.String}, Nullable: true},
	{Name: "at", Type: arrow.StructOf(arrow.Field{Name: "day", Type: arrow.PrimitiveTypes.Date32, Nullable: true},
		arrow.Field{Name: "n", Type: arrow.PrimitiveTypes.Int32, Nullable: true}), Nullable: true},
	{Name: "list", Type: arrow.ListOf(arrow.StructOf(
		arrow.Field{Name: "s", Type: arrow.BinaryTypes.String, Nullable: true})), Nullable: true},
	{Name: "row", Type: arrow.PrimitiveTypes.Int64},
}, nil)

func mixed(mem memory.Allocator, r *rand.Rand, first, n int) arrow.Record {
	b := array.NewRecordBuilder(mem, mixedSchema)
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

// generate writes a file of batches.
func generate(t testing.TB, path string, schema *arrow.Schema, batches int, make func(batch int) arrow.Record) {
	t.Helper()
	generateWith(t, path, schema, tablefile.Compression{Codec: "none"}, batches, make)
}

// generateWith is generate with a compression.
func generateWith(t testing.TB, path string, schema *arrow.Schema, compression tablefile.Compression, batches int,
	make func(batch int) arrow.Record) {
	t.Helper()
	w, err := tablefile.Create(context.Background(), path, schema, tablefile.WriteOptions{Compression: compression})
	require.NoError(t, err)
	defer w.Abort()
	for i := range batches {
		rec := make(i)
		table := array.NewTableFromRecords(schema, []arrow.Record{rec})
		require.NoError(t, w.Write(context.Background(), table))
		table.Release()
		rec.Release()
	}
	require.NoError(t, w.Finish())
	_, err = w.Commit()
	require.NoError(t, err)
}

// A digest is what does not depend on the order of rows: their number and the sum of a checksum of each.
type digest struct {
	rows int64
	sum  uint64
}

func (d *digest) add(rec arrow.Record) {
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
		d.sum += h
		d.rows++
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

// eachBatch reads files from front to back.
func eachBatch(t testing.TB, files []string, use func(rec arrow.Record)) {
	t.Helper()
	for _, file := range files {
		s, err := tablefile.Scan(file, 1<<22, tablefile.ReadOptions{})
		require.NoError(t, err)
		for {
			table, err := s.Next(context.Background())
			if err == io.EOF {
				break
			}
			require.NoError(t, err)
			r := array.NewTableReader(table, -1)
			for r.Next() {
				use(r.Record())
			}
			r.Release()
			table.Release()
		}
		s.Close()
	}
}

func digestOf(t testing.TB, files ...string) digest {
	t.Helper()
	var d digest
	eachBatch(t, files, d.add)
	return d
}

// requireSorted verifies sorted files completely: the rows are those of the inputs, each follows the one before it, and
// ties follow by the last column, which numbers the rows of the inputs.
func requireSorted(t testing.TB, inputs, outputs []string, keys []arrowsort.Key) {
	t.Helper()
	require.Equal(t, digestOf(t, inputs...), digestOf(t, outputs...), "not a permutation")
	var before arrow.Record
	at := int64(0)
	eachBatch(t, outputs, func(rec arrow.Record) {
		stable := append(append([]arrowsort.Key(nil), keys...), arrowsort.KeyAt(int(rec.NumCols())-1))
		parts := []arrow.Record{rec}
		if before != nil {
			parts = []arrow.Record{before, rec}
		}
		table := array.NewTableFromRecords(rec.Schema(), parts)
		sorted, row, err := arrowsort.IsSorted(context.Background(), table, stable, arrowsort.Options{})
		require.NoError(t, err)
		require.True(t, sorted, "row %d of the batch from row %d", row, at)
		table.Release()
		if before != nil {
			before.Release()
		}
		before = rec.NewSlice(rec.NumRows()-1, rec.NumRows())
		at += rec.NumRows()
	})
	if before != nil {
		before.Release()
	}
}

func requireEmpty(t testing.TB, folder string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Empty(t, entries)
}

var (
	makeMany sync.Once
	many     []byte // the file of manyNumbers
)

// manyNumbers is a file whose rows take about one and a half budgets of MinMemory.
func manyNumbers(t testing.TB, folder, name string) string {
	path := filepath.Join(folder, name)
	makeMany.Do(func() {
		r := rand.New(rand.NewPCG(1, 2))
		generate(t, path, numbersSchema, 10, func(batch int) arrow.Record {
			return numbers(memory.DefaultAllocator, r, batch*80_000, 80_000)
		})
		var err error
		many, err = os.ReadFile(path)
		require.NoError(t, err)
	})
	require.NoError(t, os.WriteFile(path, many, 0o600))
	return path
}
