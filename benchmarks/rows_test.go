package benchmarks

import (
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

// BenchmarkRows encodes and decodes the rows of (int64, float64, string of 10 bytes) that benchmarks/rows gives to
// arrow-rs.
func BenchmarkRows(b *testing.B) {
	for _, n := range []int{8192, 1_000_000} {
		rec := rowsTable(n)
		defer rec.Release()
		var fields []rows.Field
		for _, f := range rec.Schema().Fields() {
			fields = append(fields, rows.Field{Name: f.Name, Type: f.Type})
		}
		converter, err := rows.NewConverter(fields...)
		require.NoError(b, err)
		for _, threads := range []int{1, 2} {
			opts := rows.Options{Threads: threads}
			encoded, err := converter.Encode(b.Context(), rec, opts)
			require.NoError(b, err)
			run := func(op string, call func() error) {
				b.Run(fmt.Sprintf("op=%s/rows=%d/threads=%d", op, n, threads), func(b *testing.B) {
					b.SetBytes(int64(len(encoded.Bytes())))
					fastest := time.Duration(math.MaxInt64)
					for b.Loop() {
						start := time.Now()
						require.NoError(b, call())
						fastest = min(fastest, time.Since(start))
					}
					perRow(b, Spec{Rows: n})
					b.ReportMetric(float64(fastest.Nanoseconds())/float64(n), "fastest-ns/row")
				})
			}
			run("encode", func() error {
				r, err := converter.Encode(b.Context(), rec, opts)
				if err == nil {
					r.Release()
				}
				return err
			})
			run("decode", func() error {
				r, err := converter.Decode(b.Context(), encoded, opts)
				if err == nil {
					r.Release()
				}
				return err
			})
		}
	}
}

// rowsTable is (int64, float64, string of 10 letters) of random words; benchmarks/rows makes the same.
func rowsTable(n int) arrow.Record {
	mem := memory.DefaultAllocator
	ints, floats, texts := array.NewInt64Builder(mem), array.NewFloat64Builder(mem), array.NewStringBuilder(mem)
	state := uint64(1)
	for range n {
		ints.Append(int64(nextWord(&state)))
		floats.Append(float64(int64(nextWord(&state))) / math.MaxInt64)
		var text [10]byte
		for w, i := nextWord(&state), 0; i < len(text); i++ {
			text[i] = 'a' + byte(w%26)
			w /= 26
		}
		texts.Append(string(text[:]))
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
