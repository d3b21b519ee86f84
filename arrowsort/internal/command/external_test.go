package command

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// manyPeople is a file whose table takes more than 16 MiB with what sorting it takes.
func manyPeople(t *testing.T, name string) string {
	var rows strings.Builder
	rows.WriteString("name,n\n")
	for i := range 400_000 {
		fmt.Fprintf(&rows, "a name that takes some memory %d,%d\n", i%1000, i*7919%400_000)
	}
	path := filepath.Join(t.TempDir(), name)
	r := cli(t, nil, "sort", "-q", "-k", "name", "-o", path, file(t, "many.csv", rows.String()))
	require.Equal(t, result{}, r)
	return path
}

// wideText is a CSV file of 60,000 rows that take 5 MB in memory.
func wideText(t *testing.T) string {
	var rows strings.Builder
	rows.WriteString("text,n\n")
	for i := range 60_000 {
		fmt.Fprintf(&rows, "%s %d,%d\n", strings.Repeat("a text", 12), i%1000, i*7919%60_000)
	}
	return file(t, "in.csv", rows.String())
}

func TestSortWithinMemory(t *testing.T) {
	// Arrow is read a batch at a time.
	for name, memory := range map[string]string{"in.parquet": "16MiB", "in.arrow": "32MiB"} {
		in, spill, out := manyPeople(t, name), t.TempDir(), t.TempDir()
		path := filepath.Join(out, "out.parquet")
		r := cli(t, nil, "sort", "--json", "-k", "n:desc", "--memory", memory, "--spill-dir", spill,
			"--spill-compression", "lz4", "-o", path, in)
		require.Equal(t, 0, r.code, r.err)
		require.Empty(t, r.err)
		var got map[string]any
		require.NoError(t, json.Unmarshal([]byte(r.out), &got), r.out)
		require.Greater(t, got["runs"], 1.0)
		require.Positive(t, got["bytes_spilled"])
		require.Equal(t, 400_000.0, got["rows_out"])
		require.Contains(t, got["plan"], "n: int64")
		entries, err := os.ReadDir(spill)
		require.NoError(t, err)
		require.Empty(t, entries)
		require.Equal(t, result{out: "sorted\n", err: "checking out.parquet\n"},
			cli(t, nil, "check", "-k", "n:desc", path))

		whole := filepath.Join(out, "whole.csv")
		require.Equal(t, result{}, cli(t, nil, "sort", "-q", "-k", "n:desc", "-o", whole, in))
		want := readFile(t, whole)
		require.Equal(t, result{}, cli(t, nil, "sort", "-q", "-k", "n:desc", "-o", whole, path))
		same := readFile(t, whole)
		require.True(t, string(want) == string(same), "the rows differ from those sorted in memory")
	}
}

func TestSortFilesIntoFiles(t *testing.T) {
	folder := filepath.Dir(convert(t, "a.parquet"))
	second := readFile(t, convert(t, "b.parquet"))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "b.parquet"), second, 0o644))
	a, b := filepath.Join(folder, "a.parquet"), filepath.Join(folder, "b.parquet")
	for _, inputs := range [][]string{{a, b}, {folder}, {filepath.Join(folder, "*.parquet")}} {
		out := t.TempDir()
		r := cli(t, nil, append([]string{"sort", "-q", "-k", "age", "--rows-per-file", "4", "-o",
			filepath.Join(out, "o.parquet")}, inputs...)...)
		require.Equal(t, result{}, r)
		entries, err := os.ReadDir(out)
		require.NoError(t, err)
		require.Len(t, entries, 3)
		require.Equal(t, result{out: "sorted\n"}, cut(cli(t, nil, "check", "-k", "age", out)))
		last := filepath.Join(out, "o-00003.parquet")
		r = cut(cli(t, nil, "check", "-k", "age", last, filepath.Join(out, "o-00001.parquet")))
		require.Equal(t, result{code: 1, out: "not sorted: " + filepath.Join(out, "o-00001.parquet") +
			": row 0 sorts before the last row of the files before it (rows count from 0)\n"}, r)
		r = cut(cli(t, nil, "check", "--json", "-k", "age", last, filepath.Join(out, "o-00001.parquet")))
		require.Contains(t, r.out, `"first_bad_row":0`)
		require.Equal(t, result{out: "sorted\n"}, cut(cli(t, nil, "check", "-k", "age", filepath.Join(out, "o-*"))),
			"a pattern that ends as no file does")
	}
}

