package tablefile

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// TestBrokenPageIndexes: whatever a byte of a page index is changed to, the zones are read, or it is an error of a
// broken file that names the column.
func TestBrokenPageIndexes(t *testing.T) {
	table := words(t, memory.DefaultAllocator, 300)
	defer table.Release()
	whole := writeBytes(t, table, Parquet, WriteOptions{RowGroupRows: 200, PageRows: 50})
	r, err := file.NewParquetReader(bytes.NewReader(whole))
	require.NoError(t, err)
	chunk := r.MetaData().RowGroups[0].Columns[0]
	path, broken := filepath.Join(t.TempDir(), "x.parquet"), 0
	for _, part := range []struct{ start, length int64 }{
		{*chunk.ColumnIndexOffset, int64(*chunk.ColumnIndexLength)},
		{*chunk.OffsetIndexOffset, int64(*chunk.OffsetIndexLength)},
	} {
		for at := part.start; at < part.start+part.length; at++ {
			for _, b := range testrun.Sample(8, []byte{0, 0x0F, 0x15, 0x19, 0x7F, 0x80, 0xF8, 0xFF}) {
				changed := bytes.Clone(whole)
				changed[at] = b
				require.NoError(t, os.WriteFile(path, changed, 0o600))
				s, err := Scan(path, 1<<20, ReadOptions{})
				require.NoError(t, err)
				mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
				z, err := s.Zones(0, mem)
				s.Close()
				if err != nil {
					broken++
					require.ErrorIs(t, err, errkind.ErrCorrupt)
					require.ErrorContains(t, err, path+": ")
					require.ErrorContains(t, err, "the page index of column")
				}
				if z.Groups.Limits != nil {
					z.Groups.Limits.Release()
				}
				if z.Pages.Limits != nil {
					z.Pages.Limits.Release()
				}
				mem.AssertSize(t, 0)
			}
		}
	}
	require.Greater(t, broken, 10)
}
