package tablefile

import (
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"
)

// TestOnlySomeParts reads every range of row groups or record batches, with and without dictionaries.
func TestOnlySomeParts(t *testing.T) {
	dictionaries := dictionaryTable(t, memory.DefaultAllocator)
	defer dictionaries.Release()
	flat := flatTable(t, memory.DefaultAllocator, 50, 5)
	defer flat.Release()
	path := filepath.Join(t.TempDir(), "t.parquet")
	_, err := Write(t.Context(), path, flat, WriteOptions{RowGroupRows: 12})
	require.NoError(t, err)
	requireParts(t, path, 5)
	path = filepath.Join(t.TempDir(), "t.arrow")
	_, err = Write(t.Context(), path, dictionaries, WriteOptions{})
	require.NoError(t, err)
	requireParts(t, path, 0)
	path = filepath.Join(t.TempDir(), "t.arrows")
	_, err = Write(t.Context(), path, dictionaries, WriteOptions{})
	require.NoError(t, err)
	s, err := Scan(path, 1<<20, ReadOptions{})
	require.NoError(t, err)
	defer s.Close()
	require.Nil(t, s.PartBytes())
	require.ErrorContains(t, s.Only(0, 1), "there are 0 row groups")
}

// requireParts compares the rows of each range of parts with those of all parts. want is their number, 0 for any.
func requireParts(t *testing.T, path string, want int) {
	t.Helper()
	open := func() *Scanner {
		s, err := Scan(path, 1<<20, ReadOptions{})
		require.NoError(t, err)
		return s
	}
	whole := open()
	parts := whole.PartBytes()
	whole.Close()
	require.NotEmpty(t, parts)
	if want > 0 {
		require.Len(t, parts, want)
	}
	all, _ := scanAll(t, path, 1<<20, ReadOptions{})
	defer all.Release()
	rows := make([]int64, len(parts)+1) // before each part
	for i := range parts {
		require.Positive(t, parts[i])
		s := open()
		require.NoError(t, s.Only(i, 1))
		part, err := s.all(t.Context())
		require.NoError(t, err)
		rows[i+1] = rows[i] + part.NumRows()
		part.Release()
		s.Close()
	}
	require.Equal(t, all.NumRows(), rows[len(parts)])
	for first := range parts {
		for end := first; end <= len(parts); end++ {
			s := open()
			require.NoError(t, s.Only(first, end-first))
			part, err := s.all(t.Context())
			require.NoError(t, err)
			expected := array.NewTableFromSlice(all.Schema(), slicesOf(all, rows[first], rows[end]))
			require.Equal(t, textOf(t, expected), textOf(t, part), "%d to %d", first, end)
			expected.Release()
			part.Release()
			require.ErrorContains(t, s.Only(first, len(parts)+1), path)
			s.Close()
		}
	}
}

// slicesOf are the chunks of some rows of a table.
func slicesOf(table arrow.Table, first, end int64) [][]arrow.Array {
	chunks := make([][]arrow.Array, table.NumCols())
	for i := range chunks {
		chunks[i] = array.NewChunkedSlice(table.Column(i).Data(), first, end).Chunks()
	}
	return chunks
}
