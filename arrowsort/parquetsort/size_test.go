package parquetsort

import (
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/sorttest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/dictionary"
	"github.com/arrowsort/arrowsort/arrowsort/internal/take"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

func TestTableBytesOfSlicesAddUp(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for name, rec := range map[string]arrow.Record{
		"numbers": sorttest.Numbers(memory.DefaultAllocator, r, 0, 4096),
		"mixed":   sorttest.Mixed(memory.DefaultAllocator, r, 0, 4096),
	} {
		table := array.NewTableFromRecords(rec.Schema(), []arrow.Record{rec})
		whole, parts := arraydata.TableBytes(table), int64(0)
		for first := int64(0); first < 4096; first += 2048 {
			part := arraydata.SliceTable(table, first, first+2048)
			parts += arraydata.TableBytes(part)
			part.Release()
		}
		require.InEpsilon(t, whole, parts, 0.05, name)
		require.Greater(t, whole, int64(4096*16), name)
	}
}

// TestDictionariesCountAsTheirValues in every container: rows are sorted and written with the values.
func TestDictionariesCountAsTheirValues(t *testing.T) {
	opts := take.Options{Allocator: memory.DefaultAllocator}
	r := rand.New(rand.NewPCG(testrun.Seed(), 1))
	for _, values := range []arrow.DataType{arrow.BinaryTypes.String, arrow.BinaryTypes.LargeBinary,
		arrow.BinaryTypes.StringView, arrow.PrimitiveTypes.Int64, arrow.ListOf(arrow.BinaryTypes.String)} {
		for _, c := range arrowtest.Containers() {
			words := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint16, ValueType: values}
			typ := c.Of(arrow.Field{Name: "v", Type: words, Nullable: true})
			a := arrowtest.RandomSlice(r, typ, 1000, 7, 0, memory.DefaultAllocator)
			column := arrow.NewChunked(typ, []arrow.Array{a})
			decoded, err := dictionary.WithType(t.Context(), column, dictionary.DecodedType(typ), opts)
			require.NoError(t, err)
			want := decoded.Chunk(0).Data()
			got := arraydata.ArrayBytes(a.Data(), a.Data().Offset(), a.Len())
			require.InEpsilon(t, arraydata.ArrayBytes(want, want.Offset(), want.Len()), got, 0.01, typ)
		}
	}
}
