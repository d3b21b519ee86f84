package command

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
)

// people is a small table with ties, nulls and a nested-free mix of types.
const people = `name,age,score,born
dora,31,2.5,1990-05-01
abel,,1.5,1985-01-02
cleo,25,,1999-12-31
bert,31,0.5,1990-05-02
,25,9.0,2000-01-01
`

// result is what a run of the command line left.
type result struct {
	code     int
	out, err string
}

// cli runs the command line in this process.
func cli(t *testing.T, stdin io.Reader, args ...string) result {
	t.Helper()
	return cliIn(t.Context(), stdin, args...)
}

func cliIn(ctx context.Context, stdin io.Reader, args ...string) result {
	var out, err bytes.Buffer
	code := run(ctx, args, streams{in: stdin, out: &out, err: &err})
	return result{code, out.String(), err.String()}
}

// file writes a file into a folder of the test.
func file(t *testing.T, name, content string) string {
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
	return path
}

// convert sorts the people by name into a file of the format that the name says.
func convert(t *testing.T, name string) string {
	path := filepath.Join(t.TempDir(), name)
	r := cli(t, nil, "sort", "-q", "-k", "name", "-o", path, file(t, "people.csv", people))
	require.Equal(t, result{}, r)
	return path
}

func TestUsageErrorsAreExitCode2(t *testing.T) {
	in := file(t, "people.csv", people)
	for name, args := range map[string][]string{
		"unknown command":       {"sirt"},
		"unknown flag":          {"sort", "--fast", in},
		"no input":              {"sort", "-k", "age", "-o", "x.csv"},
		"two inputs":            {"argsort", "-k", "age", "-o", "x.csv", in, in},
		"no key":                {"sort", "-o", "x.csv", in},
		"unknown modifier":      {"sort", "-q", "-k", "age:down", "-o", "x.csv", in},
		"empty key":             {"sort", "-k", ":desc", "-o", "x.csv", in},
		"position 0":            {"sort", "-k", "#0", "-o", "x.csv", in},
		"no output":             {"sort", "-k", "age", in},
		"limit below 0":         {"sort", "-k", "age", "--limit", "-1", "-o", "x.csv", in},
		"limit not a number":    {"sort", "-k", "age", "--limit", "ten", "-o", "x.csv", in},
		"threads below 0":       {"check", "-k", "age", "--threads", "-1", in},
		"preview below 0":       {"sort", "-k", "age", "--preview", "-1", in},
		"unknown engine":        {"sort", "-k", "age", "--engine", "tpu", "-o", "x.csv", in},
		"unknown format":        {"sort", "-k", "age", "--format", "orc", "-o", "x.csv", in},
		"input without format":  {"sort", "-q", "-k", "age", "-o", "x.csv", file(t, "people.txt", people)},
		"help of no command":    {"help", "srt"},
		"unknown output format": {"sort", "-k", "age", "--output-format", "orc", "-o", "x.csv", in},
		"output without format": {"sort", "-k", "age", "-o", "x.txt", in},
		"unknown compression":   {"sort", "-k", "age", "--compression", "rar", "-o", "x.parquet", in},
		"level of a codec":      {"sort", "-k", "age", "--compression", "snappy:3", "-o", "x.parquet", in},
		"level out of range":    {"sort", "-k", "age", "--compression", "zstd:99", "-o", "x.parquet", in},
		"compressed CSV":        {"sort", "-k", "age", "--compression", "zstd", "-o", "x.csv", in},
		"snappy in Arrow":       {"sort", "-k", "age", "--compression", "snappy", "-o", "x.arrow", in},
		"row groups of CSV":     {"sort", "-k", "age", "--row-group-rows", "5", "-o", "x.csv", in},
		"row groups below 0":    {"sort", "-k", "age", "--row-group-rows", "-5", "-o", "x.parquet", in},
		"pages of CSV":          {"sort", "-k", "age", "--page-rows", "5", "-o", "x.csv", in},
		"encoding of CSV":       {"sort", "-k", "age", "--encoding", "compatible", "-o", "x.csv", in},
		"unknown encoding":      {"sort", "-k", "age", "--encoding", "age=DELTA", "-o", "x.parquet", in},
		"no way to encode":      {"sort", "-k", "age", "--encoding", "PLAIN", "-o", "x.parquet", in},
		"two encodings": {"sort", "-k", "age", "--encoding", "age=PLAIN", "--encoding", "age=plain", "-o", "x.parquet",
			in},
		"third version of pages":  {"sort", "-k", "age", "--page-version", "3", "-o", "x.parquet", in},
		"pages below 0":           {"sort", "-k", "age", "--page-rows", "-5", "-o", "x.parquet", in},
		"Bloom filters of CSV":    {"sort", "-k", "age", "--bloom-filter", "age", "-o", "x.csv", in},
		"1 of 1 false positive":   {"sort", "-k", "age", "--bloom-filter", "age:1", "-o", "x.parquet", in},
		"format without output":   {"sort", "-k", "age", "--output-format", "csv", "--preview", "2", in},
		"preview and pipe":        {"sort", "-k", "age", "--preview", "2", "-o", "-", in},
		"preview and JSON":        {"sort", "-k", "age", "--preview", "2", "--json", in},
		"info of standard input":  {"info", "-"},
		"layout of CSV":           {"layout", in},
		"layout of nothing":       {"layout"},
		"pages without JSON":      {"layout", "--pages", "x.parquet"},
		"flag of another command": {"check", "-k", "age", "-o", "x.csv", in},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			r := cli(t, nil, args...)
			require.Equal(t, 2, r.code, r.err)
			require.Empty(t, r.out)
			requireOneLine(t, r.err)
			require.Contains(t, r.err, "--help)")
		})
	}
}

