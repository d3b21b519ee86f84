package command

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

func TestArgumentsThatAreMissing(t *testing.T) {
	for want, args := range map[string][]string{
		"name an input file, or - for standard input": {"sort", "-k", "a", "-o",
			"x.csv"},
		"-k needs a column, as in -k delay:desc":    {"sort", "x.csv", "-k"},
		"-o needs a file, or - for standard output": {"sort", "x.csv", "-o"},
		"--limit needs a value":                     {"sort", "x.csv", "--limit"},
		`--delimiter ;;: give one character, such as ';', or tab`: {"check", "-k", "a",
			"--delimiter", ";;", "x.csv"},
		"--delimiter is for CSV, which is neither read nor written here": {"check", "-k", "a",
			"--delimiter", ";", "x.arrow"},
		"there is no file DESC; an order is a part of its key, as in -k delay:desc": {"sort", "-k", "a", "DESC",
			"x.csv"},
	} {
		r := cli(t, nil, args...)
		require.Equal(t, result{code: 2, err: "arrowsort: " + want + " (see arrowsort " + args[0] + " --help)\n"}, r)
	}
	for _, args := range [][]string{{"sirt"}, {"sirt", "-k", "a", "x.csv"}, {"sirt", "x.csv", "--limit", "5"}} {
		require.Equal(t, result{code: 2, err: "arrowsort: unknown command \"sirt\"; did you mean sort? " +
			"(see arrowsort --help)\n"}, cli(t, nil, args...))
	}
	for want, args := range map[string][]string{
		`unknown command "x.csv"; name a command first, such as sort`: {"x.csv", "-k", "a"},
		`unknown command "version"; did you mean --version?`:          {"version"},
		"name a command before the flag -k, such as sort":             {"-k", "a", "x.csv"},
	} {
		require.Equal(t, result{code: 2, err: "arrowsort: " + want + " (see arrowsort --help)\n"}, cli(t, nil, args...))
	}
}

// TestFlagsThatAreWrong are explained in plain words, and mistyped ones get the flag that may be meant.
func TestFlagsThatAreWrong(t *testing.T) {
	for want, args := range map[string][]string{
		"--threads abc: give a whole number from 0 to 9223372036854775807": {"--threads", "abc"},
		"--limit 1.5: give a whole number from 0 to 9223372036854775807":   {"--limit=1.5"},
		"--limit -1: give a whole number from 0 to 9223372036854775807":    {"--limit", "-1"},
		"--tail 9e99: give a whole number from 0 to 9223372036854775807":   {"--tail", "9e99"},
		`--limit "": give a whole number from 0 to 9223372036854775807`:    {"--limit", ""},
		"--json takes no value": {"--json=yes"},
		"--memory lots: give a size from 16MiB to 1PiB, such as 512MiB or 4GB": {"--memory", "lots"},
		"--memory 1MiB: give a size from 16MiB to 1PiB, such as 512MiB or 4GB": {"--memory", "1MiB"},
		"--engine tpu: use auto, cpu or gpu":                                   {"--engine", "tpu"},
		"--spill-compression rar: use lz4 or zstd":                             {"--spill-compression", "rar"},
		"--spill-dir nowhere: there is no such folder":                         {"--spill-dir", "nowhere"},
		"unknown flag --limti; did you mean --limit?":                          {"--limti", "5"},
		"unknown flag --rows-per-flie; did you mean --rows-per-file?":          {"--rows-per-flie=5"},
		"unknown flag --fast":                                                  {"--fast"},
		"unknown flag -x; the flags of one letter are -h, -k, -o, -q, -v":      {"-x"},
		"unknown flag -d; did you mean -k COLUMN:desc for descending order, or --delimiter?; text is sorted by its " +
			"bytes, or as a key says: -k COLUMN:collate=LOCALE": {"-d"},
		"unknown flag -n; did you mean --limit, or -k COLUMN:numeric for numbers in text?; the type of a column " +
			"gives its order, numbers are never sorted as text": {"-n"},
		"unknown flag -f; did you mean -k COLUMN:nocase?":         {"-f"},
		"unknown flag -V; did you mean -k COLUMN:natural?":        {"-V"},
		"unknown flag -u; did you mean --unique?":                 {"-u"},
		"unknown flag -s; rows that tie always keep their order":  {"-s"},
		"unknown flag --descending; did you mean -k COLUMN:desc?": {"--descending"},
	} {
		args = append([]string{"sort", "-k", "a", "-o", "x.csv", "in.csv"}, args...)
		require.Equal(t, result{code: 2, err: "arrowsort: " + want + " (see arrowsort sort --help)\n"},
			cli(t, nil, args...))
	}
}

