package take

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
)

// BenchmarkTake takes a million random rows of a column of each family of types.
func BenchmarkTake(b *testing.B) {
	const rows = 1 << 20
	str := arrow.BinaryTypes.String
	families := []arrow.DataType{
		arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64,
		&arrow.Decimal128Type{Precision: 20}, &arrow.FixedSizeBinaryType{ByteWidth: 21}, arrow.FixedWidthTypes.Boolean,
		str, arrow.BinaryTypes.StringView, &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: str},
		arrow.ListOf(
			arrow.PrimitiveTypes.Int32,
		), arrow.ListOf(str), arrow.FixedSizeListOf(3, arrow.PrimitiveTypes.Int32),
		arrow.StructOf(arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int64}, arrow.Field{Name: "b", Type: str}),
		arrow.DenseUnionOf(
			[]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int64}, {Name: "b", Type: str}}, []int8{0, 1},
		),
		arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64),
	}
	rng := rand.New(rand.NewPCG(1, 1))
	order := make([]uint32, rows)
	for i, r := range rng.Perm(rows) {
		order[i] = uint32(r)
	}
	for _, typ := range families {
		for _, chunks := range []int{1, 16} {
			for _, nulls := range []float64{0, 0.1} {
				b.Run(fmt.Sprintf("type=%s/rows=%d/chunks=%d/nulls=%v", typ, rows, chunks, nulls), func(b *testing.B) {
					column := make([]arrow.Array, chunks)
					for i := range column {
						column[i] = arrowtest.Random(rng, typ, rows/chunks, nulls, memory.DefaultAllocator)
					}
					defer releaseAll(column)
					for b.Loop() {
						got, err := Take(b.Context(), typ, column, order, Options{})
						require.NoError(b, err)
						releaseAll(got)
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
				})
			}
		}
	}
}
