package tablefile

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
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

// A forgetful writer loses every second table.
type forgetful struct {
	pieceWriter
	tables int
}

func (f *forgetful) Write(ctx context.Context, table arrow.Table) error {
	if f.tables++; f.tables%2 == 0 {
		return nil
	}
	return f.pieceWriter.Write(ctx, table)
}

// TestFileThatLacksRows is not completed.
func TestFileThatLacksRows(t *testing.T) {
	table := words(t, memory.DefaultAllocator, 100)
	for _, format := range []Format{Parquet, IPCFile, IPCStream, CSV} {
		path := filepath.Join(t.TempDir(), "t")
		w, err := Create(t.Context(), path, table.Schema(), WriteOptions{Format: format})
		require.NoError(t, err)
		w.pieces = &forgetful{pieceWriter: w.pieces}
		for range 3 {
			require.NoError(t, w.Write(t.Context(), table))
		}
		require.EqualError(t, w.Finish(), path+": the file has 200 of 300 rows and is not kept", format)
		w.Abort()
		require.NoFileExists(t, path)
	}
}
