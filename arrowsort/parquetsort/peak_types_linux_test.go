//go:build !race

package parquetsort

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/arraydata"
)

// The table of docs/parquet.md: go test -run PeakMemoryOfTypes -v -peak.all -peak.bytes 400000000 -peak.budget 67108864
var (
	peakBytes  = flag.Int64("peak.bytes", 60_000_000, "bytes in memory of the files of TestPeakMemoryOfTypes")
	peakAll    = flag.Bool("peak.all", false, "all types in TestPeakMemoryOfTypes, not only texts of dictionaries")
	peakBudget = flag.Int64("peak.budget", MinMemory, "budget of TestPeakMemoryOfTypes")
)

// A peakCase is a column next to a key, or a key, in files of a format, and the format of the output.
type peakCase struct {
	name, from, to string
	column         func(r *rand.Rand, rows int) arrow.Array
	isKey          bool
	files          int    // 0: one
	codec          string // of the input; empty: none
}

func ofType(typ arrow.DataType) func(r *rand.Rand, rows int) arrow.Array {
	return func(r *rand.Rand, rows int) arrow.Array {
		return arrowtest.Random(r, typ, rows, 0.1, memory.DefaultAllocator)
	}
}

// texts are texts of a length, of which a number is distinct; 0: all.
func texts(typ arrow.BinaryDataType, length, distinct int) func(r *rand.Rand, rows int) arrow.Array {
	return func(r *rand.Rand, rows int) arrow.Array {
		b := array.NewBuilder(memory.DefaultAllocator, typ).(array.StringLikeBuilder)
		defer b.Release()
		for row := range rows {
			number := r.Uint64()
			if distinct > 0 {
				number = uint64(row % distinct)
			}
			text := bytes.Repeat(fmt.Appendf(nil, "%020d", number), length/20+1)
			b.Append(string(text[:length]))
		}
		return b.NewArray()
	}
}

func peakCases() []peakCase {
	text, ints := arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int64
	pair := arrow.StructOf(arrow.Field{Name: "a", Type: ints, Nullable: true},
		arrow.Field{Name: "b", Type: text, Nullable: true})
	dictionary := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: text}
	floats := arrow.FixedSizeListOf(8, arrow.PrimitiveTypes.Float32)
	return []peakCase{
		{name: "integers", column: ofType(ints)},
		{name: "booleans", column: ofType(arrow.FixedWidthTypes.Boolean)},
		{name: "decimals of 128 bits", column: ofType(&arrow.Decimal128Type{Precision: 20, Scale: 3})},
		{name: "decimals of 256 bits", column: ofType(&arrow.Decimal256Type{Precision: 50, Scale: 7})},
		{name: "strings of 10 bytes", column: texts(text, 10, 0)},
		{name: "strings of 2 kB", column: texts(text, 2000, 0)},
		{name: "strings of 2 kB as keys", column: texts(text, 2000, 0), isKey: true},
		{name: "20 strings of 2 kB", column: texts(text, 2000, 20)},
		{name: "20 strings of 2 kB as keys", column: texts(text, 2000, 20), isKey: true},
		{name: "20 strings of 2 kB, two files", column: texts(text, 2000, 20), files: 2},
		{name: "20 strings of 2 kB, to Arrow", to: "arrow", column: texts(text, 2000, 20)},
		{name: "300 strings of 2 kB", column: texts(text, 2000, 300)},
		{name: "lists of integers", column: ofType(arrow.ListOf(ints))},
		{name: "lists of strings", column: ofType(arrow.ListOf(text))},
		{name: "lists of structs", column: ofType(arrow.ListOf(pair))},
		{name: "structs", column: ofType(pair)},
		{name: "maps", column: ofType(arrow.MapOf(text, ints))},
		{name: "fixed-size lists", column: ofType(floats)},
		{name: "views, Arrow", from: "arrow", to: "arrow", column: ofType(arrow.BinaryTypes.StringView)},
		{name: "views, Arrow to Parquet", from: "arrow", column: ofType(arrow.BinaryTypes.StringView)},
		{name: "lists of strings, Arrow", from: "arrow", to: "arrow", column: ofType(arrow.ListOf(text))},
		{name: "lists of structs, Arrow", from: "arrow", to: "arrow", column: ofType(arrow.ListOf(pair))},
		{name: "dictionaries, Arrow", from: "arrow", to: "arrow", column: ofType(dictionary)},
		{name: "20 strings of 2 kB, compressed Arrow", from: "arrow", codec: "zstd", column: texts(text, 2000, 20)},
	}
}

func TestPeakMemoryOfTypes(t *testing.T) {
	for i, c := range peakCases() {
		if !*peakAll && !strings.HasPrefix(c.name, "20 strings") {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			folder := t.TempDir()
			out := filepath.Join(folder, "out."+cmp.Or(c.to, "parquet"))
			rows := int64(0)
			for file := range max(c.files, 1) {
				in := filepath.Join(folder, fmt.Sprintf("in%d.%s", file, cmp.Or(c.from, "parquet")))
				rows += writePeak(t, in, c, uint64(i))
			}
			t.Log(rows, "rows")
			requirePeak(t, filepath.Join(folder, "in*"), out, *peakBudget)
		})
	}
}

// writePeak writes batches of about an eighth of the budget, whose columns but for the key are the same.
func writePeak(t *testing.T, path string, c peakCase, seed uint64) (rows int64) {
	batchBytes := *peakBudget / 8
	r := rand.New(rand.NewPCG(seed, 6))
	sample := c.column(r, 1000)
	count := int(1000 * batchBytes / (bytesOf(sample) + 8000))
	column := c.column(r, count)
	fields := []arrow.Field{{Name: "key", Type: arrow.PrimitiveTypes.Int64},
		{Name: "v", Type: column.DataType(), Nullable: true}}
	if c.isKey {
		fields[0].Name, fields[1].Name = "v", "key"
	}
	schema := arrow.NewSchema(fields, nil)
	batches := int(*peakBytes / batchBytes / int64(max(c.files, 1)))
	compression := tablefile.Compression{Codec: cmp.Or(c.codec, "none")}
	generateWith(t, path, schema, compression, batches, func(int) arrow.Record {
		keys := arrowtest.Random(r, arrow.PrimitiveTypes.Int64, count, 0, memory.DefaultAllocator)
		rows += int64(count)
		return array.NewRecord(schema, []arrow.Array{keys, column}, int64(count))
	})
	return rows
}

func bytesOf(a arrow.Array) int64 {
	schema := arrow.NewSchema([]arrow.Field{{Name: "v", Type: a.DataType(), Nullable: true}}, nil)
	table := array.NewTableFromRecords(schema,
		[]arrow.Record{array.NewRecord(schema, []arrow.Array{a}, int64(a.Len()))})
	return arraydata.TableBytes(table)
}
