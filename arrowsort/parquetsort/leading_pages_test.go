package parquetsort

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
)

// sawtooth has a key that rises from 0 again and again, so that the pages with its least values lie apart, and lists.
func sawtooth(t *testing.T, teeth, rows int) arrow.Table {
	schema := arrow.NewSchema([]arrow.Field{{Name: "key", Type: arrow.PrimitiveTypes.Int64},
		{Name: "row", Type: arrow.PrimitiveTypes.Int64},
		{Name: "list", Type: arrow.ListOf(arrow.BinaryTypes.String)}}, nil)
	b, rng := array.NewRecordBuilder(memory.DefaultAllocator, schema), rand.New(rand.NewPCG(1, 2))
	defer b.Release()
	for i := range teeth * rows {
		b.Field(0).(*array.Int64Builder).Append(int64(i % rows * 7))
		b.Field(1).(*array.Int64Builder).Append(int64(i))
		list := b.Field(2).(*array.ListBuilder)
		list.Append(true)
		for range rng.IntN(4) {
			list.ValueBuilder().(*array.StringBuilder).Append(fmt.Sprint(i))
		}
	}
	return array.NewTableFromRecords(schema, []arrow.Record{b.NewRecord()})
}

// TestPagesThatLieApart are read from one row group, without those between them, as a table and in pieces.
func TestPagesThatLieApart(t *testing.T) {
	const teeth, pagesOfTooth = 3, 4
	table, folder := sawtooth(t, teeth, pagesOfTooth*groupRows), t.TempDir()
	plain := writeGroups(t, filepath.Join(folder, "in.arrow"), table)
	paged := writePages(t, filepath.Join(folder, "in.parquet"), table, teeth*pagesOfTooth)
	for rows, read := range map[Rows]int{{Limit: 1}: teeth, {Limit: teeth * groupRows}: teeth,
		{Tail: teeth*groupRows + 1}: 2 * teeth} {
		opts := Options{Keys: []arrowsort.Key{{Path: "key"}}, Rows: rows}
		want, _ := sortedRows(t, opts, plain)
		got, result := sortedRows(t, opts, paged)
		require.Equal(t, want, got)
		require.Equal(t, [4]int{1, 1, teeth * pagesOfTooth, read}, [4]int{result.RowGroups, result.RowGroupsRead,
			result.Pages, result.PagesRead})
		want, _ = sortedRows(t, opts, plain, plain)
		got, _ = sortedRows(t, opts, paged, paged)
		require.Equal(t, want, got)
	}
}

// TestManyPagesThatLieApart are read in a few ranges with the rows between them: with the 3 largest of equal gaps left
// out, or all pages where a column has no page index.
func TestManyPagesThatLieApart(t *testing.T) {
	const teeth, pagesOfTooth = 20, 3
	table, path := sawtooth(t, teeth, pagesOfTooth*groupRows), filepath.Join(t.TempDir(), "in.parquet")
	plain := writeGroups(t, filepath.Join(t.TempDir(), "in.arrow"), table)
	writePages(t, path, table, teeth*pagesOfTooth)
	for _, read := range []int{teeth*pagesOfTooth - 4*(pagesOfTooth-1), teeth * pagesOfTooth} {
		opts := Options{Keys: []arrowsort.Key{{Path: "key"}}, Rows: Rows{Limit: teeth + 5}}
		want, _ := sortedRows(t, opts, plain)
		got, result := sortedRows(t, opts, path)
		require.Equal(t, want, got)
		if result.Pages > 0 {
			require.Equal(t, read, result.PagesRead)
		} else {
			require.Equal(t, teeth*pagesOfTooth, read) // nothing is left out
		}
		forge(t, path, func(footer *metadata.FileMetaData) {
			c := footer.RowGroups[0].Columns[2]
			c.OffsetIndexOffset, c.OffsetIndexLength = nil, nil
		})
	}
}

// TestPageBoundsThatAreWrongAreAnError where their page is read; without a limit they are not used.
func TestPageBoundsThatAreWrongAreAnError(t *testing.T) {
	table, path := sawtooth(t, 1, 6*groupRows), filepath.Join(t.TempDir(), "in.parquet")
	writePages(t, path, table, 6)
	whole := readFile(t, path)
	r, err := file.NewParquetReader(bytes.NewReader(whole))
	require.NoError(t, err)
	chunk := r.MetaData().RowGroups[0].Columns[0]
	index := whole[*chunk.ColumnIndexOffset:][:*chunk.ColumnIndexLength]
	for bound, rows := range map[int64]Rows{0: {Limit: 1}, (groupRows - 1) * 7: {Limit: 1},
		(6*groupRows - 1) * 7: {Tail: 1}} {
		at := bytes.LastIndex(index, binary.LittleEndian.AppendUint64(nil, uint64(bound)))
		if bound == 0 {
			at = bytes.Index(index, make([]byte, 8))
		}
		require.Positive(t, at)
		changed := bytes.Clone(whole)
		changed[int(*chunk.ColumnIndexOffset)+at]++
		if bound > 0 {
			changed[int(*chunk.ColumnIndexOffset)+at] -= 2
		}
		require.NoError(t, os.WriteFile(path, changed, 0o600))
		requireWrongBounds(t, path, rows, path+`: corrupted file: column "key" of row group 0, page of rows `)
	}
}

// TestFirstRowsWithoutBoundsOfPages: pages without a ColumnIndex, or without any index, are read whole.
func TestFirstRowsWithoutBoundsOfPages(t *testing.T) {
	table, path := sawtooth(t, 2, 6*groupRows), filepath.Join(t.TempDir(), "in.parquet")
	opts := Options{Keys: []arrowsort.Key{{Path: "key"}}, Rows: Rows{Limit: 3}}
	want, _ := sortedRows(t, opts, writeGroups(t, filepath.Join(t.TempDir(), "in.arrow"), table))
	for _, without := range []string{"columns", "offsets of the key", "offsets of the list"} {
		writePages(t, path, table, 6)
		forge(t, path, func(footer *metadata.FileMetaData) {
			for _, g := range footer.RowGroups {
				switch without {
				case "columns":
					g.Columns[0].ColumnIndexOffset, g.Columns[0].ColumnIndexLength = nil, nil
				case "offsets of the key":
					g.Columns[0].OffsetIndexOffset, g.Columns[0].OffsetIndexLength = nil, nil
				default:
					g.Columns[2].OffsetIndexOffset, g.Columns[2].OffsetIndexLength = nil, nil
				}
			}
		})
		got, result := sortedRows(t, opts, path)
		require.Equal(t, want, got, without)
		require.Equal(t, without == "offsets of the list", result.Pages > 0)
	}
}
