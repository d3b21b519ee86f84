package tablefile

import (
	"context"
	"errors"
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
	tableWriter
	tables int
}

func (f *forgetful) Write(ctx context.Context, table arrow.Table) error {
	if f.tables++; f.tables%2 == 0 {
		return nil
	}
	return f.tableWriter.Write(ctx, table)
}

// TestFileThatLacksRows is not completed.
func TestFileThatLacksRows(t *testing.T) {
	table := words(t, memory.DefaultAllocator, 100)
	for _, format := range []Format{Parquet, IPCFile, IPCStream, CSV} {
		path := filepath.Join(t.TempDir(), "t")
		w, err := Create(t.Context(), path, table.Schema(), WriteOptions{Format: format})
		require.NoError(t, err)
		w.encoder = &forgetful{tableWriter: w.encoder}
		for range 3 {
			require.NoError(t, w.Write(t.Context(), table))
		}
		require.EqualError(t, w.Finish(), path+": the file has 200 of 300 rows and is not kept", format)
		w.Abort()
		require.NoFileExists(t, path)
	}
}

func TestWriteThatIsCancelledLeavesNothing(t *testing.T) {
	table := words(t, memory.DefaultAllocator, 40_000)
	defer table.Release()
	for _, format := range append(binaryFormats, CSV) {
		t.Run(format.String(), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "out")
			ctx, cancel := context.WithCancel(t.Context())
			_, err := Write(ctx, path, table, WriteOptions{Format: format, RowGroupRows: rowGroups(format, 1000),
				Progress: func(done, total int) {
					require.LessOrEqual(t, done, total)
					require.FileExists(t, path)
					cancel() // in the middle of writing
				}})
			require.ErrorIs(t, err, context.Canceled)
			require.NoFileExists(t, path)
		})
	}
}

func TestWriteToADevice(t *testing.T) {
	table := nestedTable(t, memory.DefaultAllocator)
	defer table.Release()
	n, err := Write(t.Context(), os.DevNull, table, WriteOptions{Format: CSV})
	require.NoError(t, err)
	require.Positive(t, n)
}

type fullDisk struct{ room int }

var errFull = errors.New("no space left")

func (d *fullDisk) Write(p []byte) (int, error) {
	if d.room -= len(p); d.room < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestWriteReportsAFullDisk(t *testing.T) {
	table := words(t, memory.DefaultAllocator, 3000)
	defer table.Release()
	for _, format := range append(binaryFormats, CSV) {
		size := len(writeBytes(t, table, format, WriteOptions{}))
		for _, room := range []int{0, 3, 100, size / 2, size - 1} {
			_, err := Write(t.Context(), Pipe, table, WriteOptions{Format: format, Stdout: &fullDisk{room}})
			require.ErrorIs(t, err, errFull, "%s with room for %d of %d bytes", format, room, size)
		}
	}
}
