package parquetsort

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// A partitionType is a type of the column of partitions: values as JSON and the names of their folders.
type partitionType struct {
	typ    arrow.DataType
	values map[string]string
}

const nullFolder = "part=__HIVE_DEFAULT_PARTITION__"

func partitionTypes() []partitionType {
	text := map[string]string{`"ORD"`: "ORD", `""`: "", `"a b"`: "a b", `"é/漢"`: "é%2F漢", `"007"`: "007",
		`"\"#%'*/:=?\\\u007f{[]^"`: "%22%23%25%27%2A%2F%3A%3D%3F%5C%7F%7B%5B%5D%5E", `"\u0001\n\u001f"`: "%01%0A%1F",
		`"%41"`: "%2541", `".."`: "..", `"a+b&c~d<e>|"`: "a+b&c~d<e>|", `" "`: " "}
	days := map[string]string{`"2001-02-03"`: "2001-02-03", `"1969-12-31"`: "1969-12-31", `"0000-01-01"`: "0000-01-01",
		`"9999-12-31"`: "9999-12-31"}
	whole := func(least, most string) map[string]string {
		return map[string]string{least: least, most: most, "0": "0", "7": "7"}
	}
	return []partitionType{
		{arrow.PrimitiveTypes.Int8, whole("-128", "127")}, {arrow.PrimitiveTypes.Uint8, whole("0", "255")},
		{arrow.PrimitiveTypes.Int16, whole("-32768", "32767")}, {arrow.PrimitiveTypes.Uint16, whole("0", "65535")},
		{arrow.PrimitiveTypes.Int32, whole("-2147483648", "2147483647")},
		{arrow.PrimitiveTypes.Uint32, whole("0", "4294967295")},
		{arrow.PrimitiveTypes.Int64, whole("-9223372036854775808", "9223372036854775807")},
		{arrow.PrimitiveTypes.Uint64, whole("0", "18446744073709551615")},
		{arrow.FixedWidthTypes.Boolean, map[string]string{"true": "true", "false": "false"}},
		{arrow.BinaryTypes.String, text}, {arrow.BinaryTypes.LargeString, text}, {arrow.BinaryTypes.StringView, text},
		{&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16, ValueType: arrow.BinaryTypes.String}, text},
		{arrow.FixedWidthTypes.Date32, days}, {arrow.FixedWidthTypes.Date64, days},
		{&arrow.Decimal128Type{Precision: 9, Scale: 2}, map[string]string{`"1.50"`: "1.50", `"-0.05"`: "-0.05"}},
		{&arrow.Decimal256Type{Precision: 50}, map[string]string{`"1234567890123456789012345678901234567890"`: "" +
			"1234567890123456789012345678901234567890"}},
		{&arrow.TimestampType{Unit: arrow.Microsecond}, map[string]string{
			`"2001-02-03 04:05:06.7"`: "2001-02-03 04%3A05%3A06.7",
			`"1970-01-01 00:00:00"`:   "1970-01-01 00%3A00%3A00"}},
		{&arrow.TimestampType{Unit: arrow.Second}, map[string]string{
			`"2001-02-03 04:05:06"`: "2001-02-03 04%3A05%3A06"}},
		{&arrow.TimestampType{Unit: arrow.Nanosecond}, map[string]string{
			`"2001-02-03 04:05:06.123456789"`: "2001-02-03 04%3A05%3A06.123456789"}},
	}
}

// partitionRows is a file of rows in batches, with a column of partitions between the others, and what is to be in each
// folder: the numbers of the rows in the order of the key, then of the file.
func partitionRows(t testing.TB, path string, p partitionType, rows int) map[string][]string {
	r := rand.New(rand.NewPCG(testrun.Seed(), uint64(rows)))
	schema := arrow.NewSchema([]arrow.Field{{Name: "key", Type: arrow.PrimitiveTypes.Int32},
		{Name: "part", Type: p.typ, Nullable: true}, {Name: "row", Type: arrow.PrimitiveTypes.Int64}}, nil)
	values := []string{"null"}
	for v := range p.values {
		values = append(values, v)
	}
	slices.Sort(values)
	type row struct{ key, number int }
	folders := map[string][]row{}
	const batches = 4
	generate(t, path, schema, batches, func(batch int) arrow.Record {
		var lines strings.Builder
		for i := range rows / batches {
			number, key, value := batch*(rows/batches)+i, r.IntN(5), values[r.IntN(len(values))]
			folder := nullFolder
			if value != "null" {
				folder = "part=" + p.values[value]
			}
			folders[folder] = append(folders[folder], row{key, number})
			fmt.Fprintf(&lines, `{"key": %d, "part": %s, "row": %d},`, key, value, number)
		}
		rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema,
			strings.NewReader("["+strings.TrimSuffix(lines.String(), ",")+"]"), array.WithUseNumber())
		require.NoError(t, err)
		return rec
	})
	sorted := map[string][]string{}
	for folder, of := range folders {
		slices.SortStableFunc(of, func(a, b row) int { return a.key - b.key })
		for _, row := range of {
			sorted[folder] = append(sorted[folder], fmt.Sprintf("%d|%d|", row.key, row.number))
		}
	}
	return sorted
}

