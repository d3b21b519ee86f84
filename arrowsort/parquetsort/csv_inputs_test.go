package parquetsort

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// csvTexts are CSV files: a header, and rows that are repeated.
var csvTexts = map[string]struct {
	header, rows string
	delimiter    rune
}{
	"numbers":             {"a,b\n", "2.50,x\n10,y\n1e0,z\n-7,\n", 0},
	"tabs":                {"a\tb\n", "2\tx,y\n1\t\"z\tw\"\n", '\t'},
	"wide delimiter":      {"a¦b\n", "2¦x\n1¦y\n", '¦'},
	"CRLF":                {"a,b\r\n", "2,x\r\n1,y\r\n", 0},
	"CRLF in quotes":      {"a,b\r\n", "2,\"x\r\ny\"\r\n1,\"\r\n\"\r\n", 0},
	"CR":                  {"a,b\r", "2,x\r1,\"y\r\"\r", 0},
	"CR in a value":       {"a,b\n", "2,x\ry\n1,z\n", 0},
	"empty lines":         {"a\n", "2\n\n1\n", 0},
	"empty lines in CRLF": {"a\r\n", "2\r\n\r\n1\r\n", 0},
	"times":               {"a,b\n", "2021-02-28 10:11:12,2021-02-28T10:11:12Z\n2020-01-01T00:00:00.5,\n", 0},
	"dates and booleans":  {"a,b\n", "2021-02-28,TRUE\n2020-01-01,false\n", 0},
	"unsigned":            {"a,b\n", "18446744073709551615,é\n3,😀\n", 0},
	"byte order mark":     {"\xef\xbb\xbfa,b\n", "2,x\n1,y\n", 0},
	"the same name twice": {"a,b,b\n", "2,x,1.0\n1,y,2\n", 0},
	"the name of a key":   {"a,b,\n", "2,x,1.0\n1,y,2\n", 0},
	"a column of nulls":   {"a,b\n", "2,\n1,\n", 0},
}

// TestCSVBeyondMemory: outputs and their schemas do not depend on the memory.
func TestCSVBeyondMemory(t *testing.T) {
	for name, c := range csvTexts {
		if !testrun.Long() && name != "CRLF in quotes" { // each is megabytes
			continue
		}
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "in.csv")
			text := c.header + strings.Repeat(c.rows, 300_000) // of two rows at least
			require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
			formats := []tablefile.Format{tablefile.CSV}
			if name == "numbers" {
				formats = append(formats, tablefile.IPCStream)
			}
			for _, output := range formats {
				var outputs [2][]byte
				for i, memory := range []int64{1 << 30, MinMemory} {
					var out bytes.Buffer
					result := sortFiles(t, []string{path}, tablefile.Pipe,
						Options{Keys: []arrowsort.Key{{Path: "a"}},
							Memory: Memory{Budget: memory, SpillDir: t.TempDir()}, Input: Input{Delimiter: c.delimiter},
							Output: Output{Delimiter: c.delimiter, Format: Format(output.String()), Stdout: &out,
								RowGroupRows: 10_000}})
					require.Equal(t, i == 1, result.Runs > 1)
					outputs[i] = out.Bytes()
				}
				require.True(t, bytes.Equal(outputs[0], outputs[1]), "%v: the outputs differ", output)
			}
		})
	}
}

func writeTexts(t *testing.T, texts ...string) (paths []string) {
	folder := t.TempDir()
	for i, text := range texts {
		path := filepath.Join(folder, fmt.Sprintf("in%d.csv", i))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		paths = append(paths, path)
	}
	return paths
}

// TestSeveralCSVFiles: types are those of all values, and files are sorted as one.
func TestSeveralCSVFiles(t *testing.T) {
	mem := arrowtest.Checked(t)
	paths := writeTexts(t, "a,b\n3,x\n10,y\n", "b,a\nz,2.50\n")
	for output, want := range map[string]string{"csv": "a,b\n2.50,z\n3,x\n10,y\n", "arrows": ""} {
		var out bytes.Buffer
		result := sortFiles(t, paths, tablefile.Pipe, Options{Keys: []arrowsort.Key{{Path: "a"}},
			Output: Output{Format: Format(output), Stdout: &out}, Run: Run{Allocator: mem}})
		require.EqualValues(t, 3, result.Rows)
		require.Equal(t, 2, result.Columns)
		if want != "" {
			require.Equal(t, want, out.String())
		} else {
			require.Equal(t, arrow.PrimitiveTypes.Float64, result.Schema.Field(0).Type)
		}
	}
	var out bytes.Buffer
	mergeFiles(t, paths, tablefile.Pipe, Options{Keys: []arrowsort.Key{{Path: "a"}},
		Rows: Rows{Unique: true}, Columns: []string{"b"}, Output: Output{Format: "csv", Stdout: &out},
		Run: Run{Allocator: mem}})
	require.Equal(t, "b\nz\nx\ny\n", out.String())
}

