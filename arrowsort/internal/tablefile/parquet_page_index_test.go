package tablefile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// TestRangesWithoutAPageIndexOfLists whose pages start within rows, as arrow-go writes them.
func TestRangesWithoutAPageIndexOfLists(t *testing.T) {
	rng := rand.New(rand.NewPCG(testrun.Seed(), 1))
	lists := arrowtest.Random(rng, arrow.ListOf(arrow.ListOf(arrow.PrimitiveTypes.Int64)), 300, 0,
		memory.DefaultAllocator)
	schema := arrow.NewSchema([]arrow.Field{{Name: "v", Type: lists.DataType()}}, nil)
	table := array.NewTableFromRecords(schema, []arrow.Record{array.NewRecord(schema, []arrow.Array{lists}, -1)})
	for version := 1; version <= 2; version++ {
		path := writeUnaligned(t, table, version, false)
		require.NotEmpty(t, path)
		requireRanges(t, rng, path, fmt.Sprint("version ", version)).Release()
	}
}

// TestDictionariesOfCutPages are read as they are from any row of a page.
func TestDictionariesOfCutPages(t *testing.T) {
	b := array.NewStringBuilder(memory.DefaultAllocator)
	for i := range 1000 {
		if b.Append(fmt.Sprint("entry ", i%7)); i%5 == 0 {
			b.AppendNull()
		}
	}
	schema := arrow.NewSchema([]arrow.Field{{Name: "s", Type: arrow.BinaryTypes.String, Nullable: true}}, nil)
	table := array.NewTableFromRecords(schema, []arrow.Record{array.NewRecord(schema, []arrow.Array{b.NewArray()}, -1)})
	path := filepath.Join(t.TempDir(), "x.parquet")
	_, err := Write(t.Context(), path, table, WriteOptions{PageRows: 100})
	require.NoError(t, err)
	for _, first := range []int64{0, 100, 510, 599} {
		mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
		in, err := Read(t.Context(), path, ReadOptions{Ranges: []RowRange{{First: first, Rows: 250}}, Allocator: mem,
			Dictionaries: true})
		require.NoError(t, err)
		got := in.Table.Column(0).Data()
		require.Equal(t, arrow.DICTIONARY, got.DataType().ID())
		want := arraydata.SliceTable(table, first, first+250)
		require.Equal(t, arrowtest.Values(want.Column(0).Data()), arrowtest.Values(got))
		in.Table.Release()
		mem.AssertSize(t, 0)
	}
}

// TestAWrongFirstRowOfAPageIsAnError where it matters, in columns of numbers, lists, text and booleans: never other
// rows.
func TestAWrongFirstRowOfAPageIsAnError(t *testing.T) {
	const rows, pageRows = 1000, 100
	table, rng, failed := listsAndText(rows), rand.New(rand.NewPCG(testrun.Seed(), 2)), make(map[int]int)
	whole := writeBytes(t, table, Parquet, WriteOptions{PageRows: pageRows})
	r, err := file.NewParquetReader(bytes.NewReader(whole))
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "x.parquet")
	// the last field of a page location, an i64, and its end
	location := func(row int64) []byte { return append(binary.AppendVarint([]byte{1<<4 | 6}, row), 0) }
	for leaf, c := range r.MetaData().RowGroups[0].Columns {
		for range 40 {
			page := pageRows * (1 + rng.Int64N(rows/pageRows-1))
			wrong := page + rng.Int64N(31) - 15
			first := rng.Int64N(rows - 1)
			want := RowRange{First: first, Rows: 1 + rng.Int64N(min(3*pageRows, rows-1-first))}
			changed := slices.Clone(whole)
			index := changed[*c.OffsetIndexOffset:][:*c.OffsetIndexLength]
			require.Equal(t, 1, bytes.Count(index, location(page)))
			copy(index, bytes.Replace(index, location(page), location(wrong), 1))
			require.NoError(t, os.WriteFile(path, changed, 0o600))
			rows := arraydata.SliceTable(table, want.First, want.First+want.Rows).Column(leaf).Data()
			requireRightRows(t, path, want, leaf, rows, failed)
		}
		require.Positive(t, failed[leaf], "column %d", leaf)
	}
}

