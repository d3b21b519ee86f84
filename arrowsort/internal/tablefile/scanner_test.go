package tablefile

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/csv"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// scanAll joins the pieces of a file.
func scanAll(t *testing.T, path string, batchBytes int64, opts ReadOptions) (table arrow.Table, pieces int) {
	t.Helper()
	s, err := Scan(path, batchBytes, opts)
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
				writeFile(t, path, table, WriteOptions{Format: format, RowGroupRows: rowGroups(format, 3000)})
				mem := arrowtest.Checked(t)
				want, err := Read(t.Context(), path, ReadOptions{Format: format})
				require.NoError(t, err)
				defer want.Table.Release()
				batchBytes := int64(1)
				if table.NumRows() > 1000 && !testrun.Long() {
					batchBytes = 10 << 10 // single rows of a long file take seconds
				}
				got, pieces := scanAll(t, path, batchBytes, ReadOptions{Format: format, Allocator: mem})
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
	mem := arrowtest.Checked(t)
	want, err := Read(t.Context(), path, ReadOptions{})
	require.NoError(t, err)
	defer want.Table.Release()
	opts := ReadOptions{CSV: &csv.Schema{}, Allocator: mem}
	require.NoError(t, InferCSV(t.Context(), path, opts))
	got, pieces := scanAll(t, path, 1, opts)
	defer got.Release()
	requireTables(t, want.Table, got)
	require.Equal(t, 3, pieces)

	s := scanFile(t, path, 1, opts)
	require.EqualValues(t, 3, s.Rows)
	s.SelectColumns([]int{1})
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
	for name, batchBytes := range map[string]int64{"pages are kept": 1 << 20, "pages are not kept": 1 << 15} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "in.parquet")
			writeNumbered(t, path, 3, 200_000,
				WriteOptions{RowGroupRows: 60_000, Compression: Compression{Codec: "snappy"}})
			s := scanFile(t, path, batchBytes, ReadOptions{})
			var err error
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

func TestScanSomeColumns(t *testing.T) {
	for _, name := range []string{"t.parquet", "t.arrow", "t.arrows"} {
		t.Run(name, func(t *testing.T) {
			mem := arrowtest.Checked(t)
			table := nestedTable(t, mem)
			defer table.Release()
			path := filepath.Join(t.TempDir(), name)
			writeFile(t, path, table, WriteOptions{Allocator: mem})
			s := scanFile(t, path, 0, ReadOptions{Allocator: mem})
			whole := s.Schema
			s.SelectColumns([]int{2, 0})
			require.True(t, arraydata.Pick(whole, []int{2, 0}).Equal(s.Schema))
			var got []string
			for {
				piece, err := s.Next(t.Context())
				if err == io.EOF {
					break
				}
				require.NoError(t, err)
				require.True(t, s.Schema.Equal(piece.Schema()))
				got = append(got, textOf(t, piece)...)
				piece.Release()
			}
			columns := []arrow.Column{*table.Column(2), *table.Column(0)}
			want := array.NewTable(arraydata.Pick(table.Schema(), []int{2, 0}), columns, table.NumRows())
			defer want.Release()
			require.Equal(t, textOf(t, want), got)
		})
	}
}

// TestOnlySomeParts reads every range of row groups or record batches, with and without dictionaries.
func TestOnlySomeParts(t *testing.T) {
	dictionaries := dictionaryTable(t, memory.DefaultAllocator)
	defer dictionaries.Release()
	flat := flatTable(t, memory.DefaultAllocator, 50, 5)
	defer flat.Release()
	path := filepath.Join(t.TempDir(), "t.parquet")
	writeFile(t, path, flat, WriteOptions{RowGroupRows: 12})
	requireParts(t, path, 5)
	path = filepath.Join(t.TempDir(), "t.arrow")
	writeFile(t, path, dictionaries, WriteOptions{})
	requireParts(t, path, 0)
	path = filepath.Join(t.TempDir(), "t.arrows")
	writeFile(t, path, dictionaries, WriteOptions{})
	s := scanFile(t, path, 1<<20, ReadOptions{})
	require.Nil(t, s.PartSizes())
	require.ErrorContains(t, s.SelectParts(0, 1), "there are 0 row groups")
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
	parts := whole.PartSizes()
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
		require.NoError(t, s.SelectParts(i, 1))
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
			require.NoError(t, s.SelectParts(first, end-first))
			part, err := s.all(t.Context())
			require.NoError(t, err)
			expected := array.NewTableFromSlice(all.Schema(), slicesOf(all, rows[first], rows[end]))
			require.Equal(t, textOf(t, expected), textOf(t, part), "%d to %d", first, end)
			expected.Release()
			part.Release()
			require.ErrorContains(t, s.SelectParts(first, len(parts)+1), path)
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

// An announcedFile counts the bytes that are announced.
type announcedFile struct {
	countedFile
	announced *int64
}

func (f announcedFile) Announce(ranges []Range) {
	for _, r := range ranges {
		*f.announced += r.To - r.From
	}
}

// TestArrowIsMeasuredOnRequest: what reads a part does not ask for the memory of all.
func TestArrowIsMeasuredOnRequest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.arrow")
	writeFile(t, path, listsAndText(4000), WriteOptions{Compression: Compression{Codec: "zstd"}})
	info, err := os.Stat(path)
	require.NoError(t, err)
	var read atomic.Int64
	s, err := Scan(path, 1<<20, ReadOptions{Open: func(path string) (File, error) {
		f, err := os.Open(path)
		return countedFile{f, info.Size(), &read}, err
	}})
	require.NoError(t, err)
	defer s.Close()
	opened := read.Load()
	require.Equal(t, []int64{info.Size(), info.Size(), info.Size()},
		[]int64{s.InMemory, s.Table, s.MemoryWithDictionaries})
	s.Measure()
	require.Greater(t, read.Load(), opened)
	require.Greater(t, s.InMemory, info.Size())
}

// TestAPartIsAnnouncedWhenItIsRead, and no other part; a stream is announced as a whole.
func TestAPartIsAnnouncedWhenItIsRead(t *testing.T) {
	records := array.NewTableReader(listsAndText(4000), 1000)
	var batches []arrow.Record
	for records.Next() {
		records.Record().Retain()
		batches = append(batches, records.Record())
	}
	table := array.NewTableFromRecords(records.Schema(), batches)
	for extension, parts := range map[string]int64{".parquet": 4, ".arrow": 4, ".arrows": 1} {
		path, opts := filepath.Join(t.TempDir(), "x"+extension), WriteOptions{}
		if extension == ".parquet" {
			opts.RowGroupRows = 1000
		}
		writeFile(t, path, table, opts)
		info, err := os.Stat(path)
		require.NoError(t, err)
		read, announced := atomic.Int64{}, int64(0)
		s, err := Scan(path, 1<<20, ReadOptions{Open: func(path string) (File, error) {
			f, err := os.Open(path)
			return announcedFile{countedFile{f, info.Size(), &read}, &announced}, err
		}})
		require.NoError(t, err)
		defer s.Close()
		if parts > 1 {
			require.Zero(t, announced, path)
			require.NoError(t, s.SelectParts(1, 1))
		}
		part, err := s.Next(t.Context())
		require.NoError(t, err)
		part.Release()
		require.InEpsilon(t, info.Size()/parts, announced, 0.1, path)
	}
}
