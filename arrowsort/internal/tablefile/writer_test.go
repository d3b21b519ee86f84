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

func TestWriterThatIsAbortedLeavesNothing(t *testing.T) {
	table := words(t, memory.DefaultAllocator, 9000)
	for _, format := range binaryFormats {
		path := filepath.Join(t.TempDir(), "t")
		w, err := Create(t.Context(), path, table.Schema(), WriteOptions{Format: format})
		require.NoError(t, err)
		require.NoError(t, w.Write(t.Context(), table))
		w.Abort()
		require.NoFileExists(t, path)
	}
}
