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
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
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
	writeFile(t, path, table, WriteOptions{PageRows: 100})
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

// TestBrokenPageIndexes: whatever a byte of a page index is changed to, the zones are read, or it is an error of a
// broken file that names the column.
func TestBrokenPageIndexes(t *testing.T) {
	table := words(t, memory.DefaultAllocator, 300)
	defer table.Release()
	whole := writeBytes(t, table, Parquet, WriteOptions{RowGroupRows: 200, PageRows: 50})
	r, err := file.NewParquetReader(bytes.NewReader(whole))
	require.NoError(t, err)
	chunk := r.MetaData().RowGroups[0].Columns[0]
	path, broken := filepath.Join(t.TempDir(), "x.parquet"), 0
	for _, part := range []struct{ start, length int64 }{
		{*chunk.ColumnIndexOffset, int64(*chunk.ColumnIndexLength)},
		{*chunk.OffsetIndexOffset, int64(*chunk.OffsetIndexLength)},
	} {
		for at := part.start; at < part.start+part.length; at++ {
			for _, b := range testrun.Sample(8, []byte{0, 0x0F, 0x15, 0x19, 0x7F, 0x80, 0xF8, 0xFF}) {
				changed := bytes.Clone(whole)
				changed[at] = b
				require.NoError(t, os.WriteFile(path, changed, 0o600))
				s, err := Scan(path, 1<<20, ReadOptions{})
				require.NoError(t, err)
				mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
				z, err := s.Zones(0, mem)
				s.Close()
				if err != nil {
					broken++
					require.ErrorIs(t, err, errkind.ErrCorrupt)
					require.ErrorContains(t, err, path+": ")
					require.ErrorContains(t, err, "the page index of column")
				}
				if z.Groups.Limits != nil {
					z.Groups.Limits.Release()
				}
				if z.Pages.Limits != nil {
					z.Pages.Limits.Release()
				}
				mem.AssertSize(t, 0)
			}
		}
	}
	require.Greater(t, broken, 10)
}

// TestIndexOfCopiedChunks copies what pqarrow wrote and compares rows, metadata and page index.
func TestIndexOfCopiedChunks(t *testing.T) {
	table := words(t, memory.DefaultAllocator, 2000)
	defer table.Release()
	for name, props := range map[string][]parquet.WriterProperty{
		"none":   {parquet.WithDictionaryDefault(false)},
		"snappy": {parquet.WithCompression(compress.Codecs.Snappy), parquet.WithCreatedBy("somebody")},
		"small pages": {parquet.WithDataPageSize(100), parquet.WithBatchSize(64),
			parquet.WithDictionaryPageSizeLimit(2000)},
	} {
		t.Run(name, func(t *testing.T) {
			from, to := filepath.Join(t.TempDir(), "from.parquet"), filepath.Join(t.TempDir(), "to.parquet")
			first := foreignBytes(t, table, props...)
			require.NoError(t, os.WriteFile(from, first, 0o644))
			order := []SortingColumn{{Path: "few int64", Descending: true}}
			require.NoError(t, copied(t.Context(), from, to, order))
			b := readFile(t, to)
			in := readInput(t, b, ReadOptions{Format: Parquet})
			require.Equal(t, textOf(t, table), textOf(t, in.Table))
			require.Equal(t, order, sortingOf(t, in.Template))
			r, err := file.NewParquetReader(bytes.NewReader(b))
			require.NoError(t, err)
			before, err := file.NewParquetReader(bytes.NewReader(first))
			require.NoError(t, err)
			require.Equal(t, before.MetaData().KeyValueMetadata(), r.MetaData().KeyValueMetadata())
			require.Equal(t, 3, r.NumRowGroups())
			for group := range r.NumRowGroups() {
				for leaf := range r.MetaData().Schema.NumColumns() {
					requireIndex(t, b, r, group, leaf)
				}
			}
			again := filepath.Join(t.TempDir(), "again.parquet")
			require.NoError(t, copied(t.Context(), to, again, order))
			c := readFile(t, again)
			require.True(t, bytes.Equal(b, c), "the copy of a copy differs: an index is there twice")
		})
	}
}

