package benchmarks

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/rows"
)

// BenchmarkRows encodes and decodes rows of (int64, float64, string of 10 bytes): keys=letters are what benchmarks/rows
// gives to arrow-rs; of keys=bytes, 1 in 13 strings has a byte to escape. The machine may be shared: fastest-ns/row is
// the shortest call.
func BenchmarkRows(b *testing.B) {
	for _, keys := range []string{"letters", "bytes"} {
		for _, n := range []int{8192, 1_000_000} {
			rec := rowsTable(n, keys == "letters")
			for _, threads := range []int{1, 2} {
				benchmarkRows(b, rec, fmt.Sprintf("keys=%s/rows=%d/threads=%d", keys, n, threads), threads)
			}
			rec.Release()
		}
	}
}

func benchmarkRows(b *testing.B, rec arrow.Record, name string, threads int) {
	var fields []rows.Field
	for _, f := range rec.Schema().Fields() {
		fields = append(fields, rows.Field{Name: f.Name, Type: f.Type})
	}
	converter, err := rows.NewConverter(fields...)
	require.NoError(b, err)
	opts := rows.Options{Threads: threads}
	encoded, err := converter.Encode(b.Context(), rec, opts)
	require.NoError(b, err)
	run := func(op string, call func() (interface{ Release() }, error)) {
		b.Run("op="+op+"/"+name, func(b *testing.B) {
			n := rec.NumRows()
			b.SetBytes(int64(len(encoded.Bytes())))
			fastest := time.Duration(math.MaxInt64)
			for b.Loop() {
				start := time.Now()
				result, err := call()
				require.NoError(b, err)
				result.Release()
				fastest = min(fastest, time.Since(start))
			}
			perRow(b, Spec{Rows: int(n)})
			b.ReportMetric(float64(fastest.Nanoseconds())/float64(n), "fastest-ns/row")
		})
	}
	run("encode", func() (interface{ Release() }, error) { return converter.Encode(b.Context(), rec, opts) })
	run("decode", func() (interface{ Release() }, error) { return converter.Decode(b.Context(), encoded, opts) })
}

// rowsTable is (int64, float64, string of 10 letters or random bytes) of random words; benchmarks/rows makes the same
// letters.
func rowsTable(n int, letters bool) arrow.Record {
	mem := memory.DefaultAllocator
	ints, floats := array.NewInt64Builder(mem), array.NewFloat64Builder(mem)
	texts := array.NewBinaryBuilder(mem, arrow.BinaryTypes.String)
	if !letters {
		texts = array.NewBinaryBuilder(mem, arrow.BinaryTypes.Binary)
	}
	state := uint64(1)
	for range n {
		ints.Append(int64(nextWord(&state)))
		floats.Append(float64(int64(nextWord(&state))) / math.MaxInt64)
		var text [10]byte
		if letters {
			for w, i := nextWord(&state), 0; i < len(text); i++ {
				text[i] = 'a' + byte(w%26)
				w /= 26
			}
		} else {
			binary.LittleEndian.PutUint64(text[:], nextWord(&state))
			binary.LittleEndian.PutUint16(text[8:], uint16(nextWord(&state)))
		}
		texts.Append(text[:])
	}
	columns := []arrow.Array{ints.NewArray(), floats.NewArray(), texts.NewArray()}
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "i", Type: columns[0].DataType()}, {Name: "f", Type: columns[1].DataType()},
		{Name: "s", Type: columns[2].DataType()}}, nil)
	return array.NewRecord(schema, columns, int64(n))
}

// nextWord is the next random word of SplitMix64.
func nextWord(state *uint64) uint64 {
	*state += 0x9e37_79b9_7f4a_7c15
	z := *state
	z = (z ^ z>>30) * 0xbf58_476d_1ce4_e5b9
	z = (z ^ z>>27) * 0x94d0_49bb_1331_11eb
	return z ^ z>>31
}
