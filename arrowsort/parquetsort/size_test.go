package parquetsort

import (
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/arraydata"
)

func TestTableBytesOfSlicesAddUp(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for name, rec := range map[string]arrow.Record{
		"numbers": numbers(memory.DefaultAllocator, r, 0, 4096), "mixed": mixed(memory.DefaultAllocator, r, 0, 4096)} {
		table := array.NewTableFromRecords(rec.Schema(), []arrow.Record{rec})
		whole, parts := arraydata.TableBytes(table), int64(0)
		for first := int64(0); first < 4096; first += 512 {
			part := slice(table, first, first+512)
			parts += arraydata.TableBytes(part)
			part.Release()
		}
		require.InEpsilon(t, whole, parts, 0.05, name)
		require.Greater(t, whole, int64(4096*16), name)
	}
}

func TestDictionariesCountAsTheirValues(t *testing.T) {
	rec := mixed(memory.DefaultAllocator, rand.New(rand.NewPCG(1, 1)), 0, 4096)
	word := rec.Column(1)
	values, err := dictionaryValues(t.Context(), word.Data(), arrowsort.Options{Allocator: memory.DefaultAllocator})
	require.NoError(t, err)
	require.InEpsilon(t, arraydata.ArrayBytes(values.Data(), 0, 4096), arraydata.ArrayBytes(word.Data(), 0, 4096), 0.2)
}
