package parquetsort

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// jsonFile writes a file of rows that are given as JSON.
func jsonFile(t *testing.T, path string, schema *arrow.Schema, rows string) {
	generate(t, path, schema, 1, func(int) arrow.Record {
		rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(rows))
		require.NoError(t, err)
		return rec
	})
}

// TestValuesThatCannotNameFolders: a value that readers would not read back is an error that names column and value,
// and nothing is written.
func TestValuesThatCannotNameFolders(t *testing.T) {
	for _, c := range []struct {
		typ         arrow.DataType
		value, says string
	}{
		{arrow.BinaryTypes.String, `"__HIVE_DEFAULT_PARTITION__"`, "PARTITION__ stands for null"},
		{arrow.BinaryTypes.String, `"a\u0000b"`, "text with a zero byte"},
		{arrow.BinaryTypes.String, `"` + strings.Repeat("x", 300) + `"`, "file name too long"},
		{arrow.FixedWidthTypes.Date32, "3000000", "is outside of the years 0 to 9999"},
		{arrow.FixedWidthTypes.Date32, "-800000", "is outside of the years 0 to 9999"},
		{arrow.FixedWidthTypes.Timestamp_s, `9223372036854775000`, "outside of the years"},
	} {
		if typ, ok := c.typ.(*arrow.TimestampType); ok {
			c.typ = &arrow.TimestampType{Unit: typ.Unit}
		}
		folder := t.TempDir()
		in, out := filepath.Join(folder, "in.arrow"), filepath.Join(folder, "out")
		schema := arrow.NewSchema([]arrow.Field{{Name: "part", Type: c.typ},
			{Name: "key", Type: arrow.PrimitiveTypes.Int64}}, nil)
		jsonFile(t, in, schema, `[{"part": `+c.value+`, "key": 1}]`)
		_, err := Sort(t.Context(), []string{in}, out, Options{Keys: []arrowsort.Key{{Path: "key"}},
			Output: Output{PartitionBy: []string{"part"}}})
		require.ErrorContains(t, err, c.says)
		require.ErrorContains(t, err, "part")
		require.Equal(t, []string{"in.arrow"}, names(t, folder))
	}
}

// TestTypesThatCannotNameFolders are errors before any work that name the column.
func TestTypesThatCannotNameFolders(t *testing.T) {
	for _, typ := range []arrow.DataType{arrow.PrimitiveTypes.Float64, arrow.PrimitiveTypes.Float32,
		arrow.FixedWidthTypes.Float16, arrow.BinaryTypes.Binary, arrow.BinaryTypes.LargeBinary,
		&arrow.FixedSizeBinaryType{ByteWidth: 4}, arrow.FixedWidthTypes.Timestamp_us, arrow.FixedWidthTypes.Time64us,
		arrow.FixedWidthTypes.Duration_s, arrow.Null,
		arrow.StructOf(arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int8}),
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.PrimitiveTypes.Float64}} {
		folder := t.TempDir()
		in, out := filepath.Join(folder, "in.arrow"), filepath.Join(folder, "out")
		schema := arrow.NewSchema([]arrow.Field{{Name: "part", Type: typ, Nullable: true},
			{Name: "key", Type: arrow.PrimitiveTypes.Int64}}, nil)
		jsonFile(t, in, schema, `[]`)
		_, err := Sort(t.Context(), []string{in}, out, Options{Keys: []arrowsort.Key{{Path: "key"}},
			Output: Output{PartitionBy: []string{"part"}}, Run: Run{Progress: func(phase Phase, _, _ int64) {
				t.Errorf("%s: %s began", typ, phase)
			}}})
		require.ErrorContains(t, err, `"part"`)
		require.NoDirExists(t, out)
	}
}

