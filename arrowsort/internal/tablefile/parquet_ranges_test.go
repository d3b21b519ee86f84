package tablefile

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
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
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/writer"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// TestRangesOfRowsOfEveryType: ranges of rows are the rows of the file at these places, in every type and container,
// read as a table and in batches, with pages of all columns that begin at the same rows, and with others.
func TestRangesOfRowsOfEveryType(t *testing.T) {
	seed, foreign := testrun.Seed(), 0
	for _, box := range arrowtest.Containers() {
		for _, typ := range arrowtest.Flat() {
			for _, nulls := range []float64{0, 0.3} {
				seed++
				field := arrow.Field{Name: "v", Type: box.Of(arrow.Field{Name: "item", Type: typ, Nullable: nulls > 0})}
				if _, unwritten := writer.Unsupported(field); unwritten != nil ||
					!testrun.Share(24, box.Name, typ, nulls) {
					continue
				}
				rng := rand.New(rand.NewPCG(seed, 7))
				table := arrowtest.RandomTable(field.Type, nulls, []int{90, 111, 99}, seed)
				for _, a := range table.Column(0).Data().Chunks() {
					toWholeDays(a.Data())
				}
				path := filepath.Join(t.TempDir(), "aligned.parquet")
				opts := WriteOptions{RowGroupRows: 110, PageRows: 1 + rng.IntN(30), PageVersion: 1 + rng.IntN(2)}
				writeFile(t, path, table, opts)
				name := fmt.Sprintf("%s of %s, nulls %g, seed %d", box.Name, typ, nulls, seed)
				in := requireRanges(t, rng, path, name)
				if path = writeUnaligned(t, in, opts.PageVersion, rng.IntN(3) > 0); path != "" {
					foreign++
					requireRanges(t, rng, path, name+", by arrow-go").Release()
				}
				in.Release()
				table.Release()
			}
		}
	}
	require.Positive(t, foreign)
}

// writeUnaligned writes a table with pages of some bytes, with a page index or without, by arrow-go, which does not
// write every type: then the path is empty.
func writeUnaligned(t *testing.T, table arrow.Table, version int, index bool) string {
	props := []parquet.WriterProperty{parquet.WithDataPageSize(200), parquet.WithBatchSize(7),
		parquet.WithPageIndexEnabled(index)}
	if version == 2 {
		props = append(props, parquet.WithDataPageVersion(parquet.DataPageV2))
	}
	var b bytes.Buffer
	if pqarrow.WriteTable(toTable18(t, table), &b, 110, parquet.NewWriterProperties(props...),
		pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema())) != nil {
		return ""
	}
	path := filepath.Join(t.TempDir(), "unaligned.parquet")
	require.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
	return path
}

// randomRanges are ranges of rows of the row groups of a file, and their first rows in the file.
func randomRanges(rng *rand.Rand, groups []RowGroup) (ranges []RowRange, starts []int64) {
	start := int64(0)
	for number, g := range groups {
		for first := rng.Int64N(g.Rows); first < g.Rows && rng.IntN(4) > 0; first += 1 + rng.Int64N(40) {
			r := RowRange{Group: number, First: first, Rows: 1 + rng.Int64N(g.Rows-first)}
			if rng.IntN(8) == 0 && first == 0 {
				r.Rows = g.Rows
			}
			ranges, starts = append(ranges, r), append(starts, start+r.First)
			first += r.Rows
		}
		start += g.Rows
	}
	return ranges, starts
}

// requireRanges checks that random ranges of a file, which it returns, are read right, without more than their pages.
func requireRanges(t *testing.T, rng *rand.Rand, path, name string) arrow.Table {
	t.Helper()
	whole, err := Read(t.Context(), path, ReadOptions{})
	require.NoError(t, err, name)
	for range 3 {
		ranges, starts := randomRanges(rng, whole.Template.RowGroups())
		want := make([][]string, whole.Table.NumCols())
		for i, r := range ranges {
			part := arraydata.SliceTable(whole.Table, starts[i], starts[i]+r.Rows)
			for c := range want {
				want[c] = append(want[c], arrowtest.Values(part.Column(c).Data())...)
			}
			part.Release()
		}
		if ranges == nil {
			ranges = []RowRange{} // none, not all
		}
		mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
		opts := ReadOptions{Ranges: ranges, Allocator: mem}
		in, err := Read(t.Context(), path, opts)
		require.NoError(t, err, "%s: %v", name, ranges)
		inBatches, _ := scanAll(t, path, 1<<(4+rng.IntN(10)), opts)
		for c := range want {
			require.Equal(t, want[c], arrowtest.Values(in.Table.Column(c).Data()), "%s: %v", name, ranges)
			require.Equal(t, want[c], arrowtest.Values(inBatches.Column(c).Data()), "%s: %v", name, ranges)
		}
		in.Table.Release()
		inBatches.Release()
		mem.AssertSize(t, 0)
	}
	return whole.Table
}

