package foreign

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"
)

// TestParquetGoReadsBloomFilters: parquet-go finds all values of every row group in its Bloom filters, and few others,
// in files that are sorted and in those whose row groups are copied.
func TestParquetGoReadsBloomFilters(t *testing.T) {
	arrowsort, folder := command(t), t.TempDir()
	in, out := filepath.Join(folder, "in.parquet"), filepath.Join(folder, "out.parquet")
	copied := filepath.Join(folder, "copied.parquet")
	require.NoError(t, parquet.WriteFile(in, randomEvents(80_000)))
	columns := []string{"key", "big", "real", "half", "name", "text", "bytes", "id", "when", "tags.list.element",
		"place.y"}
	run := func(args ...string) {
		said, err := exec.CommandContext(t.Context(), arrowsort, args...).CombinedOutput()
		require.NoError(t, err, string(said))
	}
	for name, flags := range map[string][]string{
		"in memory":          {"--row-group-rows", "20000"},
		"larger than memory": {"--memory", "28MiB", "--spill-dir", folder, "--row-group-rows", "20000"},
	} {
		t.Run(name, func(t *testing.T) {
			args := append([]string{"sort", "-q", "-k", "key", "-o", out, in}, flags...)
			for _, column := range columns {
				args = append(args, "--bloom-filter", column+":0.02")
			}
			run(args...)
			requireBloomFilters(t, out, columns)
			run("sort", "-q", "-k", "key", "-o", copied, out)
			requireBloomFilters(t, copied, columns)
		})
	}
}

// requireBloomFilters requires Bloom filters of some leaf columns, and of no others.
func requireBloomFilters(t *testing.T, path string, columns []string) {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	f, err := parquet.OpenFile(readerAt(b), int64(len(b)))
	require.NoError(t, err)
	require.Greater(t, len(f.RowGroups()), 1)
	filters := 0
	for _, group := range f.RowGroups() {
		for _, chunk := range group.ColumnChunks() {
			filter := chunk.BloomFilter()
			if filter == nil {
				continue
			}
			filters++
			for _, v := range valuesOfChunk(t, chunk) {
				found, err := filter.Check(v)
				require.NoError(t, err)
				require.True(t, v.IsNull() || found, "column %d: %v", chunk.Column(), v)
			}
			const probes = 1000
			absent := 0
			for i := range probes {
				found, err := filter.Check(parquet.ByteArrayValue(fmt.Appendf(nil, "absent %d", i)))
				require.NoError(t, err)
				if found {
					absent++
				}
			}
			require.Less(t, absent, probes/20, "column %d", chunk.Column())
		}
	}
	require.Equal(t, len(columns)*len(f.RowGroups()), filters)
}

// valuesOfChunk reads all values of a column chunk.
func valuesOfChunk(t *testing.T, chunk parquet.ColumnChunk) (values []parquet.Value) {
	t.Helper()
	offsets, err := chunk.OffsetIndex()
	require.NoError(t, err)
	pages := chunk.Pages()
	defer pages.Close()
	for range offsets.NumPages() {
		page, err := pages.ReadPage()
		require.NoError(t, err)
		some := make([]parquet.Value, page.NumValues())
		_, _ = page.Values().ReadValues(some) // io.EOF is its end
		for _, v := range some {
			values = append(values, v.Clone())
		}
		parquet.Release(page)
	}
	return values
}
