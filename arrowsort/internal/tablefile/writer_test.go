package tablefile

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"
)

func TestWriterWritesWhatWriteWrites(t *testing.T) {
	table := words(t, memory.DefaultAllocator, 9000)
	for _, format := range binaryFormats {
		path := filepath.Join(t.TempDir(), "t")
		w, err := Create(t.Context(), path, table.Schema(),
			WriteOptions{Format: format, RowGroupRows: rowGroups(format, 4000)})
		require.NoError(t, err)
		require.NoError(t, w.Write(t.Context(), table))
		require.NoError(t, w.Write(t.Context(), table))
		require.NoError(t, w.Finish())
		_, err = os.Stat(path)
		require.ErrorIs(t, err, os.ErrNotExist, "%s: not before Commit", format)
		n, err := w.Commit()
		require.NoError(t, err)
		w.Abort()
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, info.Size(), n)
		in, err := Read(t.Context(), path, ReadOptions{Format: format})
		require.NoError(t, err)
		rows := textOf(t, table)
		require.Equal(t, append(rows, rows...), textOf(t, in.Table), format)
	}
}

func TestWriterThatIsAbortedLeavesTheOldFile(t *testing.T) {
	table := words(t, memory.DefaultAllocator, 9000)
	for _, format := range binaryFormats {
		path := filepath.Join(t.TempDir(), "t")
		require.NoError(t, os.WriteFile(path, []byte("old"), 0o600))
		w, err := Create(t.Context(), path, table.Schema(), WriteOptions{Format: format})
		require.NoError(t, err)
		require.NoError(t, w.Write(t.Context(), table))
		w.Abort()
		requireOnly(t, path, "old")
	}
}

func TestWriterThatCannotCommitLeavesNothing(t *testing.T) {
	table := words(t, memory.DefaultAllocator, 100)
	folder := t.TempDir()
	path := filepath.Join(folder, "t.parquet")
	w, err := Create(t.Context(), path, table.Schema(), WriteOptions{})
	require.NoError(t, err)
	require.NoError(t, w.Write(t.Context(), table))
	require.NoError(t, w.Finish())
	require.NoError(t, os.Mkdir(path, 0o755)) // somebody takes the name
	_, err = w.Commit()
	require.ErrorContains(t, err, path)
	w.Abort()
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, left, 1)
	require.True(t, left[0].IsDir())
}