func requireOneLine(t *testing.T, text string) {
	t.Helper()
	require.True(t, strings.HasPrefix(text, "arrowsort: "), text)
	require.Equal(t, 1, strings.Count(text, "\n"), text)
}

func TestRuntimeErrorsAreExitCode1AndThoseOfCheck2(t *testing.T) {
	in, table := file(t, "people.csv", people), convert(t, "people.parquet")
	folder := t.TempDir()
	for name, c := range map[string]struct {
		args  []string
		wants string
	}{
		"one of several": {[]string{"sort", "-q", "-k", "age", "-o", "x.parquet", "missing", "missing.parquet"},
			"missing: "},
		"missing file":      {[]string{"sort", "-q", "-k", "age", "-o", "x.csv", "missing.csv"}, "missing.csv"},
		"input is a folder": {[]string{"sort", "-q", "-k", "age", "-o", "x.csv", "--format", "csv", folder}, folder},
		"no such folder":    {[]string{"sort", "-q", "-k", "age", "-o", "no/such/x.csv", in}, "no/such/x.csv"},
		"no folder for files": {[]string{"sort", "-k", "age", "-q", "--rows-per-file", "2", "-o", "no/such/x.csv",
			table}, "no/such/x-00001.csv: there is no folder no/such"},
		"not Parquet": {[]string{"check", "-q", "-k", "age", "--format", "parquet", in}, in},
		"gpu": {[]string{"sort", "-q", "-k", "age", "--engine", "gpu", "-o", "x.csv", in},
			"no GPU engine"},
		"input without format": {[]string{"check", "-q", "-k", "age", file(t, "people.txt", people)}, "people.txt"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			r := cli(t, nil, c.args...)
			want := exitError
			if c.args[0] == "check" {
				want = exitUsage
			}
			require.Equal(t, want, r.code, r.err)
			require.Empty(t, r.out)
			requireOneLine(t, r.err)
			require.Contains(t, r.err, c.wants)
			entries, err := os.ReadDir(".")
			require.NoError(t, err)
			require.Empty(t, entries)
		})
	}
}

