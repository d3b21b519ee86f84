package tablefile

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"
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
				_, err := Write(t.Context(), path, table, WriteOptions{Format: format, RowGroupRows: rowGroups(format, 3000)})
				require.NoError(t, err)
				mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
				defer mem.AssertSize(t, 0)
				want, err := Read(t.Context(), path, ReadOptions{Format: format})
				require.NoError(t, err)
				defer want.Table.Release()
				got, pieces := scanAll(t, path, 1, ReadOptions{Format: format, Allocator: mem})
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

func TestScanOfTextFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.csv")
	require.NoError(t, os.WriteFile(path, []byte("a\n1\n"), 0o600))
	_, err := Scan(path, 1, ReadOptions{})
	require.ErrorIs(t, err, ErrScan)
}

// A file that is cut while it is read must not look like one that ends there.
func TestScanOfAFileThatIsCutMeanwhileFails(t *testing.T) {
	for name, pieceBytes := range map[string]int64{"pages are kept": 1 << 20, "pages are not kept": 1 << 15} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "in.parquet")
			writeNumbered(t, path, 3, 200_000, WriteOptions{RowGroupRows: 60_000, Compression: Compression{Codec: "snappy"}})
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
