package command

import (
	"cmp"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/internal/testrun"
)

// TestNumbersOfFlags tries each flag that takes a number, of each command, at its extremes: rows are written, or there
// is one line that names the flag and its value, and says what to give.
func TestNumbersOfFlags(t *testing.T) {
	values := map[string][]string{ // by what help calls the value of a flag
		"N":    {"0", "1", "1e30", "", "2147483648", "-1", "9223372036854775807", "9223372036854775808"},
		"SIZE": {"0", "1", "-1", "inf", "1PB", "1125899906842625", "lots", "", "1e30GiB", "1e-300"},
		"codec[:level]": {"zstd:0", "zstd:-1", "zstd:9223372036854775807", "brotli:99999999999999999999", "zstd:",
			"gzip:10"},
		"1 or 2":       {"0", "3", "-1", "", "1"},
		"COLUMN[:FPP]": {"name:0", "name:1", "name:-1", "name:NaN", "name:1e-7", "name:0.5", "name:1e400"},
	}
	in := convert(t, "people.parquet")
	for _, cmd := range newRoot(streams{}, io.Discard, new(bool)).Commands() {
		if !cmd.HasFlags() {
			continue // of the commands for help
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			kind, _ := pflag.UnquoteUsage(f)
			tried := values[kind]
			if cmd.Name() != "sort" && !testrun.Long() {
				tried = tried[len(tried)/2:]
			}
			for _, value := range tried {
				flag := f.Name
				if cmd.Name() == argsortName {
					value = strings.Replace(value, "name:", "index:", 1)
				}
				name := cmd.Name() + " --" + flag + "=" + value
				folder := t.TempDir()
				outputs := func() []string {
					files, err := filepath.Glob(filepath.Join(folder, "*"))
					require.NoError(t, err)
					return files
				}
				args := []string{cmd.Name(), "--" + flag + "=" + value}
				if cmd.Flags().Lookup("key") != nil {
					args = append(args, "-k", "name")
				} else {
					args = append(args, "--advise", "name")
				}
				writes := cmd.Flags().Lookup("output") != nil
				if writes {
					args = append(args, "-q", "-o", filepath.Join(folder, "out.parquet"))
				}
				r := cli(t, nil, append(args, in)...)
				if r.code != 0 {
					require.Empty(t, outputs(), name)
					requireOneLine(t, r.err)
					require.Contains(t, r.err, "--"+flag+" "+cmp.Or(value, `""`)+": ", name)
					require.Regexp(t, `give .* from \S+ to |use 1 or 2|levels of \w+ are \d+ to|GPU`, r.err, name)
					continue
				}
				rows := 0
				for _, file := range outputs() {
					csv := cli(t, nil, "sort", "-q", "-k", "#1", "--output-format", "csv", "-o", "-", file)
					require.Zero(t, csv.code, csv.err)
					rows += strings.Count(csv.out, "\n") - 1
				}
				if n, err := strconv.Atoi(value); writes {
					want := 5
					if (flag == "limit" || flag == "tail") && err == nil && n > 0 {
						want = min(want, n)
					}
					require.Equal(t, want, rows, name)
				}
			}
		})
	}
}

// TestOddNamesOnTheCommandLine: no name of an input, an output, a spill folder or a column ends in a panic, and what is
// printed of it is one line.
func TestOddNamesOnTheCommandLine(t *testing.T) {
	table := convert(t, "people.parquet")
	rows := readFile(t, table)
	for _, name := range []string{"\xff\xfe", "a\nb", "-o", "--", "(", "[", "*", "\x1b[2J", " ", "%s",
		strings.Repeat("x", 200)} {
		folder := t.TempDir()
		in, spill := filepath.Join(folder, name+".parquet"), filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(in, rows, 0o600))
		require.NoError(t, os.Mkdir(spill, 0o700))
		for _, perFile := range []string{"0", "2"} {
			args := []string{"sort", "-k", "age", "--memory", "16MiB", "--spill-dir", spill, "--rows-per-file", perFile,
				"-o", filepath.Join(folder, "out"+name+".parquet"), in, in}
			r := cli(t, nil, args...)
			require.Zero(t, r.code, "%q: %s", name, r.err)
			require.NotContains(t, r.err, "\x1b[2J")
			require.Contains(t, r.err, "10 rows", "%q", name)
		}
		for _, args := range [][]string{{"sort", "-k", name}, {"sort", "-k", "age", "--select", name},
			{"check", "-k", name}, {"explain", "-k", name}, {"merge", "-k", name}, {"argsort", "-k", name}} {
			if args[0] != "check" && args[0] != "explain" {
				args = append(args, "-o", filepath.Join(folder, "x.parquet"))
			}
			r := cli(t, nil, append(args, table)...)
			require.NotZero(t, r.code, "%q", args)
			require.NoFileExists(t, filepath.Join(folder, "x.parquet"))
			requireOneLine(t, r.err)
			require.NotContains(t, r.err, "runtime error")
			require.NotContains(t, r.err, "\x1b[2J")
		}
	}
}

// TestWhatAFolderLeavesOut is a warning for each kind, once, of each command.
func TestWhatAFolderLeavesOut(t *testing.T) {
	folder := t.TempDir()
	rows := readFile(t, convert(t, "people.parquet"))
	for _, name := range []string{"a.parquet", "sub/b.parquet", "c.csv", "README.md"} {
		path := filepath.Join(folder, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, rows, 0o600))
	}
	for _, command := range []string{"sort -k name -o", "merge -k name -o", "check -k name", "explain -k name",
		"info"} {
		args := strings.Fields(command)
		if args[len(args)-1] == "-o" {
			args = append(args, filepath.Join(t.TempDir(), "out.parquet"))
		}
		r := cli(t, nil, append(args, folder)...)
		require.Zero(t, r.code, r.err)
		for _, text := range []string{"1 subfolder is not read: sub; give '", "1 CSV file is not read: c.csv; ",
			"1 other file is not read: README.md"} {
			require.Equal(t, 1, strings.Count(r.err, "arrowsort: warning: "+folder+": "+text), "%s: %s", command, r.err)
		}
	}
}