// TestExitCodes: 1 for errors of files and of what they hold, 2 for wrong usage, and of check always 2, with --json,
// too.
func TestExitCodes(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, content := range map[string]string{"a.csv": people, "short.csv": "name,age\n1\n", "cut.parquet": "PAR1PA",
		"a.txt": people} {
		require.NoError(t, os.WriteFile(name, []byte(content), 0o600))
	}
	require.Equal(t, result{}, cli(t, nil, "sort", "-q", "-k", "name", "-o", "a.parquet", "a.csv"))
	keyed := "sort merge argsort check explain"
	written := map[string]string{"sort": " -o x.csv", "merge": " -o x.csv", "argsort": " -o x.csv"}
	for line, c := range map[string]struct {
		commands string
		code     int
	}{
		"-k name missing.parquet":              {keyed, exitError},
		"-k name none*.parquet":                {keyed, exitError},
		"-k name cut.parquet":                  {keyed, exitError},
		"-k name short.csv":                    {keyed, exitError},
		"-k name --csv-type name=int64 a.csv":  {"sort argsort check explain", exitError},
		"-k age -o no/such/x.csv a.parquet":    {"sort argsort", exitError},
		"-k age:desc -o y.csv a.parquet":       {"merge", exitError},
		"missing.parquet":                      {"layout info", exitError},
		"cut.parquet":                          {"layout info", exitError},
		"--html no/such/x.html a.parquet":      {"layout", exitError},
		"-k name":                              {keyed, exitUsage},
		"--nope a.parquet":                     {keyed + " layout info completion", exitUsage},
		"-k name a.txt":                        {keyed, exitUsage},
		"-k nmae a.parquet":                    {keyed, exitUsage},
		"-k lower(nmae) a.csv":                 {"sort argsort check explain", exitUsage},
		"-k #9 a.parquet":                      {keyed, exitUsage},
		"-k #0 a.parquet":                      {keyed, exitUsage},
		"-k name:dsc a.parquet":                {keyed, exitUsage},
		"-k name:collate=xx a.parquet":         {keyed, exitUsage},
		"-k abs(name) a.parquet":               {keyed, exitUsage},
		"-k name --csv-type nmae=int64 a.csv":  {"sort argsort check explain", exitUsage},
		"-k name --select nmae a.parquet":      {"sort merge", exitUsage},
		"-k name --partition-by nmae a.csv":    {"sort", exitUsage},
		"-k age --bloom-filter nmae a.parquet": {"sort merge", exitUsage},
		"--filter nmae=1 a.parquet":            {"layout", exitUsage},
		"--advise nmae a.parquet":              {"layout", exitUsage},
		"a.txt":                                {"layout info", exitUsage},
		"srt":                                  {"completion help", exitUsage},
	} {
		for _, command := range strings.Fields(c.commands) {
			all := command + " " + line
			if out := written[command]; !strings.Contains(line, "-o ") {
				if all += out; strings.Contains(line, "bloom") {
					all = strings.Replace(all, ".csv", ".parquet", 1)
				}
			}
			want := c.code
			if command == checkName {
				want = exitUsage
			}
			r := cli(t, nil, strings.Fields(all)...)
			require.Equal(t, want, r.code, "%s: %s", all, r.err)
			if strings.Contains(keyed, command) {
				require.Equal(t, want, cli(t, nil, append(strings.Fields(all), "--json")...).code, all)
			}
		}
	}
}

func TestTypesThatAreNotSupportedAreExitCode2(t *testing.T) {
	folder, err := filepath.Abs("../../internal/tablefile/ipc/testdata")
	require.NoError(t, err)
	for _, name := range []string{"unsupported_decimal32.arrow", "unsupported_decimal32.arrows"} {
		t.Chdir(t.TempDir())
		r := cli(t, nil, "sort", "-q", "-k", "k", "-o", "x.arrow", filepath.Join(folder, name))
		require.Equal(t, exitUsage, r.code, r.err)
		requireOneLine(t, r.err)
		require.Contains(t, r.err, name+`: column "price": type decimal32(5, 2) is not supported`)
		entries, err := os.ReadDir(".")
		require.NoError(t, err)
		require.Empty(t, entries)
	}
}

func TestHelpAndCompletion(t *testing.T) {
	r := cli(t, nil)
	require.Equal(t, 0, r.code)
	for _, command := range []string{"sort", "merge", "argsort", "check", "explain", "info", "completion"} {
		require.Contains(t, r.out, command)
		r := cli(t, nil, command, "--help")
		require.Equal(t, 0, r.code)
		require.Contains(t, r.out, command)
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		r := cli(t, nil, "completion", shell)
		require.Equal(t, 0, r.code)
		require.Contains(t, r.out, "arrowsort")
	}
}

// TestSmallFilesThatDeclareMuch are an error with the flag that lets them be read.
func TestSmallFilesThatDeclareMuch(t *testing.T) {
	rows := filepath.Join("..", "..", "internal", "tablefile", "testdata", "hostile", "rows.parquet")
	for _, args := range [][]string{{"sort", "-o", filepath.Join(t.TempDir(), "x.parquet")}, {"check"}, {"explain"}} {
		r := cli(t, nil, append(args, "-q", "-k", "a", rows)...)
		require.NotZero(t, r.code)
		require.Regexp(t, `^arrowsort: .*rows.parquet: not enough memory: .*: give --memory\n$`, r.err)
	}
}

// TestRemedy names flags that the command has.
func TestRemedy(t *testing.T) {
	full := fmt.Errorf("spilling: %w", errkind.ErrSpillFull)
	for _, cmd := range newRoot(streams{}, io.Discard, new(bool)).Commands() {
		flags := cmd.Flags()
		spills, text := flags.Lookup("spill-dir") != nil, remedy(full, flags)
		require.Equal(t, spills, strings.Contains(text, "--spill-dir"), cmd.Name())
		require.Equal(t, !spills, strings.Contains(text, "TMPDIR"), cmd.Name())
		require.Equal(t, flags.Lookup("memory") != nil, remedy(errkind.ErrLimit, flags) != "", cmd.Name())
		if flags.Lookup("memory") != nil {
			require.NoError(t, flags.Set("memory", "16MiB"))
			require.Equal(t, ": give --memory more", remedy(errkind.ErrBudget, flags))
		}
		require.Empty(t, remedy(io.EOF, flags))
	}
}

var readFile = arrowtest.ReadFile