// TestOutputThatIsAFolder is an error that names a file in it.
func TestOutputThatIsAFolder(t *testing.T) {
	for _, folder := range []string{t.TempDir(), filepath.Join(t.TempDir(), "x.parquet")} {
		require.NoError(t, os.MkdirAll(folder, 0o700))
		r := cli(t, nil, "sort", "-k", "a", "-o", folder, "in.csv")
		require.Equal(t, result{code: 2, err: "arrowsort: -o " + folder + " is a folder: name a file in it, such as " +
			filepath.Join(folder, "sorted.parquet") + " (see arrowsort sort --help)\n"}, r)
	}
}

// TestHintsNameFlagsOfTheCommand: one that another command has is no help.
func TestHintsNameFlagsOfTheCommand(t *testing.T) {
	for want, args := range map[string][]string{
		"unknown flag -u; the flags of one letter are -h, -k, -q":         {"check", "-u"},
		"unknown flag -S; the flags of one letter are -h, -k, -o, -q, -v": {"argsort", "-S", "1G"},
		"unknown flag -S; did you mean --memory?":                         {"merge", "-S", "1G"},
		"unknown flag -r; the flags of one letter are -h":                 {"info", "-r"},
	} {
		r := cli(t, nil, append(args, "x.csv")...)
		require.Equal(t, result{code: 2, err: "arrowsort: " + want + " (see arrowsort " + args[0] + " --help)\n"}, r)
	}
}

// TestPathsThatAreNoFiles are errors before any work that say what to do.
func TestPathsThatAreNoFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	in := file(t, "people.csv", people)
	slash := string(filepath.Separator)
	for want, args := range map[string][]string{
		"-o new" + slash + " is the name of a folder, which is not there: make it, and name a file in it, such as " +
			filepath.Join("new", "sorted.parquet"): {"-o", "new" + slash, in},
		"-o s3://b/x.csv is an address, and only files of this machine are written: write a file and copy it there, " +
			"or pipe it there from -o - of the command; the command of arrowsort/blob reads and writes object " +
			"stores": {"-o",
			"s3://b/x.csv", in},
		"s3://b/*.csv is an address, and only files of this machine are read: copy it here first, or pipe it to the " +
			"input - of the command with --format; the command of arrowsort/blob reads and writes object stores": {"-o",
			"x.csv", in, "s3://b/*.csv"},
		"https://h/x.csv is an address, and only files of this machine are read: copy it here first, or pipe it to " +
			"the input - of the command with --format": {"-o", "x.csv", "https://h/x.csv"},
		"file:///x.csv is an address: give the path of the file, as in /x.csv":    {"-o", "x.csv", "file:///x.csv"},
		"-o file:///x.csv is an address: give the path of the file, as in /x.csv": {"-o", "file:///x.csv", in},
	} {
		r := cli(t, nil, append([]string{"sort", "-k", "age"}, args...)...)
		require.Equal(t, result{code: 2, err: "arrowsort: " + want + " (see arrowsort sort --help)\n"}, r)
	}
	require.Empty(t, tablefile.Scheme("C://people.csv"))
	require.Empty(t, filesIn(t, "."))
	require.NoError(t, os.MkdirAll("s3:/b", 0o700))
	require.Equal(t, result{}, cli(t, nil, "sort", "-q", "-k", "age", "-o", "s3:/b/x.csv", in))
	require.Equal(t, result{}, cli(t, nil, "sort", "-q", "-k", "age", "-o", "s3://b/x.csv", "s3://b/x.csv"),
		"there is such a file")
}