func TestArgsortWritesRowNumbers(t *testing.T) {
	in := file(t, "people.csv", people)
	r := cli(t, nil, "argsort", "-q", "-k", "age:desc", "--output-format", "csv", "-o", "-", in)
	require.Equal(t, result{out: "index\n0\n3\n2\n4\n1\n"}, r)
	r = cli(t, nil, "argsort", "-q", "-k", "age:desc", "--limit", "2", "--preview", "5", in)
	require.Equal(t, result{out: "┌────────┐\n│  index │\n│ uint64 │\n├────────┤\n│      0 │\n│      3 " +
		"│\n└────────┘\n"}, r)
}

func TestCheckTellsTheFirstBadRow(t *testing.T) {
	in := file(t, "people.csv", people)
	require.Equal(t, result{code: 1, out: "not sorted: row 2 sorts before row 1 (rows count from 0)\n",
		err: "finding the types of people.csv\nchecking the order\n"},
		cli(t, nil, "check", "-k", "age", in))
	require.Equal(t, result{code: 1}, cli(t, nil, "check", "-q", "-k", "age", in))
	require.Equal(t, result{out: "sorted\n", err: "finding the types of people.csv\nchecking the order\n"},
		cli(t, nil, "check", "-k", "age", "--limit", "2", in))
	sorted := file(t, "sorted.csv", byAge)
	require.Equal(t, result{out: "sorted\n", err: "finding the types of sorted.csv\nchecking the order\n"},
		cli(t, nil, "check", "-k", "age:desc", sorted))
	for path, want := range map[string]any{in: false, sorted: true} {
		r := cli(t, nil, "check", "--json", "-k", "age:desc", path)
		var got map[string]any
		require.NoError(t, json.Unmarshal([]byte(r.out), &got))
		require.Equal(t, want, got["sorted"])
		require.Equal(t, want == false, got["first_bad_row"] == 2.0, r.out)
		require.Equal(t, want == true, r.code == 0)
	}
}

func TestExplainPrintsThePlan(t *testing.T) {
	in := file(t, "people.csv", people)
	r := cli(t, nil, "explain", "-q", "-k", "age:desc", "-k", "born", in)
	require.Equal(t, 0, r.code, r.err)
	require.Empty(t, r.err)
	for _, want := range []string{"5 rows, 4 columns\n", "age: int64", "descending", "born: date32"} {
		require.Contains(t, r.out, want)
	}
	r = cli(t, nil, "explain", "--json", "-k", "age:desc", in)
	var got map[string]any
	require.NoError(t, json.Unmarshal([]byte(r.out), &got))
	require.Contains(t, got["plan"], "age: int64")
}

func TestInfo(t *testing.T) {
	r := cli(t, nil, "info")
	require.Equal(t, 0, r.code)
	for _, want := range []string{"arrowsort ", "engines:  cpu", "cores:", "memory:", runtime.Version()} {
		require.Contains(t, r.out, want)
	}
	var got facts
	r = cli(t, nil, "info", "--json")
	require.NoError(t, json.Unmarshal([]byte(r.out), &got))
	require.Equal(t, []string{"cpu"}, got.Engines)
	require.Positive(t, got.Cores)
	require.Positive(t, got.Memory)
}

func TestBrokenFilesOfEveryFormat(t *testing.T) {
	for _, name := range []string{"x.parquet", "x.arrow", "x.arrows"} {
		whole := readFile(t, convert(t, name))
		for _, n := range []int{0, 1, 8, len(whole) / 2, len(whole) - 1} {
			path := filepath.Join(t.TempDir(), name)
			require.NoError(t, os.WriteFile(path, whole[:n], 0o644))
			r := cli(t, nil, "check", "-q", "-k", "name", path) // by which it is sorted, so that all of it is read
			require.Equal(t, 2, r.code)
			requireOneLine(t, r.err)
			require.Contains(t, r.err, "arrowsort: "+path+": ")
		}
	}
}

func filesIn(t *testing.T, folder string) []string {
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	names := []string{}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// TestMoreMemoryThanThereIs is a warning of each command with --memory, not an error: a script may run elsewhere.
func TestMoreMemoryThanThereIs(t *testing.T) {
	in, tried := convert(t, "people.parquet"), 0
	for _, cmd := range newRoot(streams{}, io.Discard, new(bool)).Commands() {
		if cmd.Flags().Lookup("memory") == nil {
			continue
		}
		tried++
		args := []string{cmd.Name(), in}
		if cmd.Name() != layoutName {
			args = append(args, "-k", "name")
		}
		if cmd.Flags().Lookup("output") != nil {
			args = append(args, "-o", filepath.Join(t.TempDir(), "out.parquet"))
		}
		const warning = "arrowsort: warning: --memory is 1125.9 TB, and the machine or container has "
		r := cli(t, nil, append(args, "--memory", "1PiB")...)
		require.Zero(t, r.code, r.err)
		require.Equal(t, 1, strings.Count(r.err, warning), r.err)
		require.NotContains(t, cli(t, nil, append(args, "--memory", "16MiB")...).err, "warning")
	}
	require.Equal(t, 5, tried)
}
