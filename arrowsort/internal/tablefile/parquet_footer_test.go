package tablefile

import (
	"context"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/fileerror"
)

// TestCompactReaderPassesAWholeFooter walks over every kind of field that Parquet's metadata has.
func TestCompactReaderPassesAWholeFooter(t *testing.T) {
	table := flatTable(t, memory.DefaultAllocator, 40, 2)
	defer table.Release()
	b, err := openBytes(t, writeBytes(t, table, Parquet, WriteOptions{})).MetaData().Serialize(context.Background())
	require.NoError(t, err)
	r := &compactReader{b: b}
	r.skip(thriftStruct)
	require.Equal(t, len(b), r.at)
	for n := range len(b) {
		require.Error(t, fileerror.Contain(func() error { (&compactReader{b: b[:n]}).skip(thriftStruct); return nil }), n)
	}
}