// TestSelectedText: --select, --unique, --tail and --limit leave out of CSV what they leave out of other formats.
func TestSelectedText(t *testing.T) {
	paths := writeTexts(t, "a,b,c\n2.0,x,1.50\n1,y,\n2,z,3\n")
	for _, c := range []struct {
		opts Options
		want string
	}{
		{Options{Columns: []string{"c", "a"}}, "c,a\n,1\n1.50,2.0\n3,2\n"},
		{Options{Columns: []string{"#3"}, Rows: Rows{Unique: true}}, "c\n\"\"\n1.50\n"},
		{Options{Rows: Rows{Tail: 2}}, "a,b,c\n2.0,x,1.50\n2,z,3\n"},
		{Options{Rows: Rows{Limit: 1}}, "a,b,c\n1,y,\n"},
		{Options{Rows: Rows{Unique: true}}, "a,b,c\n1,y,\n2.0,x,1.50\n"},
	} {
		var out bytes.Buffer
		c.opts.Keys, c.opts.Output.Format, c.opts.Output.Stdout = []arrowsort.Key{{Path: "a"}}, "csv", &out
		result := sortFiles(t, paths, tablefile.Pipe, c.opts)
		require.Equal(t, c.want, out.String())
		header, _, _ := strings.Cut(c.want, "\n")
		require.Equal(t, strings.Count(header, ",")+1, result.Columns, header)
	}
}

func TestCSVThatIsRefused(t *testing.T) {
	folder := t.TempDir()
	parquet := filepath.Join(folder, "in.parquet")
	generate(t, parquet, pairsSchema, 1, func(int) arrow.Record { return pairs(0, 10, 0, 9) })
	paths := writeTexts(t, "key,row\n1,2\n", "key,other\n1,2\n", "key,row\n1,"+strings.Repeat("x", 4<<20)+"\n")
	for _, c := range []struct {
		inputs []string
		err    error
		want   string
	}{
		{[]string{paths[0], parquet}, ErrOption, paths[0] + " is CSV and " + parquet + " is not"},
		{paths[:2], ErrSchema, paths[1] + `: there is a column "other", which the first input has not`},
		{paths[2:], tablefile.ErrCorrupt, paths[2] + ": row 0, counted from 0, is longer than 2097152 bytes"},
	} {
		spill := t.TempDir()
		_, err := Sort(t.Context(), c.inputs, filepath.Join(folder, "out.csv"),
			Options{Keys: []arrowsort.Key{{Path: "key"}}, Memory: Memory{Budget: MinMemory, SpillDir: spill}})
		require.ErrorIs(t, err, c.err)
		require.ErrorContains(t, err, c.want)
		for _, dir := range []string{spill, folder} {
			left, err := os.ReadDir(dir)
			require.NoError(t, err)
			require.Len(t, left, map[string]int{spill: 0, folder: 1}[dir])
		}
	}
}

func TestReadingCSVEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Check(ctx, writeTexts(t, "a\n1\n"), CheckOptions{Keys: []arrowsort.Key{{Path: "a"}}})
	require.ErrorIs(t, err, context.Canceled)
}

// TestQuotationMarksInValues: they are kept, in quotes where CSV is written.
func TestQuotationMarksInValues(t *testing.T) {
	paths := writeTexts(t, "a,b\n5\" pipe,1\n,2\n\"x\"\",y\"\"\",3\n", "a,b\n4\",0\n")
	for output, inputs := range map[string][]string{"csv": paths[:1], "arrows": paths} {
		var out bytes.Buffer
		var warnings []string
		result := sortFiles(t, inputs, tablefile.Pipe, Options{Keys: []arrowsort.Key{{Path: "a"}},
			Output: Output{Preview: 9, Format: Format(output), Stdout: &out},
			Run:    Run{Warn: func(text string) { warnings = append(warnings, text) }}})
		defer result.Preview.Release()
		require.Len(t, warnings, len(inputs))
		require.Equal(t, paths[0]+": line 2 has a quotation mark in a value that does not start with one: "+
			"it is a character of the value", warnings[0])
		if output == "csv" {
			require.Equal(t, "a,b\n\"5\"\" pipe\",1\n\"x\"\",y\"\"\",3\n,2\n", out.String())
		}
	}
}