// TestSortIntoPartitions: the report says what the partitions are by, and how many files there are.
func TestSortIntoPartitions(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	r := cli(t, nil, "sort", "-k", "name:desc", "--partition-by", "age", "-o", out, convert(t, "people.parquet"))
	require.Zero(t, r.code, r.err)
	require.Contains(t, r.err, "5 rows, 4 columns, sorted by name (descending) in partitions by age\n")
	require.Contains(t, r.err, " out in 3 files")
	require.FileExists(t, filepath.Join(out, "age=31", "part-00001.parquet"))
}

// cut is a result without what is said on standard error.
func cut(r result) result {
	r.err = ""
	return r
}

func TestMemoryIsForFilesThatCanBeRead(t *testing.T) {
	text, table := file(t, "people.csv", people), convert(t, "x.parquet")
	for name, args := range map[string][]string{
		"numbered pipe":  {"--rows-per-file", "2", "--output-format", "arrows", "-o", "-", table},
		"numbered none":  {"--rows-per-file", "2", "--preview", "2", table},
		"bytes per file": {"--bytes-per-file", "few", "-o", "x.parquet", table},
		"spill folder":   {"--spill-dir", "no", "-o", "x.parquet", table},
		"size":           {"--memory", "much", "-o", "x.parquet", table},
		"small":          {"--memory", "1MiB", "-o", "x.parquet", table},
		"compression":    {"--spill-compression", "gzip", "-o", "x.parquet", table},
		"rows per file":  {"--rows-per-file", "-1", "-o", "x.parquet", table},
		"several inputs": {"-o", "x.parquet", table, text},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			r := cli(t, strings.NewReader(""), append([]string{"sort", "-q", "-k", "age"}, args...)...)
			require.Equal(t, 2, r.code, r.err)
			requireOneLine(t, r.err)
			entries, err := os.ReadDir(".")
			require.NoError(t, err)
			require.Empty(t, entries)
		})
	}
}

func TestFolderOfCSV(t *testing.T) {
	folder := filepath.Dir(file(t, "people.tsv", people))
	r := cli(t, nil, "sort", "-k", "name", "--preview", "1", folder)
	require.Equal(t, result{code: 1, err: "arrowsort: " + folder + ": a folder stands for the Parquet and Arrow " +
		"files in it, and there is only CSV; give '" + filepath.Join(folder, "*.tsv") + "'\n"}, r)
}

func TestFolderOfOneFile(t *testing.T) {
	folder := filepath.Dir(convert(t, "a.parquet"))
	out := filepath.Join(t.TempDir(), "o.csv")
	require.Equal(t, result{}, cli(t, nil, "sort", "-q", "-k", "age:desc", "-k", "born", "-o", out, folder))
	require.Equal(t, 0, cli(t, nil, "check", "-q", "-k", "name", folder).code)
	b := readFile(t, out)
	require.Equal(t, byAge, string(b))
}

// TestSortBeyondMemoryToEverything compares what comes in pieces with what is sorted in memory.
func TestSortBeyondMemoryToEverything(t *testing.T) {
	in, folder := manyPeople(t, "in.parquet"), t.TempDir()
	sort := func(args ...string) result {
		return cli(t, nil, append([]string{"sort", "-q", "-k", "name:desc", "-k", "n", in}, args...)...)
	}
	within := []string{"--memory", "16MiB", "--spill-dir", folder}
	want := sort("--output-format", "csv", "--delimiter", "tab", "-o", "-")
	require.Equal(t, 0, want.code)
	require.True(t, want == sort(append(within, "--output-format", "csv", "--delimiter", "tab", "-o", "-")...))
	want = sort("--limit", "70001", "--output-format", "csv", "-o", "-")
	require.True(t, want == sort(append(within, "--limit", "70001", "--output-format", "csv", "-o", "-")...))
	want = sort("--preview", "20")
	require.Equal(t, want, sort(append(within, "--preview", "20")...))
	require.Equal(t, want, sort(append(within, "--preview", "20", "-o", filepath.Join(folder, "o.arrow"))...))
	require.Equal(t, want, sort(append(within, "--preview", "20", "-o", filepath.Join(folder, "o.csv"))...))
	want = sort("--limit", "2", "--preview", "20")
	require.Equal(t, want, sort(append(within, "--limit", "2", "--preview", "20", "-o",
		filepath.Join(folder, "o.parquet"))...))
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, entries, 3)
	r := sort(append(within, "-o", "-")...)
	require.Equal(t, 0, r.code, r.err)
	r = cli(t, strings.NewReader(r.out), "check", "-k", "name:desc", "-k", "n", "-")
	require.Equal(t, result{out: "sorted\n"}, cut(r))
}

