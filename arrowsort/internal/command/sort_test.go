package command

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

const byAge = `name,age,score,born
dora,31,2.5,1990-05-01
bert,31,0.5,1990-05-02
cleo,25,,1999-12-31
,25,9.0,2000-01-01
abel,,1.5,1985-01-02
`

func TestSortThroughEveryFormat(t *testing.T) {
	for _, name := range []string{"x.parquet", "x.pq", "x.arrow", "x.feather", "x.ipc", "x.arrows", "x.csv"} {
		t.Run(name, func(t *testing.T) {
			first := convert(t, name)
			sorted := filepath.Join(t.TempDir(), name)
			require.Equal(t, result{}, cli(t, nil, "sort", "-q", "-k", "age:desc", "-k", "born", "-o", sorted, first))
			r := cli(t, nil, "sort", "-q", "-k", "age:desc", "--output-format", "csv", "-o", "-", sorted)
			require.Equal(t, result{out: byAge}, r)
		})
	}
}

func TestSortPreviewIsATable(t *testing.T) {
	const want = `┌──────┬───────┬─────────┬────────────┐
│ name │   age │   score │ born       │
│ utf8 │ int64 │ float64 │ date32     │
├──────┼───────┼─────────┼────────────┤
│ dora │    31 │     2.5 │ 1990-05-01 │
│ bert │    31 │     0.5 │ 1990-05-02 │
│ cleo │    25 │    null │ 1999-12-31 │
└──────┴───────┴─────────┴────────────┘
`
	in := file(t, "people.csv", people)
	require.Equal(t, result{out: want}, cli(t, nil, "sort", "-q", "-k", "age:desc", "--preview", "3", in))
	out := filepath.Join(t.TempDir(), "out.csv")
	require.Equal(t, result{out: want}, cli(t, nil, "sort", "-q", "-k", "age:desc", "--preview", "3", "-o", out, in))
	b := readFile(t, out)
	require.Equal(t, byAge, string(b))
}

func TestSortOptions(t *testing.T) {
	in := file(t, "people.csv", people)
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"nulls first": {[]string{"-k", "age:nulls-first", "--limit", "1"}, "abel,,1.5,1985-01-02\n"},
		"by position": {[]string{"-k", "#4:desc", "--limit", "1"}, ",25,9.0,2000-01-01\n"},
		"one thread": {[]string{"-k", "age", "--threads", "1", "--limit", "2"},
			"cleo,25,,1999-12-31\n,25,9.0,2000-01-01\n"},
		"engine cpu": {[]string{"-k", "score:desc:nulls-first", "--engine", "cpu", "--limit", "2"},
			"cleo,25,,1999-12-31\n,25,9.0,2000-01-01\n"},
		"limit beyond": {[]string{"-k", "age:desc", "--limit", "99"}, strings.SplitN(byAge, "\n", 2)[1]},
	} {
		t.Run(name, func(t *testing.T) {
			args := append([]string{"sort", "-q", "--output-format", "csv", "-o", "-", in}, c.args...)
			require.Equal(t, result{out: "name,age,score,born\n" + c.want}, cli(t, nil, args...))
		})
	}
}

func TestSortThroughPipes(t *testing.T) {
	first := cli(t, nil, "sort", "-q", "-k", "name", "-o", "-", file(t, "people.csv", people))
	require.Equal(t, 0, first.code, first.err)
	second := cli(t, strings.NewReader(first.out), "sort", "-q", "-k", "born", "-o", "-", "-")
	require.Equal(t, 0, second.code, second.err)
	third := cli(t, strings.NewReader(second.out), "sort", "-q", "-k", "age:desc", "--output-format", "csv", "-o", "-",
		"-")
	require.Equal(t, result{out: byAge}, third)
	text := cli(t, strings.NewReader(people), "sort", "-q", "--format", "csv", "-k", "age:desc", "--output-format",
		"csv", "-o", "-", "-")
	require.Equal(t, result{out: byAge}, text)
}

func TestSortOntoItsInput(t *testing.T) {
	for _, name := range []string{"x.parquet", "x.arrow", "x.arrows", "x.csv"} {
		path := convert(t, name)
		require.Equal(t, result{}, cli(t, nil, "sort", "-q", "-k", "age:desc", "-o", path, path))
		require.Equal(t, 0, cli(t, nil, "check", "-q", "-k", "age:desc", path).code)
		entries, err := os.ReadDir(filepath.Dir(path))
		require.NoError(t, err)
		require.Len(t, entries, 1)
	}
}