// TestOptionsOfCSV: NoHeader and CSVTypes of the library, in memory and beyond it.
func TestOptionsOfCSV(t *testing.T) {
	mem := arrowtest.Checked(t)
	paths := writeTexts(t, strings.Repeat("31/12/2025,2.50\n,x\n01/02/2026,é\n", 30_000))
	sorted := func(format string, budget int64) ([]byte, *Result) {
		var out bytes.Buffer
		result := sortFiles(t, paths, tablefile.Pipe, Options{Keys: []arrowsort.Key{{Path: "#1"}},
			Input:  Input{NoHeader: true, CSVTypes: map[string]string{"#1": "date:%d/%m/%Y"}},
			Output: Output{NoHeader: true, Format: Format(format), Stdout: &out}, Run: Run{Allocator: mem},
			Memory: Memory{Budget: budget, SpillDir: t.TempDir()}})
		require.EqualValues(t, 90_000, result.Rows)
		return out.Bytes(), result
	}
	want := strings.Repeat("31/12/2025,2.50\n", 30_000) + strings.Repeat("01/02/2026,é\n", 30_000) +
		strings.Repeat(",x\n", 30_000)
	for _, budget := range []int64{1 << 30, MinMemory} {
		got, _ := sorted("csv", budget)
		require.True(t, want == string(got))
		_, result := sorted("arrows", budget)
		require.Equal(t, "date32 utf8", result.Schema.Field(0).Type.String()+" "+result.Schema.Field(1).Type.String())
	}
	for column, want := range map[string]string{
		"#1": `CSVTypes: column "#1": "day" is no type: use date:LAYOUT, timestamp:LAYOUT`,
		"#3": `in0.csv: CSVTypes of column "#3": there is no such column; there are "#1", "#2"`,
	} {
		typ := "text"
		if column == "#1" {
			typ = "day"
		}
		_, err := Check(t.Context(), paths, CheckOptions{Keys: []arrowsort.Key{{Path: "#1"}},
			Input: Input{NoHeader: true, CSVTypes: map[string]string{column: typ}}})
		require.ErrorIs(t, err, ErrOption)
		require.ErrorContains(t, err, want)
	}
}

// TestKeysAreLookedForInTheHeader: a key or a partition of a column that is not there is an error before the rows are
// read for their types, of which the second is wrong here. A mistyped key gets the nearest column.
func TestKeysAreLookedForInTheHeader(t *testing.T) {
	paths := writeTexts(t, "a,price\n1,2\n1,x\n", "price,a\n1,2\n")
	input, out := Input{CSVTypes: map[string]string{"price": "int64"}}, filepath.Join(t.TempDir(), "out.parquet")
	for name, run := range map[string]func(opts Options) error{
		"Sort":    func(opts Options) error { _, err := Sort(t.Context(), paths, out, opts); return err },
		"Merge":   func(opts Options) error { _, err := Merge(t.Context(), paths, out, opts); return err },
		"Argsort": func(opts Options) error { _, err := Argsort(t.Context(), paths[0], out, opts); return err },
		"Explain": func(opts Options) error { _, err := Explain(t.Context(), paths, opts); return err },
		"Check":   func(opts Options) error { _, err := Check(t.Context(), paths, checking(opts)); return err },
		"Plan":    func(opts Options) error { _, err := Plan(t.Context(), paths[0], checking(opts)); return err },
	} {
		t.Run(name, func(t *testing.T) {
			err := run(Options{Input: input, Keys: []arrowsort.Key{{Path: "a"}, {Path: "prize"}}})
			require.ErrorIs(t, err, arrowsort.ErrColumn)
			require.ErrorContains(t, err, `in0.csv: `)
			require.ErrorContains(t, err, `no match for key "prize"; did you mean "price"?`)
			for _, key := range []arrowsort.Key{{Path: "a"}, {Path: "price", Function: arrowsort.Abs}} {
				err = run(Options{Input: input, Keys: []arrowsort.Key{key}})
				require.ErrorContains(t, err, `line 3, column "price": "x"`, "what goes by types is not known yet")
			}
		})
	}
	_, err := Sort(t.Context(), paths, t.TempDir(), Options{Input: input, Keys: []arrowsort.Key{{Path: "a"}},
		Output: Output{PartitionBy: []string{"b"}}})
	require.ErrorContains(t, err, `PartitionBy: 0 columns are named "b"`)
}