// TestTerminalAsInput: somebody who waits for a command that waits for input learns so.
func TestTerminalAsInput(t *testing.T) {
	for _, quiet := range []bool{false, true} {
		var out, said bytes.Buffer
		args := []string{"sort", "-k", "age", "--format", "csv", "--output-format", "csv", "-o", "-", "-"}
		if quiet {
			args = append(args, "-q")
		}
		require.Zero(t, run(t.Context(), args, streams{in: strings.NewReader(people), out: &out, err: &said,
			inTerminal: true}))
		require.Equal(t, !quiet, strings.HasPrefix(said.String(), "reading standard input, which is a terminal: end "+
			"it with "+endOfInput+", or pipe a file into it\n"), said.String())
	}
}

// TestDefaultOfMemory is described with the same words everywhere.
func TestDefaultOfMemory(t *testing.T) {
	texts := map[string]string{"--help": cli(t, nil, "sort", "--help").out}
	for _, name := range []string{"README.md", "docs/parquet.md", "docs/faq.md"} {
		texts[name] = string(readFile(t, filepath.Join("..", "..", "..", filepath.FromSlash(name))))
	}
	for name, text := range texts {
		require.Contains(t, strings.Join(strings.Fields(text), " "), defaultMemory, name)
	}
}

func TestHelpTellsExitCodes(t *testing.T) {
	for _, command := range []string{"sort", "merge", "argsort", "check", "explain", "layout", "info"} {
		require.Contains(t, cli(t, nil, command, "--help").out, "Exit codes: 0 ", command)
	}
	require.Contains(t, cli(t, nil, "check", "--help").out, "0 sorted, 1 not sorted, 2 an error")
}

func TestDelimiterOfInputAndOutput(t *testing.T) {
	in := file(t, "x.csv", "a;b\n2;x,y\n1;\"p;q\"\n")
	require.Equal(t, result{out: "a;b\n1;\"p;q\"\n2;x,y\n"},
		cli(t, nil, "sort", "-q", "--delimiter", ";", "-k", "a", "--output-format", "csv", "-o", "-", in))
	in = file(t, "x.csv", "a\tb\n2\tx\n1\ty\n")
	for _, tab := range []string{"tab", `\t`, "\t"} {
		require.Equal(t, result{code: 1}, cli(t, nil, "check", "-q", "--delimiter", tab, "-k", "a", in))
	}
}

func TestStandardInputOfAnotherFormat(t *testing.T) {
	r := cli(t, strings.NewReader(people), "check", "-q", "-k", "age", "-")
	require.Equal(t, result{code: 2, err: "arrowsort: standard input: this is not an Arrow stream, it looks like " +
		"CSV; give --format csv\n"}, r)
}

func TestTabsByTheName(t *testing.T) {
	in, folder := file(t, "in.tsv", "a\tb\n2\tx,y\n1\tz\n"), t.TempDir()
	for name, want := range map[string]string{"out.csv": "a,b\n1,z\n2,\"x,y\"\n", "out.tsv": "a\tb\n1\tz\n2\tx,y\n"} {
		out := filepath.Join(folder, name)
		require.Equal(t, result{}, cli(t, nil, "sort", "-q", "-k", "a", "-o", out, in))
		got := readFile(t, out)
		require.Equal(t, want, string(got))
	}
}

func TestUnknownFormatsTellTheFlag(t *testing.T) {
	in := file(t, "in.txt", people)
	require.Contains(t, cli(t, nil, "check", "-k", "name", in).err, "; give --format: ")
	require.Contains(t, cli(t, nil, "sort", "-k", "name", "-o", "out.txt", file(t, "in.csv", people)).err,
		"; give --output-format: ")
}