// TestPartitionsOfSeveralColumns: folders are in folders, in the order in which the columns are named; other columns
// are written in the order of Columns; columns of partitions may be among the keys.
func TestPartitionsOfSeveralColumns(t *testing.T) {
	folder := t.TempDir()
	in, out := filepath.Join(folder, "in.parquet"), filepath.Join(folder, "out")
	schema := arrow.NewSchema([]arrow.Field{{Name: "year", Type: arrow.PrimitiveTypes.Int16, Nullable: true},
		{Name: "a", Type: arrow.PrimitiveTypes.Int8}, {Name: "from/to", Type: arrow.BinaryTypes.String},
		{Name: "b", Type: arrow.PrimitiveTypes.Int8}}, nil)
	jsonFile(t, in, schema, `[{"year": 2001, "a": 1, "from/to": "x", "b": 9},
		{"year": 2001, "a": 2, "from/to": "y", "b": 8},
		{"year": 2000, "a": 3, "from/to": "x", "b": 7}, {"year": 2001, "a": 4, "from/to": "x", "b": 6},
		{"year": null, "a": 5, "from/to": "y", "b": 5}]`)
	keys := []arrowsort.Key{{Path: "year", Order: arrowsort.Descending}, {Path: "a", Order: arrowsort.Descending}}
	result := sortFiles(t, []string{in}, out, Options{Keys: keys, Columns: []string{"b", "year", "a"},
		Output: Output{PartitionBy: []string{"#3", "year"}, Preview: 2}})
	require.Equal(t, map[string][]string{
		"from%2Fto=x/year=2000": {"7|3|"}, "from%2Fto=x/year=2001": {"6|4|", "9|1|"},
		"from%2Fto=y/year=2001": {"8|2|"}, "from%2Fto=y/year=__HIVE_DEFAULT_PARTITION__": {"5|5|"},
	}, inFolders(t, out))
	require.EqualValues(t, 2, result.Preview.NumRows())
	require.Equal(t, []string{"b", "a"}, []string{result.Schema.Field(0).Name, result.Schema.Field(1).Name})
	result.Preview.Release()
	s := scanFile(t, result.Outputs[0], 0, tablefile.ReadOptions{})
	require.Equal(t, []tablefile.SortingColumn{{Path: "a", Descending: true}}, s.Template.RowGroups()[0].SortingColumns)
}

// TestUniquePartitions: Unique keeps the first row of each key in each partition.
func TestUniquePartitions(t *testing.T) {
	folder := t.TempDir()
	in, out := filepath.Join(folder, "in.parquet"), filepath.Join(folder, "out")
	p := partitionType{arrow.PrimitiveTypes.Int8, map[string]string{"1": "1", "2": "2"}}
	want := partitionRows(t, in, p, 200)
	for folder, rows := range want {
		var firsts []string
		for i, row := range rows {
			if i == 0 || row[:2] != rows[i-1][:2] { // the key is one digit
				firsts = append(firsts, row)
			}
		}
		want[folder] = firsts
	}
	sortFiles(t, []string{in}, out, Options{Keys: []arrowsort.Key{{Path: "key"}},
		Rows: Rows{Unique: true}, Output: Output{PartitionBy: []string{"part"}}})
	require.Equal(t, want, inFolders(t, out))
}

// TestPartitionsOfCSV: the text of the values stays, but for those of the partitions, which are those of the type.
func TestPartitionsOfCSV(t *testing.T) {
	folder := t.TempDir()
	in := filepath.Join(folder, "in.csv")
	require.NoError(t, os.WriteFile(in, []byte("price,day,key\n1.50,2001-02-03,2\n1.5,2001-02-03,10\n,,3\n"), 0o600))
	for _, partition := range []string{"price", "day"} {
		for format, rest := range map[Format][2][]string{
			CSV:     {{"2001-02-03|2|", "2001-02-03|10|"}, {"1.50|2|", "1.5|10|"}},
			Parquet: {{"2001-02-03|2|", "2001-02-03|10|"}, {"1.5|2|", "1.5|10|"}},
		} {
			out := filepath.Join(t.TempDir(), "out")
			opts := Options{Keys: []arrowsort.Key{{Path: "key"}}, Output: Output{PartitionBy: []string{partition},
				Format: format}, Input: Input{CSVTypes: map[string]string{"price": "decimal(9,1)"}}}
			sortFiles(t, []string{in}, out, opts)
			i := 0
			value := "price=1.5"
			if partition == "day" {
				i, value = 1, "day=2001-02-03"
			}
			found := inFolders(t, out)
			if format == CSV && partition == "day" { // read with inferred types, 1.50 is 1.5
				b := readFile(t, filepath.Join(out, value, "part-00001.csv"))
				require.Equal(t, "price,key\n1.50,2\n1.5,10\n", string(b))
				continue
			}
			require.Equal(t, rest[i], found[value])
			require.Len(t, found[partition+"=__HIVE_DEFAULT_PARTITION__"], 1)
		}
	}
}

