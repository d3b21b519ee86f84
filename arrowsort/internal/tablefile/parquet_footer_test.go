package tablefile

import (
	"context"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
)

// TestCompactReaderPassesAWholeFooter walks over every kind of field that Parquet's metadata has.
func TestCompactReaderPassesAWholeFooter(t *testing.T) {
	table := flatTable(t, memory.DefaultAllocator, 40, 2)
	defer table.Release()
	b, err := openBytes(t, writeBytes(t, table, Parquet, WriteOptions{})).MetaData().Serialize(context.Background())
	require.NoError(t, err)
	r := &page.CompactReader{Bytes: b}
	r.Skip(page.ThriftStruct)
	require.Equal(t, len(b), r.At)
	for n := range len(b) {
		require.Error(t, errkind.Contain(func() error {
			(&page.CompactReader{Bytes: b[:n]}).Skip(page.ThriftStruct)
			return nil
		}), n)
	}
}