func TestSortReports(t *testing.T) {
	in := file(t, "people.csv", people)
	out := filepath.Join(t.TempDir(), "out.parquet")
	r := cli(t, nil, "sort", "-k", "age:desc", "-o", out, in)
	require.Equal(t, 0, r.code)
	require.Empty(t, r.out)
	for _, want := range []string{"reading and sorting people.csv\n", "merging and writing out.parquet\n",
		"5 rows, 4 columns, sorted by age (descending)\n", " B in, ", " (grew by a factor of ", " s: reading 0."} {
		require.Contains(t, r.err, want)
	}
	require.NotContains(t, r.err, "int64")
	r = cli(t, nil, "sort", "-v", "-k", "#2:desc:nulls-first", "-k", "born", "-o", out, in)
	require.Contains(t, r.err, "5 rows, 4 columns, sorted by #2 (descending, nulls first), born\n")
	require.Contains(t, r.err, "\nplan: age: int64, ")
	for _, flag := range []string{"--json", "-q"} {
		require.Equal(t, exitUsage, cli(t, nil, "sort", "-v", flag, "-k", "age", "-o", out, in).code)
	}
	r = cli(t, nil, "sort", "--json", "-k", "age:desc", "-k", "born", "-o", out, in)
	require.Equal(t, 0, r.code)
	require.Empty(t, r.err)
	var got map[string]any
	require.NoError(t, json.Unmarshal([]byte(r.out), &got), r.out)
	info, err := os.Stat(out)
	require.NoError(t, err)
	for key, want := range map[string]any{"command": "sort", "input": in, "output": out, "rows": 5.0, "rows_out": 5.0,
		"columns":  4.0,
		"bytes_in": float64(len(people)), "bytes_out": float64(info.Size()), "engine": "cpu",
		"keys": []any{"age:desc", "born"}} {
		require.Equal(t, want, got[key], key)
	}
	require.Contains(t, got["plan"], "age: int64")
	for _, key := range []string{"seconds", "read_seconds", "sort_seconds", "write_seconds", "rows_per_second"} {
		require.Positive(t, got[key], key)
	}
	r = cli(t, nil, "sort", "--json", "-k", "age", "-o", "-", in)
	require.Equal(t, 0, r.code)
	require.True(t, json.Valid([]byte(r.err)), "standard output holds the table: %s", r.err)
}

func TestSortThatIsInterruptedLeavesNothing(t *testing.T) {
	var rows strings.Builder
	rows.WriteString("a,b\n")
	for i := range 200_000 {
		fmt.Fprintf(&rows, "%d,%d\n", i*7919%200_000, i)
	}
	in := file(t, "big.csv", rows.String())
	for _, name := range []string{"out.csv", "out.parquet", "out.arrow"} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go func() { // cancels once the temporary file is there, or at the end of the test
				for ctx.Err() == nil {
					if entries, _ := os.ReadDir(folder); len(entries) > 0 {
						cancel()
					}
					time.Sleep(time.Millisecond)
				}
			}()
			r := cliIn(ctx, nil, "sort", "-q", "-k", "a", "-o", filepath.Join(folder, name), in)
			entries, err := os.ReadDir(folder)
			require.NoError(t, err)
			if r.code == 0 { // it was faster than the one who watches
				require.Len(t, entries, 1)
				return
			}
			require.Equal(t, result{code: 130, err: "arrowsort: interrupted\n"}, r)
			require.Empty(t, entries)
		})
	}
}

func TestSortThatIsCancelledBefore(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, name := range []string{"x.parquet", "x.arrow", "x.arrows", "x.csv"} {
		path := convert(t, name)
		r := cliIn(ctx, nil, "sort", "-q", "-k", "age", "--preview", "1", path)
		require.Equal(t, result{code: 130, err: "arrowsort: interrupted\n"}, r, name)
	}
}

func TestPreviewFitsTheTerminal(t *testing.T) {
	in := file(t, "wide.csv", strings.Repeat("a column,", 30)+"k\n"+strings.Repeat("a value,", 30)+"1\n")
	var out, err bytes.Buffer
	code := run(t.Context(), []string{"sort", "-q", "-k", "k", "--preview", "3", in},
		streams{out: &out, err: &err, outTerminal: true, outWidth: 72})
	require.Equal(t, 0, code, err.String())
	for line := range strings.Lines(out.String()) {
		require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), 72)
	}
}