// listsAndText has columns with small dictionaries or none, which are read with every page.
func listsAndText(rows int) arrow.Table {
	schema := arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int64},
		{Name: "list", Type: arrow.ListOf(arrow.PrimitiveTypes.Int64)}, {Name: "s", Type: arrow.BinaryTypes.String},
		{Name: "b", Type: arrow.FixedWidthTypes.Boolean}}, nil)
	b, rng := array.NewRecordBuilder(memory.DefaultAllocator, schema), rand.New(rand.NewPCG(1, 1))
	defer b.Release()
	for i := range rows {
		b.Field(0).(*array.Int64Builder).Append(rng.Int64())
		list := b.Field(1).(*array.ListBuilder)
		list.Append(true)
		for range i % 4 {
			list.ValueBuilder().(*array.Int64Builder).Append(rng.Int64N(99))
		}
		b.Field(2).(*array.StringBuilder).Append(fmt.Sprint(rng.Uint64()))
		b.Field(3).(*array.BooleanBuilder).Append(i%3 == 0)
	}
	return array.NewTableFromRecords(schema, []arrow.Record{b.NewRecord()})
}

// A countedFile counts the bytes that are read.
type countedFile struct {
	*os.File
	size int64
	read *atomic.Int64
}

func (f countedFile) Size() int64 { return f.size }

func (f countedFile) ReadAt(p []byte, at int64) (int, error) {
	n, err := f.File.ReadAt(p, at)
	f.read.Add(int64(n))
	return n, err
}

// TestRangesReadTheirPagesOnly, of all columns.
func TestRangesReadTheirPagesOnly(t *testing.T) {
	table := listsAndText(20_000)
	path := filepath.Join(t.TempDir(), "x.parquet")
	writeFile(t, path, table, WriteOptions{PageRows: 500, Compression: Compression{Codec: "none"}})
	info, err := os.Stat(path)
	require.NoError(t, err)
	last := table.NumRows() - 1
	for _, r := range []RowRange{{First: 0, Rows: 500}, {First: 1100, Rows: 10}, {First: last, Rows: 1}} {
		var read atomic.Int64
		opts := ReadOptions{Ranges: []RowRange{r}, Open: func(path string) (File, error) {
			f, err := os.Open(path)
			return countedFile{f, info.Size(), &read}, err
		}}
		got, _ := scanAll(t, path, 1<<20, opts)
		want := arraydata.SliceTable(table, r.First, r.First+r.Rows)
		for c := range int(want.NumCols()) {
			require.Equal(t, arrowtest.Values(want.Column(c).Data()), arrowtest.Values(got.Column(c).Data()))
		}
		require.Less(t, read.Load(), info.Size()/8, "%v", r)
	}
}

// TestPagesThatAreNotAsTheirIndexHasThem are an error, or are not left out: never other rows.
func TestPagesThatAreNotAsTheirIndexHasThem(t *testing.T) {
	table := listsAndText(1000)
	whole := writeBytes(t, table, Parquet, WriteOptions{PageRows: 100})
	r, err := file.NewParquetReader(bytes.NewReader(whole))
	require.NoError(t, err)
	path, failed := filepath.Join(t.TempDir(), "x.parquet"), 0
	for leaf, c := range r.MetaData().RowGroups[0].Columns {
		for i, at := range testrun.Sample(4, make([]byte, *c.OffsetIndexLength)) {
			changed := bytes.Clone(whole)
			changed[*c.OffsetIndexOffset+int64(i)] += 1 + at
			require.NoError(t, os.WriteFile(path, changed, 0o600))
			_, err := Read(t.Context(), path, ReadOptions{Ranges: []RowRange{{First: 510, Rows: 10}}})
			if err != nil {
				failed++
				require.ErrorIs(t, err, ErrCorrupt, "leaf column %d, byte %d", leaf, i)
			}
		}
	}
	require.Positive(t, failed)
}
