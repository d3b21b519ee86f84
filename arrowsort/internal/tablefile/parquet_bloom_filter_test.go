package tablefile

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
)

// requireFilters requires that arrow-go finds the values of each column chunk in its Bloom filter, which leaf columns
// have that are named; others have none.
func requireFilters(t *testing.T, b []byte, wanted map[string]bool) {
	t.Helper()
	r, err := file.NewParquetReader(bytes.NewReader(b))
	require.NoError(t, err)
	defer r.Close()
	for group := range r.NumRowGroups() {
		filters, err := r.GetBloomFilterReader().RowGroup(group)
		require.NoError(t, err)
		for leaf := range r.MetaData().Schema.NumColumns() {
			what := fmt.Sprintf("row group %d, column %s", group, r.MetaData().Schema.Column(leaf).Path())
			filter, err := filters.GetColumnBloomFilter(leaf)
			require.NoError(t, err, what)
			if !wanted[r.MetaData().Schema.Column(leaf).Path()] {
				require.Nil(t, filter, what)
				continue
			}
			require.NotNil(t, filter, what)
			for _, v := range leafValues(t, r, group, leaf) {
				if v.bytes != nil {
					require.True(t, filter.CheckHash(filter.Hasher().Sum64(v.bytes)), what)
				}
			}
			absent := 0
			for i := range 200 {
				if filter.CheckHash(filter.Hasher().Sum64(fmt.Appendf(nil, "absent %d", i))) {
					absent++
				}
			}
			require.LessOrEqual(t, absent, 20, what)
		}
	}
}

// TestBloomFiltersOfEveryType writes filters of all leaf columns that are not boolean, with dictionaries and without.
func TestBloomFiltersOfEveryType(t *testing.T) {
	mem := memory.DefaultAllocator
	for name, table := range map[string]arrow.Table{
		"flat": flatTable(t, mem, 3000, 1), "words": words(t, mem, 3000), "nested": nestedTable(t, mem),
		"floats": floats(t, mem),
	} {
		rows := int(table.NumRows()+1)/2 + 1
		leaves := openBytes(t, writeBytes(t, table, Parquet, WriteOptions{})).MetaData().Schema
		wanted, opts := map[string]bool{}, WriteOptions{RowGroupRows: rows}
		for i := range leaves.NumColumns() {
			if leaf := leaves.Column(i); leaf.PhysicalType() != parquet.Types.Boolean {
				wanted[leaf.Path()] = true
				opts.BloomFilters = append(opts.BloomFilters, BloomFilter{Column: leaf.Path()})
			}
		}
		require.Greater(t, len(wanted), 2, name)
		b := writeBytes(t, table, Parquet, opts)
		requireFilters(t, b, wanted)
		in, err := readBytes(t, b, ReadOptions{Format: Parquet})
		require.NoError(t, err)
		require.Equal(t, textOf(t, table), textOf(t, in.Table), name)
		r := openBytes(t, b)
		for group := range r.NumRowGroups() {
			for leaf := range leaves.NumColumns() {
				requireIndex(t, b, r, group, leaf)
			}
		}
		in.Table.Release()
		table.Release()
	}
}

// TestBloomFiltersAreCopied with the row groups that they belong to, also those of files whose metadata do not name
// their length. One of an unknown kind is not.
func TestBloomFiltersAreCopied(t *testing.T) {
	for name, change := range map[string]func(b []byte, meta *metadata.FileMetaData) (kept bool){
		"as they are": func([]byte, *metadata.FileMetaData) bool { return true },
		"without lengths": func(_ []byte, meta *metadata.FileMetaData) bool {
			for _, group := range meta.RowGroups {
				for _, c := range group.Columns {
					c.MetaData.BloomFilterLength = nil
				}
			}
			return true
		},
		"of an unknown kind": func(b []byte, meta *metadata.FileMetaData) bool {
			for _, group := range meta.RowGroups {
				for _, c := range group.Columns {
					if at := c.MetaData.BloomFilterOffset; at != nil {
						b[*at+1] = 0xFF
					}
				}
			}
			return false
		},
		"outside of the file": func(b []byte, meta *metadata.FileMetaData) bool {
			for _, group := range meta.RowGroups {
				for _, c := range group.Columns {
					if c.MetaData.BloomFilterOffset != nil {
						*c.MetaData.BloomFilterOffset = int64(len(b))
					}
				}
			}
			return false
		},
	} {
		t.Run(name, func(t *testing.T) {
			from, to := filepath.Join(t.TempDir(), "from.parquet"), filepath.Join(t.TempDir(), "to.parquet")
			writeNumbered(t, from, 1, 50_000, WriteOptions{RowGroupRows: 20_000, BloomFilters: []BloomFilter{
				{Column: "n"}, {Column: "list"}}})
			b := readFile(t, from)
			meta, pages := openBytes(t, b).MetaData(), pagesOfFile(b)
			wanted := map[string]bool{}
			if change(pages, meta) {
				wanted = map[string]bool{"n": true, "list.list.element": true}
			}
			require.NoError(t, os.WriteFile(from, withFooter(t, pages, meta), 0o600))
			require.NoError(t, copied(t.Context(), from, to, []SortingColumn{{Path: "n"}}))
			b = readFile(t, to)
			require.Equal(t, 3, openBytes(t, b).NumRowGroups())
			requireFilters(t, b, wanted)
			in, err := Inspect(t.Context(), to, ReadOptions{})
			require.NoError(t, err)
			require.EqualValues(t, len(wanted)/2*3, in.Columns[0].BloomFilters)
			again := filepath.Join(t.TempDir(), "again.parquet")
			require.NoError(t, copied(t.Context(), to, again, []SortingColumn{{Path: "n"}}))
			c := readFile(t, again)
			require.True(t, bytes.Equal(b, c), "the copy of a copy differs")
		})
	}
}