func TestCheckWithinMemory(t *testing.T) {
	require.Equal(t, 0, cli(t, nil, "check", "-q", "--memory", "16MiB", "-k", "name", manyPeople(t, "in.parquet")).code)
	require.Equal(t, 2, cli(t, nil, "check", "-q", "--memory", "1MiB", "-k", "name", "x.parquet").code)
}

// TestRowsAndColumnsThatAreWanted, of CSV, which keeps its text, and of Parquet.
func TestRowsAndColumnsThatAreWanted(t *testing.T) {
	text := file(t, "people.csv", strings.ReplaceAll(people, "2.5,", "2.50,"))
	table := filepath.Join(t.TempDir(), "people.parquet")
	require.Equal(t, result{}, cli(t, nil, "sort", "-q", "-k", "age", "-o", table, text))
	for args, want := range map[string]string{
		"--unique": "name,age,score,born\ncleo,25,,1999-12-31\ndora,31,2.50,1990-05-01\n" +
			"abel,,1.5,1985-01-02\n",
		"--unique --limit 1":            "name,age,score,born\ncleo,25,,1999-12-31\n",
		"--tail 2 --select name,age":    "name,age\nbert,31\nabel,\n",
		"--select score,name --limit 1": "score,name\n,cleo\n",
		"--select #4 --limit 1":         "born\n1999-12-31\n",
	} {
		for _, in := range []string{text, table} {
			got := cli(t, nil, append([]string{"sort", "-q", "-k", "age", "--output-format", "csv", "-o", "-", in},
				strings.Fields(args)...)...)
			require.Equal(t, 0, got.code, got.err)
			if in == table {
				want = strings.ReplaceAll(want, "2.50", "2.5")
			}
			require.Equal(t, want, got.out, args)
		}
	}
	r := cli(t, nil, "merge", "-q", "-k", "age", "--unique", "--select", "age", "--output-format", "csv", "-o", "-",
		table, table)
	require.Equal(t, result{out: "age\n25\n31\n\"\"\n"}, r)
	r = cli(t, nil, "sort", "-q", "-k", "age", "--select", "nmae", "--preview", "1", text)
	require.Equal(t, result{code: exitUsage, err: "arrowsort: " + text +
		`: --select "nmae": no such column; did you mean "name"?` + "\n"}, r)
	require.Equal(t, 2, cli(t, nil, "sort", "-k", "age", "--tail", "1", "--unique", "--preview", "1", text).code)
}

func TestMergeSortedFiles(t *testing.T) {
	in, folder := manyPeople(t, "in.parquet"), t.TempDir()
	parts := filepath.Join(folder, "parts")
	require.NoError(t, os.Mkdir(parts, 0o755))
	for _, file := range []string{"a.parquet", "b.parquet"} {
		require.Equal(t, result{}, cli(t, nil, "sort", "-q", "-k", "n", "-o", filepath.Join(parts, file), in))
	}
	out, sorted := filepath.Join(folder, "out.parquet"), filepath.Join(folder, "sorted.parquet")
	require.Equal(t, result{}, cli(t, nil, "sort", "-q", "-k", "n", "-o", sorted, parts))
	want := readFile(t, sorted)
	for _, args := range [][]string{{"-k", "n"}, {}, {"--memory", "64MiB"}} {
		r := cli(t, nil, append([]string{"merge", "--json", "-o", out, parts}, args...)...)
		require.Equal(t, 0, r.code, r.err)
		var got map[string]any
		require.NoError(t, json.Unmarshal([]byte(r.out), &got), r.out)
		require.Equal(t, "merge", got["command"])
		require.Equal(t, []any{"n"}, got["keys"])
		require.Equal(t, 800_000.0, got["rows_out"])
		if len(args) == 0 {
			b := readFile(t, out)
			require.True(t, string(want) == string(b), "not the same as sorted")
		}
		require.Equal(t, result{out: "sorted by n, as the footer says\n"}, cut(cli(t, nil, "check", out)))
	}
}