// inFolders are the rows of the files below a folder, by the folder that they are in.
func inFolders(t *testing.T, root string) map[string][]string {
	found := map[string][]string{}
	require.NoError(t, filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			folder, err := filepath.Rel(root, filepath.Dir(path))
			require.NoError(t, err)
			found[folder] = append(found[folder], textOfRows(t, path)...)
		}
		return err
	}))
	return found
}

// TestPartitions: the rows of each value are in its folder, in the order of the keys and without the column, for every
// type, in every format.
func TestPartitions(t *testing.T) {
	folder := t.TempDir()
	for i, p := range partitionTypes() {
		for _, from := range []string{"parquet", "arrows"} {
			if from == "parquet" && p.typ.ID() == arrow.DECIMAL256 {
				continue // which Parquet does not have
			}
			in := filepath.Join(folder, fmt.Sprintf("%d.%s", i, from))
			want := partitionRows(t, in, p, 200)
			for _, format := range []Format{Parquet, Arrow, ArrowStream, CSV} {
				if !testrun.Share(3, i, from, format) {
					continue
				}
				t.Run(fmt.Sprintf("%s/%s to %s", p.typ, from, format), func(t *testing.T) {
					mem := arrowtest.Checked(t)
					out := filepath.Join(t.TempDir(), "out")
					result := sortFiles(t, []string{in}, out, Options{Keys: []arrowsort.Key{{Path: "key"}},
						Output: Output{PartitionBy: []string{"part"}, Format: format}, Run: Run{Allocator: mem}})
					require.Equal(t, want, inFolders(t, out))
					require.Len(t, result.Outputs, len(want))
					require.EqualValues(t, 200, result.Rows)
					for _, path := range result.Outputs {
						require.Equal(t, "part-00001."+string(format), filepath.Base(path))
					}
				})
			}
		}
	}
}

// TestPartitionsWithinABudget: runs that are spilled, files that are merged, several files in a partition and larger
// row groups give the same rows, in files of the sizes that are asked for.
func TestPartitionsWithinABudget(t *testing.T) {
	folder, spill := t.TempDir(), t.TempDir()
	p := partitionType{arrow.PrimitiveTypes.Int32, map[string]string{"1": "1", "2": "2", "30": "30"}}
	in := filepath.Join(folder, "in.parquet")
	const rows = 40_000
	want := partitionRows(t, in, p, rows)
	sorted := filepath.Join(folder, "sorted.parquet")
	sortFiles(t, []string{in}, sorted, Options{Keys: []arrowsort.Key{{Path: "part"}, {Path: "key"}}})
	for name, c := range map[string]struct {
		in      string
		output  Output
		memory  Memory
		inOrder bool
	}{
		"in memory":     {in: in},
		"in order":      {in: sorted},
		"rows per file": {in: in, output: Output{RowsPerFile: 3001}},
		"row groups":    {in: in, output: Output{RowGroupRows: 1500}},
		"both":          {in: in, output: Output{RowsPerFile: 3001, RowGroupRows: 1000}},
	} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			c.output.PartitionBy = []string{"part"}
			result := sortFiles(t, []string{c.in}, out, Options{Keys: []arrowsort.Key{{Path: "key"}},
				Output: c.output, Memory: Memory{SpillDir: spill}})
			require.Equal(t, want, inFolders(t, out))
			requirePartitionFiles(t, result, want, c.output)
			requireEmpty(t, spill)
		})
	}
}

// requirePartitionFiles requires the names, row groups and declared order of the files of a result.
func requirePartitionFiles(t *testing.T, result *Result, want map[string][]string, o Output) {
	files := map[string]int{}
	for _, path := range result.Outputs {
		folder := filepath.Base(filepath.Dir(path))
		files[folder]++
		require.Equal(t, fmt.Sprintf("part-%05d.parquet", files[folder]), filepath.Base(path))
		s, err := tablefile.Scan(path, 0, tablefile.ReadOptions{})
		require.NoError(t, err)
		groups := s.Template.RowGroups()
		for i, g := range groups {
			require.Equal(t, []tablefile.SortingColumn{{Path: "key"}}, g.SortingColumns)
			if o.RowGroupRows > 0 && o.RowsPerFile == 0 && i < len(groups)-1 {
				require.EqualValues(t, o.RowGroupRows, g.Rows)
			}
		}
		if o.RowsPerFile > 0 {
			require.LessOrEqual(t, s.Rows, o.RowsPerFile)
		}
		s.Close()
	}
	for folder, rows := range want {
		n := 1
		if o.RowsPerFile > 0 {
			n = (len(rows) + int(o.RowsPerFile) - 1) / int(o.RowsPerFile)
		}
		require.Equal(t, n, files[folder])
	}
}
