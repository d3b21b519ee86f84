package tablefile

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/csv"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// scanAll joins the pieces of a file.
func scanAll(t *testing.T, path string, pieceBytes int64, opts ReadOptions) (table arrow.Table, pieces int) {
	t.Helper()
	s, err := Scan(path, pieceBytes, opts)
	require.NoError(t, err)
	defer s.Close()
	var records []arrow.Record
	for {
		piece, err := s.Next(t.Context())
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		pieces++
		r := array.NewTableReader(piece, -1)
		for r.Next() {
			r.Record().Retain()
			records = append(records, r.Record())
		}
		r.Release()
		piece.Release()
	}
	table = array.NewTableFromRecords(s.Schema, records)
	for _, rec := range records {
		rec.Release()
	}
	return table, pieces
}

func TestScanReadsWhatReadReads(t *testing.T) {
	for name, table := range map[string]arrow.Table{
		"flat":       flatTable(t, memory.DefaultAllocator, 5000, 3),
		"words":      words(t, memory.DefaultAllocator, 9000),
		"nested":     nestedTable(t, memory.DefaultAllocator),
		"dictionary": dictionaryTable(t, memory.DefaultAllocator),
	} {
		for _, format := range binaryFormats {
			t.Run(name+"/"+format.String(), func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "t")
				_, err := Write(t.Context(), path, table,
					WriteOptions{Format: format, RowGroupRows: rowGroups(format, 3000)})
				require.NoError(t, err)
				mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
				defer mem.AssertSize(t, 0)
				want, err := Read(t.Context(), path, ReadOptions{Format: format})
				require.NoError(t, err)
				defer want.Table.Release()
				pieceBytes := int64(1)
				if table.NumRows() > 1000 && !testrun.Long() {
					pieceBytes = 10 << 10 // single rows of a long file take seconds
				}
				got, pieces := scanAll(t, path, pieceBytes, ReadOptions{Format: format, Allocator: mem})
				defer got.Release()
				requireTables(t, want.Table, got)
				if format == Parquet {
					require.GreaterOrEqual(t, int64(pieces), table.NumRows()/(2<<10))
				}
			})
		}
	}
}

func TestScanOfACutFileFails(t *testing.T) {
	table := words(t, memory.DefaultAllocator, 9000)
	for _, format := range binaryFormats {
		b := writeBytes(t, table, format, WriteOptions{})
		path := filepath.Join(t.TempDir(), "cut")
		require.NoError(t, os.WriteFile(path, b[:len(b)*2/3], 0o600))
		s, err := Scan(path, 1, ReadOptions{Format: format})
		for err == nil {
			var piece arrow.Table
			if piece, err = s.Next(t.Context()); err == nil {
				piece.Release()
			}
		}
		require.ErrorIs(t, err, ErrCorrupt, format)
		require.Contains(t, err.Error(), path)
	}
}

// Text is read in pieces with the types of all of it, and no other columns than those that are chosen.
func TestScanOfText(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.csv")
	require.NoError(t, os.WriteFile(path, []byte("a,b\n1,x\n2.5,y\n,z\n"), 0o600))
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	want, err := Read(t.Context(), path, ReadOptions{})
	require.NoError(t, err)
	defer want.Table.Release()
	opts := ReadOptions{CSV: &csv.Schema{}, Allocator: mem}
	require.NoError(t, InferCSV(t.Context(), path, opts))
	got, pieces := scanAll(t, path, 1, opts)
	defer got.Release()
	requireTables(t, want.Table, got)
	require.Equal(t, 3, pieces)

	s, err := Scan(path, 1, opts)
	require.NoError(t, err)
	defer s.Close()
	require.EqualValues(t, 3, s.Rows)
	s.Choose([]int{1})
	piece, err := s.Next(t.Context())
	require.NoError(t, err)
	defer piece.Release()
	require.EqualValues(t, 1, piece.NumCols())
	require.Equal(t, "x", piece.Column(0).Data().Chunk(0).ValueStr(0))
}

// An Arrow stream is read from a pipe as it comes. Other formats need a file.
func TestScanOfAPipe(t *testing.T) {
	table := words(t, memory.DefaultAllocator, 100)
	b := writeBytes(t, table, IPCStream, WriteOptions{})
	got, _ := scanAll(t, Pipe, 1, ReadOptions{Stdin: bytes.NewReader(b)})
	defer got.Release()
	requireTables(t, table, got)
	for _, format := range []Format{Parquet, IPCFile, CSV} {
		_, err := Scan(Pipe, 1, ReadOptions{Format: format, Stdin: bytes.NewReader(b)})
		require.ErrorIs(t, err, ErrScan)
	}
}

// A file that is cut while it is read must not look like one that ends there.
func TestScanOfAFileThatIsCutMeanwhileFails(t *testing.T) {
	for name, pieceBytes := range map[string]int64{"pages are kept": 1 << 20, "pages are not kept": 1 << 15} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "in.parquet")
			writeNumbered(t, path, 3, 200_000,
				WriteOptions{RowGroupRows: 60_000, Compression: Compression{Codec: "snappy"}})
			s, err := Scan(path, pieceBytes, ReadOptions{})
			require.NoError(t, err)
			defer s.Close()
			for pieces := 0; err == nil; pieces++ {
				if pieces == 3 {
					require.NoError(t, os.Truncate(path, 100))
				}
				var piece arrow.Table
				if piece, err = s.Next(t.Context()); err == nil {
					piece.Release()
				}
			}
			require.ErrorIs(t, err, ErrCorrupt)
			require.ErrorContains(t, err, path)
		})
	}
}
