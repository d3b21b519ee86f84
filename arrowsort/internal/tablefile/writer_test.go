package tablefile

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
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

func TestTargets(t *testing.T) {
	require.NoError(t, CheckTarget(Pipe))
	require.False(t, Replaces(Pipe))
	folder := t.TempDir()
	require.ErrorContains(t, CheckTarget(folder), folder+": is a folder, not a file")
	file := filepath.Join(folder, "new.csv")
	require.NoError(t, CheckTarget(file))
	require.True(t, Replaces(file))
	require.Equal(t, file, OutputPath(file))
}

// TestRowsAreGatheredAsTheyAreWritten writes rows of tables of every type by number, some of them twice, and compares
// with a table that is gathered before.
func TestRowsAreGatheredAsTheyAreWritten(t *testing.T) {
	for name, make := range map[string]func(mem memory.Allocator) arrow.Table{
		"flat":       func(mem memory.Allocator) arrow.Table { return flatTable(t, mem, 3000, 7) },
		"nested":     func(mem memory.Allocator) arrow.Table { return nestedTable(t, mem) },
		"dictionary": func(mem memory.Allocator) arrow.Table { return dictionaryTable(t, mem) },
		"words":      func(mem memory.Allocator) arrow.Table { return words(t, mem, 3000) },
	} {
		t.Run(name, func(t *testing.T) {
			mem := arrowtest.Checked(t)
			table := make(mem)
			defer table.Release()
			r := rand.New(rand.NewPCG(1, 2))
			b := array.NewUint64Builder(mem)
			defer b.Release()
			for range 5000 {
				b.Append(uint64(r.Int64N(table.NumRows())))
			}
			rows := b.NewUint64Array()
			defer rows.Release()
			taken, err := arrowsort.Take(t.Context(), table, rows, arrowsort.Options{Allocator: mem})
			require.NoError(t, err)
			defer taken.Release()
			want := writeBytes(t, taken, Parquet, WriteOptions{Allocator: mem, RowGroupRows: 1700})
			got := writeBytes(t, table, Parquet,
				WriteOptions{Allocator: mem, RowGroupRows: 1700, Rows: rows.Uint64Values()})
			require.True(t, bytes.Equal(want, got), "the files differ")
			none := writeBytes(t, table, Parquet, WriteOptions{Allocator: mem, Rows: rows.Uint64Values()[:0]})
			in, err := readBytes(t, none, ReadOptions{Format: Parquet, Allocator: mem})
			require.NoError(t, err)
			require.Zero(t, in.Table.NumRows())
			in.Table.Release()
		})
	}
	_, err := Write(t.Context(), Pipe, words(t, memory.DefaultAllocator, 1),
		WriteOptions{Format: CSV, Rows: []uint64{0}})
	require.ErrorContains(t, err, "row numbers")
}