func TestExplainTellsWhatSortWouldDo(t *testing.T) {
	in := manyPeople(t, "in.parquet")
	r := cli(t, nil, "explain", "-q", "-k", "n", "--memory", "16MiB", in)
	require.Regexp(t, `^1 file, .* in; about .* in memory, of a budget of 16.8 MB\n`+
		`about \d+ runs, spilled and merged in 1 pass: about .* to the spill folder, without compression\n$`, r.out)
	var got struct{ Strategy parquetsort.Strategy }
	r = cli(t, nil, "explain", "--json", "-k", "n", "--memory", "16MiB", in)
	require.NoError(t, json.Unmarshal([]byte(r.out), &got), r.out)
	require.False(t, got.Strategy.InMemory)
	require.Greater(t, got.Strategy.Runs, 1)
	require.Equal(t, 1, got.Strategy.Passes)
	require.Positive(t, got.Strategy.BytesSpilled)
	r = cli(t, nil, "explain", "-q", "-k", "n", "--memory", "1GiB", in, in)
	require.Regexp(t, `^2 files, .*\n.*\n$`, r.out)
	r = cli(t, nil, "explain", "-q", "-k", "age", "--memory", "1GiB", file(t, "people.csv", people))
	require.Contains(t, r.out, "sorted in memory, nothing is spilled\n")
}

func TestOutputOfAnEarlierSortAmongTheInputs(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.Rename(convert(t, "x.parquet"), filepath.Join(folder, "a.parquet")))
	require.NoError(t, os.Rename(convert(t, "x.parquet"), filepath.Join(folder, "b.parquet")))
	args := []string{"sort", "-q", "-k", "age", "-o", filepath.Join(folder, "all.parquet"), folder}
	require.Equal(t, result{}, cli(t, nil, args...))
	r := cli(t, nil, args...)
	require.Equal(t, 2, r.code)
	requireOneLine(t, r.err)
	require.Contains(t, r.err, "arrowsort: "+filepath.Join(folder,
		"all.parquet")+" is an output that is among the inputs")
}

func TestRowsInAndOutOfALimit(t *testing.T) {
	in := manyPeople(t, "in.parquet")
	for _, command := range []string{"sort", "merge"} {
		r := cli(t, nil, command, "--json", "-k", "name", "--limit", "7", "-o", filepath.Join(t.TempDir(), "o.parquet"),
			in, in)
		require.Equal(t, 0, r.code, r.err)
		var got map[string]any
		require.NoError(t, json.Unmarshal([]byte(r.out), &got))
		require.Equal(t, 800_000.0, got["rows"])
		require.Equal(t, 7.0, got["rows_out"])
	}
}

func TestFilesOfSomeBytes(t *testing.T) {
	in, folder := manyPeople(t, "in.parquet"), t.TempDir()
	r := cli(t, nil, "sort", "--json", "-k", "n", "--row-group-rows", "5000", "--bytes-per-file", "50kB", "-o",
		filepath.Join(folder, "o.parquet"), in)
	require.Equal(t, 0, r.code, r.err)
	var got struct{ Outputs []string }
	require.NoError(t, json.Unmarshal([]byte(r.out), &got))
	require.Greater(t, len(got.Outputs), 2)
	for _, path := range got.Outputs {
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Less(t, info.Size(), int64(110_000))
	}
	require.Equal(t, result{out: "sorted by n, as the footer says\n"}, cut(cli(t, nil, "check", folder)))
}