func TestMergeThatCannotBe(t *testing.T) {
	folder := t.TempDir()
	a, none := convert(t, "a.parquet"), filepath.Join(folder, "none.parquet")
	claiming(t, none)
	for name, c := range map[string]struct {
		args []string
		code int
		want string
	}{
		"not in order":   {[]string{"-k", "age", a, a}, 1, a + ": row 1 sorts before row 0 "},
		"no order named": {[]string{a, none}, 2, none + " names no order"},
		"CSV":            {[]string{"-k", "age", file(t, "people.csv", people)}, 1, "people.csv: row 2 sorts before"},
		"pipe":           {[]string{"-k", "age", "-"}, 1, "standard input: "},
		"other formats":  {[]string{"-k", "age", file(t, "people.csv", people), a}, 2, "people.csv is CSV and " + a},
		"no such column": {[]string{"-k", "agee", a}, 2, a + `: key "agee": no such column`},
	} {
		t.Run(name, func(t *testing.T) {
			out := t.TempDir()
			r := cli(t, nil, append([]string{"merge", "-q", "-o", filepath.Join(out, "x.parquet")}, c.args...)...)
			require.Equal(t, c.code, r.code, r.err)
			requireOneLine(t, r.err)
			require.Contains(t, r.err, c.want)
			entries, err := os.ReadDir(out)
			require.NoError(t, err)
			require.Empty(t, entries)
		})
	}
}

// TestNumbersBesideText: a file of numbers in order is not in order as text, which the error explains.
func TestNumbersBesideText(t *testing.T) {
	numbers, words := file(t, "numbers.csv", "a,b\n9,1\n10,1\n"), file(t, "words.csv", "b,a\n1,x\n1,y\n")
	reason := `column "a" is compared as text, as its types differ: it is int64 in ` + numbers + " and utf8 in " + words
	r := cli(t, nil, "merge", "-q", "-k", "a", "-o", filepath.Join(t.TempDir(), "all.csv"), words, numbers)
	require.Equal(t, result{code: 1, err: "arrowsort: not sorted: " + numbers +
		": row 1 sorts before row 0 (rows count from 0); " + reason + "; sort them together\n"}, r)
	r = cli(t, nil, "check", "-k", "a", numbers, words)
	require.Equal(t, 1, r.code)
	require.Equal(t, "not sorted: "+numbers+": row 1 sorts before row 0 (rows count from 0)\n"+reason+"\n",
		r.out)
	r = cli(t, nil, "merge", "-q", "-k", "a", "-o", "x.csv", file(t, "falling.csv", "a,b\n2,1\n1,1\n"), numbers)
	require.Equal(t, 1, r.code)
	require.Contains(t, r.err, "row 1 sorts before row 0 (rows count from 0); sort the file first")
}

// TestSortedFilesAreCopied sorts a file twice: the second time it is copied, unless something else is asked for.
func TestSortedFilesAreCopied(t *testing.T) {
	sorted := manyPeople(t, "in.parquet") // by name
	out := filepath.Join(t.TempDir(), "out.parquet")
	copied := func(args ...string) bool {
		r := cli(t, nil, append([]string{"sort", "--json", "-o", out, sorted}, args...)...)
		require.Equal(t, 0, r.code, r.err)
		var got map[string]any
		require.NoError(t, json.Unmarshal([]byte(r.out), &got), r.out)
		require.Equal(t, 400_000.0, got["rows_out"])
		info, err := os.Stat(out)
		require.NoError(t, err)
		require.Equal(t, float64(info.Size()), got["bytes_out"])
		require.Contains(t, got["plan"], ":")
		return got["copied"] == true
	}
	require.True(t, copied("-k", "name"))
	require.True(t, copied("-k", "#1"))
	require.Equal(t, result{out: "sorted by name, as the footer says\n"}, cut(cli(t, nil, "check", out)))
	for _, args := range [][]string{{"-k", "name", "--compression", "snappy"},
		{"-k", "name", "--row-group-rows", "1000"}, {"-k", "name:desc"}, {"-k", "n"}, {"-k", "name", "-k", "n"},
		{"-k", "#2"}} {
		require.False(t, copied(args...), args)
	}
}

// TestCloseEncodings: dates that fall look smaller plain in a few thousand values than they are in a page of them.
func TestCloseEncodings(t *testing.T) {
	var sizes []int64
	for _, encoding := range []string{"auto", "date=DELTA_BINARY_PACKED"} {
		out := filepath.Join(t.TempDir(), "x.parquet")
		r := cli(t, nil, "sort", "-q", "-k", "origin", "-k", "date:desc", "--encoding", encoding, "-o", out,
			"../../../examples/data/flights.parquet")
		require.Equal(t, result{}, r)
		info, err := os.Stat(out)
		require.NoError(t, err)
		sizes = append(sizes, info.Size())
	}
	require.LessOrEqual(t, sizes[0], sizes[1])
}