// TestBloomFilterOfWrongColumns: errors come before anything is written, and say what to do.
func TestBloomFilterOfWrongColumns(t *testing.T) {
	text := arrow.BinaryTypes.String
	sc := arrow.NewSchema([]arrow.Field{{Name: "flag", Type: arrow.FixedWidthTypes.Boolean},
		{Name: "twice", Type: text}, {Name: "twice", Type: text}, {Name: "", Type: text},
		{Name: "pair", Type: arrow.StructOf(arrow.Field{Name: "a", Type: text}, arrow.Field{Name: "b", Type: text})},
		{Name: "list", Type: arrow.ListOf(text)}}, nil)
	const boolean = "booleans have no Bloom filters in Parquet: leave the column out"
	const missing = `there is no such column in the output; there are "flag", "twice", "twice", "", "pair", ` +
		`"pair.a", "pair.b", "list", "list.list.element"`
	for column, want := range map[string]string{
		"flag": boolean, "#1": boolean, "nope": missing, "#7": missing, "#0": missing, "#": missing,
		"tvice":             `there is no such column in the output; did you mean "twice"?`,
		"list.lst.elements": `there is no such column in the output; did you mean "list.list.element"?`,
		"pair":              "it has several fields: give one of pair.a, pair.b",
		"twice":             "several columns have the name: give one as #N, by its position from 1",
		"":                  "", "#2": "", "#3": "", "#4": "", "pair.b": "", "list": "", "list.list.element": "",
	} {
		err := CheckSchema(t.Context(), "x.parquet", sc, WriteOptions{BloomFilters: []BloomFilter{{Column: column}}})
		if want == "" {
			require.NoError(t, err, column)
			continue
		}
		require.ErrorIs(t, err, errkind.ErrOption, column)
		require.ErrorContains(t, err, fmt.Sprintf("BloomFilters of column %q: %s", column, want))
	}
	for _, p := range []float64{-1, 1e-9, 0.6, 1} {
		err := CheckSchema(t.Context(), "x.parquet", sc, WriteOptions{BloomFilters: []BloomFilter{{Column: "#2",
			FalsePositives: p}}})
		require.ErrorContains(t, err, "give a probability of false positives from 0.000001 to 0.5")
	}
	err := CheckSchema(t.Context(), "x.parquet", sc, WriteOptions{BloomFilters: []BloomFilter{{Column: "list"},
		{Column: "list.list.element"}}})
	require.ErrorContains(t, err, "it is asked for twice: leave one out")
	err = CheckSchema(t.Context(), "x.arrow", sc, WriteOptions{BloomFilters: []BloomFilter{{Column: "#2"}}})
	require.ErrorContains(t, err, "only Parquet has Bloom filters")
}

// TestParseBloomFilter: a number after the last colon is the probability; any other colon belongs to the name.
func TestParseBloomFilter(t *testing.T) {
	for text, want := range map[string]struct {
		column         string
		falsePositives float64
	}{
		"a": {"a", 0}, "a:0.001": {"a", 0.001}, "a:b": {"a:b", 0}, "a:b:0.5": {"a:b", 0.5}, "a:1e-6": {"a", 1e-6},
		"#2:0.1": {"#2", 0.1}, "a:": {"a:", 0},
	} {
		got, err := ParseBloomFilter(text)
		require.NoError(t, err, text)
		require.Equal(t, BloomFilter{Column: want.column, FalsePositives: want.falsePositives}, got, text)
	}
	for _, text := range []string{"", ":0.1", "a:0", "a:1", "a:-0.1", "a:NaN", "a:1e-7"} {
		_, err := ParseBloomFilter(text)
		require.Error(t, err, text)
	}
}
