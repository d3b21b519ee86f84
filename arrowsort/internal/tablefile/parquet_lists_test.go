package tablefile

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// TestListsInParquet writes lists of all kinds, some of them null, over values of every width: in several pages and row
// groups, from chunks that are slices. Null lists have values behind them, which are not written.
func TestListsInParquet(t *testing.T) {
	elements := []arrow.DataType{
		arrow.FixedWidthTypes.Boolean, arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Float64,
		arrow.BinaryTypes.String,
		&arrow.Decimal128Type{Precision: 20, Scale: 3}, &arrow.FixedSizeBinaryType{ByteWidth: 3},
	}
	field := func(typ arrow.DataType) arrow.Field { return arrow.Field{Name: "f", Type: typ, Nullable: true} }
	for i, elem := range elements {
		fixed := arrow.FixedSizeListOf(3, elem)
		for k, typ := range []arrow.DataType{
			arrow.StructOf(field(elem)), arrow.StructOf(field(arrow.StructOf(field(elem)))),
			arrow.ListOf(arrow.StructOf(field(elem))),
			arrow.LargeListOf(elem), arrow.ListOf(arrow.LargeListOf(fixed)),
			arrow.ListOf(elem), fixed, arrow.ListOf(fixed), arrow.FixedSizeListOf(2, fixed),
			arrow.StructOf(field(fixed)),
			arrow.FixedSizeListOf(2, arrow.StructOf(field(elem), field(arrow.ListOf(elem)))),
			arrow.ListOf(arrow.StructOf(field(fixed))),
			arrow.MapOf(arrow.BinaryTypes.String, elem), arrow.MapOf(arrow.PrimitiveTypes.Int16, fixed),
			arrow.FixedSizeListOf(1, arrow.ListOf(elem)),
			arrow.StructOf(field(arrow.StructOf(field(arrow.ListOf(elem))))),
		} {
			for _, nulls := range testrun.Sample(4, []float64{0, 0.03, 0.3, 1}) {
				t.Run(fmt.Sprintf("%s/nulls=%v", typ, nulls), func(t *testing.T) {
					r := rand.New(rand.NewPCG(uint64(i), uint64(k)))
					requireSameInParquet(t, r, typ, nulls, 50, WriteOptions{RowGroupRows: 70, PageRows: 16})
				})
			}
		}
	}
	t.Run("pages of the usual size", func(t *testing.T) {
		typ := arrow.FixedSizeListOf(3, arrow.PrimitiveTypes.Int32)
		requireSameInParquet(t, rand.New(rand.NewPCG(1, 1)), typ, 0.1, 20_000, WriteOptions{})
	})
}

// requireSameInParquet writes three chunks of random rows and reads them again.
func requireSameInParquet(t *testing.T, r *rand.Rand, typ arrow.DataType, nulls float64, rows int, opts WriteOptions) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	var chunks []arrow.Array
	for range 3 {
		chunks = append(chunks, arrowtest.RandomSlice(r, typ, rows+r.IntN(20), r.IntN(20), nulls, mem))
	}
	defer arraydata.Release(chunks)
	field := arrow.Field{Name: "c", Type: typ, Nullable: true}
	chunked := arrow.NewChunked(typ, chunks)
	defer chunked.Release()
	column := arrow.NewColumn(field, chunked)
	defer column.Release()
	table := array.NewTable(arrow.NewSchema([]arrow.Field{field}, nil), []arrow.Column{*column}, -1)
	defer table.Release()
	opts.Allocator = mem
	in, err := readBytes(t, writeBytes(t, table, Parquet, opts), ReadOptions{Format: Parquet, Allocator: mem})
	require.NoError(t, err)
	defer in.Table.Release()
	require.Equal(t, valuesOf(chunked), valuesOf(in.Table.Column(0).Data()))
}