// TestCopiedStatisticsAreMadeAnew: null counts that are missing and bounds that are wrong are not copied, of columns of
// any type, flat and nested. Those of encodings that are not decoded here are copied while they may be right.
func TestCopiedStatisticsAreMadeAnew(t *testing.T) {
	sc := arrow.NewSchema([]arrow.Field{
		{Name: "n", Type: arrow.PrimitiveTypes.Int64}, {Name: "i8", Type: arrow.PrimitiveTypes.Int8, Nullable: true},
		{Name: "b", Type: arrow.FixedWidthTypes.Boolean, Nullable: true},
		{Name: "d", Type: &arrow.Decimal128Type{Precision: 20, Scale: 2}, Nullable: true},
		{Name: "l", Type: arrow.ListOf(arrow.PrimitiveTypes.Int32), Nullable: true},
		{Name: "s", Type: arrow.StructOf(arrow.Field{Name: "x", Type: arrow.BinaryTypes.String, Nullable: true})},
	}, nil)
	table := tableOf(t, memory.DefaultAllocator, sc, `{"n":1,"i8":-5,"b":true,"d":"-7.25","l":[3,null],"s":{"x":"b"}}
{"n":2,"i8":null,"b":null,"d":null,"l":[],"s":{"x":null}}
{"n":3,"i8":4,"b":true,"d":"1.00","l":[-1],"s":{"x":"a"}}`, 0)
	defer table.Release()
	for name, c := range map[string]struct {
		props []parquet.WriterProperty
		wrong bool
	}{
		"dictionaries": {nil, true}, "plain": {[]parquet.WriterProperty{parquet.WithDictionaryDefault(false)}, true},
		"second version": {[]parquet.WriterProperty{parquet.WithDataPageVersion(parquet.DataPageV2)}, true},
		"delta": {[]parquet.WriterProperty{parquet.WithDictionaryDefault(false),
			parquet.WithEncodingFor("l.list.element", parquet.Encodings.DeltaBinaryPacked)}, true},
		"split": {[]parquet.WriterProperty{parquet.WithDictionaryDefault(false),
			parquet.WithEncodingFor("d", parquet.Encodings.ByteStreamSplit)}, false},
		"wrong split": {[]parquet.WriterProperty{parquet.WithDictionaryDefault(false),
			parquet.WithEncodingFor("d", parquet.Encodings.ByteStreamSplit)}, true},
	} {
		t.Run(name, func(t *testing.T) {
			first := foreignBytes(t, table, c.props...)
			right := openBytes(t, first).MetaData().RowGroups[0]
			b := changed(t, first, func(meta *metadata.FileMetaData) {
				for _, c1 := range meta.RowGroups[0].Columns {
					s := c1.MetaData.Statistics
					if s.NullCount = nil; c.wrong {
						s.MinValue, s.MaxValue = s.MaxValue, s.MinValue
						s.Min, s.Max = s.Max, s.Min
					}
				}
			})
			from, to := filepath.Join(t.TempDir(), "from.parquet"), filepath.Join(t.TempDir(), "to.parquet")
			require.NoError(t, os.WriteFile(from, b, 0o644))
			require.NoError(t, copied(t.Context(), from, to, []SortingColumn{{Path: "n"}}))
			out := readFile(t, to)
			for i, got := range openBytes(t, out).MetaData().RowGroups[0].Columns {
				want := right.Columns[i].MetaData.Statistics
				require.EqualValues(t, *want.NullCount, *got.MetaData.Statistics.NullCount, i)
				if name == "wrong split" && i == 3 {
					require.Nil(t, got.MetaData.Statistics.MinValue)
					continue
				}
				require.Equal(t, want.MinValue, got.MetaData.Statistics.MinValue, i)
				require.Equal(t, want.MaxValue, got.MetaData.Statistics.MaxValue, i)
			}
		})
	}
}