// requireRightRows reads a range of rows as a table and in batches: each is an error, which it counts, or the rows of a
// column.
func requireRightRows(t *testing.T, path string, r RowRange, column int, rows *arrow.Chunked, failed map[int]int) {
	t.Helper()
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	opts := ReadOptions{Ranges: []RowRange{r}, Allocator: mem}
	for _, read := range []func() (arrow.Table, error){
		func() (arrow.Table, error) {
			in, err := Read(t.Context(), path, opts)
			if err != nil {
				return nil, err
			}
			return in.Table, nil
		},
		func() (arrow.Table, error) {
			s, err := Scan(path, 1<<20, opts)
			if err != nil {
				return nil, err
			}
			defer s.Close()
			return s.Next(t.Context())
		},
	} {
		table, err := read()
		if err != nil {
			require.ErrorIs(t, err, ErrCorrupt)
			failed[column]++
			continue
		}
		require.Equal(t, arrowtest.Values(rows), arrowtest.Values(table.Column(column).Data()), "%v", r)
		table.Release()
	}
	mem.AssertSize(t, 0)
}

// A peakAllocator keeps the greatest number of bytes that were allocated at once.
type peakAllocator struct {
	memory.Allocator
	bytes, peak atomic.Int64
}

func (a *peakAllocator) add(n int) {
	now := a.bytes.Add(int64(n))
	for peak := a.peak.Load(); now > peak && !a.peak.CompareAndSwap(peak, now); peak = a.peak.Load() {
		continue
	}
}

func (a *peakAllocator) Allocate(n int) []byte {
	a.add(n)
	return a.Allocator.Allocate(n)
}

func (a *peakAllocator) Reallocate(n int, b []byte) []byte {
	a.add(n - len(b))
	return a.Allocator.Reallocate(n, b)
}

func (a *peakAllocator) Free(b []byte) {
	a.add(-len(b))
	a.Allocator.Free(b)
}

// TestRowsAreSkippedInLittleMemory, of lists of 24 MB without a page index.
func TestRowsAreSkippedInLittleMemory(t *testing.T) {
	b := array.NewListBuilder(memory.DefaultAllocator, arrow.PrimitiveTypes.Int64)
	for i := range 3000 {
		b.Append(true)
		for j := range 1000 {
			b.ValueBuilder().(*array.Int64Builder).Append(int64(i * j))
		}
	}
	schema := arrow.NewSchema([]arrow.Field{{Name: "v", Type: b.Type(), Nullable: true}}, nil)
	table := array.NewTableFromRecords(schema, []arrow.Record{array.NewRecord(schema, []arrow.Array{b.NewArray()}, -1)})
	var written bytes.Buffer
	props := parquet.NewWriterProperties(parquet.WithDictionaryDefault(false), parquet.WithDataPageSize(100_000))
	require.NoError(t, pqarrow.WriteTable(toTable18(t, table), &written, 3000, props, pqarrow.DefaultWriterProps()))
	path := filepath.Join(t.TempDir(), "x.parquet")
	require.NoError(t, os.WriteFile(path, written.Bytes(), 0o600))
	mem := &peakAllocator{Allocator: memory.DefaultAllocator}
	got, _ := scanAll(t, path, 1<<20, ReadOptions{Ranges: []RowRange{{First: 2999, Rows: 1}}, Allocator: mem})
	want := arraydata.SliceTable(table, 2999, 3000)
	require.Equal(t, arrowtest.Values(want.Column(0).Data()), arrowtest.Values(got.Column(0).Data()))
	require.Less(t, mem.peak.Load(), int64(8<<20))
}