// TestAFileThatIsNamedTwiceIsReadTwice, as by sort(1), DuckDB and xsv.
func TestAFileThatIsNamedTwiceIsReadTwice(t *testing.T) {
	in := filepath.Join(t.TempDir(), "x.parquet")
	require.Equal(t, result{}, cli(t, nil, "sort", "-q", "-k", "a", "-o", in, file(t, "x.csv", "a\n2\n1\n")))
	r := cli(t, nil, "sort", "-q", "-k", "a", "--output-format", "csv", "-o", "-", in, in)
	require.Equal(t, result{out: "a\n1\n1\n2\n2\n"}, r)
}

// TestExplainCountsRows of Parquet files, also where they are read in pieces.
func TestExplainCountsRows(t *testing.T) {
	in := convert(t, "x.parquet")
	for _, args := range [][]string{{in}, {in, in}, {"--memory", "16MiB", in, in, in}} {
		r := cli(t, nil, append([]string{"explain", "--json", "-k", "age"}, args...)...)
		require.Contains(t, r.out, fmt.Sprintf(`"rows":%d,`, 5*strings.Count(strings.Join(args, " "), in)))
	}
	in = convert(t, "x.arrow")
	require.NotContains(t, cli(t, nil, "explain", "--json", "-k", "age", in, in).out, `"rows":`, "they are not counted")
}

// TestRowGroupsThatALimitLeavesOut are reported by explain and sort, in words and as JSON.
func TestRowGroupsThatALimitLeavesOut(t *testing.T) {
	in := filepath.Join(t.TempDir(), "x.parquet")
	require.Equal(t, result{}, cli(t, nil, "sort", "-q", "-k", "a", "--row-group-rows", "2", "-o", in,
		file(t, "x.csv", "a\n1\n2\n3\n4\n5\n6\n")))
	for flag, rows := range map[string]string{"--limit": "1\n2\n3\n", "--tail": "4\n5\n6\n"} {
		const line = "2 of 3 row groups read: the others hold none of the wanted rows, by their bounds\n"
		r := cli(t, nil, "explain", "-k", "a", flag, "3", in)
		require.Contains(t, r.out, line)
		require.NotContains(t, r.out, "bits", "the plan would need all keys")
		r = cli(t, nil, "explain", "--json", "-k", "a", "--memory", "16MiB", flag, "3", in)
		require.Contains(t, r.out, `"row_groups":3,"row_groups_read":2}`)
		r = cli(t, nil, "sort", "-k", "a", flag, "3", "--output-format", "csv", "-o", "-", in)
		require.Equal(t, "a\n"+rows, r.out)
		require.Contains(t, r.err, "6 rows in, 3 rows out")
		require.Contains(t, r.err, line)
		r = cli(t, nil, "explain", "-k", "a", flag, "5", in)
		require.NotContains(t, r.out, "row groups read", "all are")
		require.Contains(t, r.out, "bits")
	}
}

// TestPagesThatALimitLeavesOut are reported beside the row groups.
func TestPagesThatALimitLeavesOut(t *testing.T) {
	in := filepath.Join(t.TempDir(), "x.parquet")
	require.Equal(t, result{}, cli(t, nil, "sort", "-q", "-k", "a", "--row-group-rows", "4", "--page-rows", "1",
		"-o", in, file(t, "x.csv", "a\n1\n2\n3\n4\n5\n6\n")))
	const line = "1 of 2 row groups read, and 2 of 4 pages of the first key: the others hold none of the wanted " +
		"rows, by their bounds\n"
	require.Contains(t, cli(t, nil, "explain", "-k", "a", "--limit", "2", in).out, line)
	r := cli(t, nil, "sort", "-k", "a", "--limit", "2", "--output-format", "csv", "-o", "-", in)
	require.Equal(t, "a\n1\n2\n", r.out)
	require.Contains(t, r.err, line)
	out := filepath.Join(t.TempDir(), "y.parquet")
	r = cli(t, nil, "sort", "--json", "-q", "-k", "a", "--limit", "2", "-o", out, in)
	require.Contains(t, r.out, `"row_groups":2,"row_groups_read":1,"pages":4,"pages_read":2,`)
}
