package tablefile

import (
	"bytes"
	"testing"

	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/stretchr/testify/require"
)

func TestRowsOfAPage(t *testing.T) {
	table := severalPages(t)
	defer table.Release()
	for _, most := range []int{0, 1000, 1 << 17} {
		b := writeBytes(t, table, Parquet, WriteOptions{PageRows: most})
		r, err := file.NewParquetReader(bytes.NewReader(b))
		require.NoError(t, err)
		if most == 0 {
			most = DefaultPageRows
		}
		for c := range r.MetaData().Schema.NumColumns() {
			meta := r.MetaData().RowGroups[0].Columns[c]
			_, _, firsts, _ := readOffsetIndex(b[*meta.OffsetIndexOffset:][:*meta.OffsetIndexLength])
			if r.MetaData().Schema.Column(c).Name() == "up" {
				require.Len(t, firsts, (int(table.NumRows())+most-1)/most)
			}
			for i, first := range firsts[1:] {
				require.LessOrEqual(t, first-firsts[i], most)
			}
		}
	}
}