// TestPartitionsThatAreRead: columns that only the names of folders have are named in a warning.
func TestPartitionsThatAreRead(t *testing.T) {
	folder := t.TempDir()
	in, out := filepath.Join(folder, "in.parquet"), filepath.Join(folder, "out")
	p := partitionType{arrow.PrimitiveTypes.Int8, map[string]string{"1": "1", "2": "2"}}
	partitionRows(t, in, p, 20)
	opts := Options{Keys: []arrowsort.Key{{Path: "key"}}, Output: Output{PartitionBy: []string{"part"}}}
	sortFiles(t, []string{in}, out, opts)
	var warnings []string
	opts.Output, opts.Run.Warn = Output{}, func(text string) { warnings = append(warnings, text) }
	all := filepath.Join(folder, "all.parquet")
	sortFiles(t, []string{filepath.Join(out, "**", "*.parquet")}, all, opts)
	require.Equal(t, []string{filepath.Join(out, "part=1", "part-00001.parquet") +
		`: column "part" is in the names of folders only, and is not read`}, warnings)
	for _, key := range []arrowsort.Key{{}, {Function: arrowsort.Lower}, {Collation: arrowsort.FoldCase}} {
		key.Path = "part"
		opts.Keys = []arrowsort.Key{{Path: "key"}, key}
		_, err := Sort(t.Context(), []string{out + "/**/*.parquet"}, all, opts)
		require.ErrorIs(t, err, arrowsort.ErrColumn)
		require.ErrorContains(t, err, `column "part" is in the names of folders only, which are not read: leave it out`)
	}
	for text, key := range map[string]arrowsort.Key{`no match for key "party"`: {Path: "party"},
		"the key has position 9": {At: arrowsort.Column(9)}} {
		opts.Keys[1] = key
		_, err := Sort(t.Context(), []string{out + "/**/*.parquet"}, all, opts)
		require.ErrorContains(t, err, text)
	}
	opts.Keys, opts.Output.PartitionBy = opts.Keys[:1], []string{"part"}
	_, err := Sort(t.Context(), []string{out + "/**/*.parquet"}, filepath.Join(folder, "again"), opts)
	require.ErrorContains(t, err, `column "part" is in the names of folders only, which are not read: leave it out`)
}

// TestNoRowsInPartitions: without rows there is an empty folder.
func TestNoRowsInPartitions(t *testing.T) {
	folder := t.TempDir()
	in, out := filepath.Join(folder, "in.parquet"), filepath.Join(folder, "out")
	partitionRows(t, in, partitionTypes()[0], 0)
	result := sortFiles(t, []string{in}, out, Options{Keys: []arrowsort.Key{{Path: "key"}},
		Output: Output{PartitionBy: []string{"part"}}})
	require.Empty(t, result.Outputs)
	requireEmpty(t, out)
	require.Equal(t, []string{"in.parquet", "out"}, names(t, folder))
}

// TestSpilledPartitions are those that are sorted in memory.
func TestSpilledPartitions(t *testing.T) {
	folder, spill := t.TempDir(), t.TempDir()
	in := filepath.Join(folder, "in.parquet")
	schema := arrow.NewSchema([]arrow.Field{{Name: "part", Type: arrow.PrimitiveTypes.Int32},
		{Name: "key", Type: arrow.PrimitiveTypes.Int64}, {Name: "row", Type: arrow.PrimitiveTypes.Int64}}, nil)
	r := rand.New(rand.NewPCG(testrun.Seed(), 11))
	const batches, batch = 10, 60_000
	generate(t, in, schema, batches, func(number int) arrow.Record {
		b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		defer b.Release()
		for i := range batch {
			part := r.Int32N(9)
			b.Field(0).(*array.Int32Builder).Append(part * part * part) // few of them are large
			b.Field(1).(*array.Int64Builder).Append(r.Int64N(1000))
			b.Field(2).(*array.Int64Builder).Append(int64(number*batch + i))
		}
		return b.NewRecord()
	})
	var folders [2]map[string][]string
	for i, budget := range []int64{0, MinMemory} {
		mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
		out := filepath.Join(t.TempDir(), "out")
		result := sortFiles(t, []string{in}, out, Options{Keys: []arrowsort.Key{{Path: "key"}},
			Output: Output{PartitionBy: []string{"part"}}, Memory: Memory{Budget: budget, SpillDir: spill},
			Run: Run{Allocator: mem}})
		require.Equal(t, budget > 0, result.Runs > 1)
		require.EqualValues(t, batches*batch, result.Rows)
		folders[i] = inFolders(t, out)
		mem.AssertSize(t, 0)
	}
	require.Len(t, folders[0], 9)
	require.True(t, mapsEqual(folders[0], folders[1]))
	requireEmpty(t, spill)
}

func mapsEqual(a, b map[string][]string) bool {
	for folder, rows := range a {
		if strings.Join(rows, "") != strings.Join(b[folder], "") {
			return false
		}
	}
	return len(a) == len(b)
}
