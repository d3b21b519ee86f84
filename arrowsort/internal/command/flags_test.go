package command

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/internal/testrun"
)

// TestNumbersOfFlags tries each flag that takes a number, of each command, at its extremes: rows are written, or there
// is one line that names the flag and its value.
func TestNumbersOfFlags(t *testing.T) {
	values := map[string][]string{ // by what help calls the value of a flag
		"N":             {"0", "1", "1e30", "", "2147483648", "-1", "9223372036854775807"},
		"SIZE":          {"0", "1", "-1", "inf", "9223372036854775807B", "4611686018427387903B", "1e30GiB", "1e-300"},
		"codec[:level]": {"zstd:0", "zstd:-1", "zstd:9223372036854775807", "brotli:99999999999999999999"},
	}
	in := convert(t, "people.parquet")
	for _, cmd := range newRoot(streams{}, io.Discard, new(bool)).Commands() {
		if !slices.Contains([]string{"sort", "merge", "argsort", "check", "explain"}, cmd.Name()) {
			continue
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			kind, _ := pflag.UnquoteUsage(f)
			tried := values[kind]
			if cmd.Name() != "sort" && !testrun.Long() {
				tried = tried[len(tried)/2:]
			}
			for _, value := range tried {
				flag := f.Name
				name := cmd.Name() + " --" + flag + "=" + value
				folder := t.TempDir()
				outputs := func() []string {
					files, err := filepath.Glob(filepath.Join(folder, "*"))
					require.NoError(t, err)
					return files
				}
				args := []string{cmd.Name(), "-k", "name", "--" + flag + "=" + value}
				writes := cmd.Flags().Lookup("output") != nil
				if writes {
					args = append(args, "-q", "-o", filepath.Join(folder, "out.parquet"))
				}
				r := cli(t, nil, append(args, in)...)
				if r.code != 0 {
					require.Empty(t, outputs(), name)
					requireOneLine(t, r.err)
					require.Contains(t, r.err, "--"+flag, name)
					require.NotContains(t, r.err, "corrupted", name)
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
	rows, err := os.ReadFile(table)
	require.NoError(t, err)
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
	rows, err := os.ReadFile(convert(t, "people.parquet"))
	require.NoError(t, err)
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
