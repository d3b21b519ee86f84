package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// odd has two columns of one name, one without a name and one that is told apart by case.
const odd = "a,a,b,,Delay\n2,1,x,8,3\n1,2,y,7,4\n"

// TestMistypedColumns: each flag of each command that names a column suggests the one that may be meant.
func TestMistypedColumns(t *testing.T) {
	rows, table := file(t, "people.csv", people), convert(t, "people.parquet")
	values := map[string]string{ // by what help calls the value of a flag
		"COLUMN": "%s", "COLUMNS": "%s", "COLUMN=TYPE": "%s=text", "COLUMN=NAME": "%s=PLAIN", "COLUMN[:FPP]": "%s",
		"'COLUMN OPERATOR VALUE'": "%s = 1",
	}
	tried := map[string]int{}
	for _, cmd := range newRoot(streams{}, io.Discard, new(bool)).Commands() {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			kind, _ := pflag.UnquoteUsage(f)
			if !strings.Contains(kind, "COLUMN") {
				return
			}
			tried[f.Name]++
			require.Contains(t, values, kind, "--%s: add its kind of value", f.Name)
			typed, meant, in := "scroe", "score", table
			if f.Name == "csv-type" {
				in = rows
			}
			if ofOutput := f.Name == "encoding" || f.Name == "bloom-filter"; ofOutput && cmd.Name() == argsortName {
				typed, meant = "idnex", "index"
			}
			args := []string{cmd.Name(), "--" + f.Name, fmt.Sprintf(values[kind], typed)}
			if cmd.Flags().Lookup("key") != nil {
				args = append(args, "-k", "name")
			}
			if cmd.Flags().Lookup("output") != nil {
				args = append(args, "-q", "-o", filepath.Join(t.TempDir(), "out"), "--output-format", "parquet")
			}
			r := cli(t, nil, append(args, in)...)
			require.Equal(t, exitUsage, r.code, args)
			require.Contains(t, r.err, fmt.Sprintf("did you mean %q?", meant), args)
		})
	}
	require.Equal(t, map[string]int{"key": 5, "csv-type": 6, "select": 2, "partition-by": 1, "encoding": 3,
		"bloom-filter": 3, "filter": 1, "advise": 1}, tried)
}

func TestKeysThatAreNotThere(t *testing.T) {
	in := file(t, "odd.csv", odd)
	parquet := filepath.Join(t.TempDir(), "odd.parquet")
	require.Equal(t, result{}, cli(t, nil, "sort", "-q", "-k", "#4", "-o", parquet, in))
	for key, want := range map[string]string{
		"a":        `key "a": 2 columns are named "a"; say which: -k '#1' or -k '#2'`,
		"a.b:desc": `key "a.b:desc": 2 columns are named "a"; say which: -k '#1' or -k '#2'`,
		"delay":    `key "delay": no such column; did you mean "Delay"?`,
		"b, Delay": `key "b, Delay": no such column; did you mean -k b -k Delay?`,
		"-b":       `key "-b": no such column; did you mean -k b:desc?`,
		"Delya":    `key "Delya": no such column; did you mean "Delay"?`,
		"x:y":      `key "x:y": no such column; there are 5 columns: "a", "a", "b", "", "Delay"`,
		"#6":       `key "#6": there are 5 columns: "a", "a", "b", "", "Delay"`,
		"b.c":      `invalid sort key column: key "b.c": column "b" has type utf8 and no fields`,
	} {
		for _, path := range []string{in, parquet} {
			want := "arrowsort: " + path + ": " + want + "\n"
			require.Equal(t, result{code: exitUsage, err: want}, cli(t, nil, "explain", "-q", "-k", key, path))
			if path == parquet { // the schema comes first: nothing was read
				require.Equal(t, result{code: exitUsage, err: want},
					cli(t, nil, "sort", "-k", key, "--preview", "1", path))
			}
		}
	}
}

func TestModifiersThatAreNone(t *testing.T) {
	in := file(t, "odd.csv", odd)
	for modifier, what := range map[string]string{"dsc": `did you mean ":desc"?`, "descend": `did you mean ":desc"?`,
		"sideways": "use :asc, :desc, :nulls-first, :nulls-last, :nocase, :natural, :numeric or :collate=LOCALE"} {
		want := fmt.Sprintf("arrowsort: %s: key %q: unknown modifier %q; %s (see arrowsort explain --help)\n", in,
			"b:"+modifier, ":"+modifier, what)
		require.Equal(t, result{code: exitUsage, err: want}, cli(t, nil, "explain", "-q", "-k", "b:"+modifier, in))
	}
}

func TestModifiersInOtherForms(t *testing.T) {
	in := file(t, "odd.csv", odd)
	for key, want := range map[string]string{
		"b DESC":                `"DESC" follows a colon, not a space; write -k b:desc`,
		"b nulls-first":         `"nulls-first" follows a colon, not a space; write -k b:nulls-first`,
		"b:desc:asc":            `":desc" and ":asc" both give the order; write -k b:asc`,
		"b:DESC:nulls-last:asc": `":DESC" and ":asc" both give the order; write -k b:nulls-last:asc`,
		"b:nulls-first:nulls-last": `":nulls-first" and ":nulls-last" both give the place of nulls; ` +
			`write -k b:nulls-last`,
		"b:nulls-last:asc:nulls-first": `":nulls-last" and ":nulls-first" both give the place of nulls; ` +
			`write -k b:asc:nulls-first`,
	} {
		require.Equal(t, result{code: exitUsage, err: "arrowsort: " + in + ": key " + strconv.Quote(key) + ": " + want +
			" (see arrowsort explain --help)\n"}, cli(t, nil, "explain", "-q", "-k", key, in))
	}
}

func TestTypesWithoutOrderAreExitCode2(t *testing.T) {
	in := filepath.Join(t.TempDir(), "in.arrow")
	list := arrow.NewSchema([]arrow.Field{{Name: "l", Type: arrow.ListOf(arrow.FixedWidthTypes.DayTimeInterval)}}, nil)
	rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, list, strings.NewReader(`[{"l":[]}]`))
	require.NoError(t, err)
	table := array.NewTableFromRecords(list, []arrow.Record{rec})
	_, err = tablefile.Write(t.Context(), in, table, tablefile.WriteOptions{})
	require.NoError(t, err)
	require.Equal(t, result{code: exitUsage, err: "arrowsort: " + in +
		": unsupported type of sort key: key l.item has type day_time_interval\n"},
		cli(t, nil, "explain", "-q", "-k", "l", in))
}

// TestFieldsThatAreNotThere get the nearest one, also in functions.
func TestFieldsThatAreNotThere(t *testing.T) {
	city := arrow.StructOf(arrow.Field{Name: "city", Type: arrow.BinaryTypes.String})
	schema := arrow.NewSchema([]arrow.Field{{Name: "address", Type: city}}, nil)
	for key, want := range map[string]string{
		"address.citi":            `no such column; did you mean "address.city"?`,
		"lower(address.citi)":     `no such column; did you mean "address.city"?`,
		"adress.city:desc":        `no such column; did you mean "address.city"?`,
		"length(adress.city):asc": `no such column; did you mean "address.city"?`,
		"address.zip":             `no match for key "address.zip"; there is "city" only`,
	} {
		_, err := resolve(t.Context(), schema, []keyFlag{{key, arrowsort.Key{}}}, &parquetsort.Options{})
		require.ErrorIs(t, err, arrowsort.ErrColumn, key)
		require.ErrorContains(t, err, want, key)
	}
	for _, key := range []string{"address.city", "lower(address.city)", "address"} {
		_, err := resolve(t.Context(), schema, []keyFlag{{key, arrowsort.Key{}}}, &parquetsort.Options{})
		require.NoError(t, err, key)
	}
}

// TestColumnsOfFolders: a key or an option that names a column which only folders have is answered by what to do about
// it, also where the column could be no such key; others are not.
func TestColumnsOfFolders(t *testing.T) {
	in := filepath.Join(t.TempDir(), "age=3", "=x", "part.csv")
	require.NoError(t, os.MkdirAll(filepath.Dir(in), 0o700))
	require.NoError(t, os.WriteFile(in, []byte("name,n\nb,1\na,2\n"), 0o600))
	const hint = `column "age" is in the names of folders only, which are not read: leave it out`
	for args, want := range map[string]string{
		"-k age": hint, "-k age:nocase": hint, "-k lower(age):desc": hint, "-k age%3": hint, "-k name -k age": hint,
		"-k name --select n --select age": hint, "-k name --partition-by age": hint,
		"-k #3": `key "#3": there are 2 columns`, "-k #3 -k age": `key "#3": there are 2 columns`,
		"-k agee": `key "agee": no such column; there are 2 columns`, "-k n:nocase -k age": hint,
		"-k name:dsc":                 `key "name:dsc": unknown modifier`,
		"-k name --partition-by agee": `--partition-by "agee": no such column`,
	} {
		to := []string{"sort", "-q", "--output-format", "parquet", "-o", filepath.Join(t.TempDir(), "out"), in}
		r := cli(t, nil, append(to, strings.Fields(args)...)...)
		require.Equal(t, exitUsage, r.code, args)
		require.Contains(t, r.err, in+": "+want, args)
	}
}

func TestModifiersInUpperCase(t *testing.T) {
	r := cli(t, nil, "sort", "-q", "-k", "b:DESC:Nulls-First", "--output-format", "csv", "-o", "-",
		file(t, "odd.csv", odd))
	require.Equal(t, result{out: "a,a,b,,Delay\n1,2,y,7,4\n2,1,x,8,3\n"}, r)
}

func TestPositionsAreSaidAsTyped(t *testing.T) {
	in := file(t, "odd.csv", odd)
	r := cli(t, nil, "sort", "-v", "-k", "#4", "-o", filepath.Join(t.TempDir(), "x.csv"), in)
	require.Contains(t, r.err, "plan: #4: int64, ")
	for _, name := range []string{"x.csv", "x.parquet", "x.arrow"} { // the columns keep their names
		out := filepath.Join(t.TempDir(), name)
		r = cli(t, nil, "sort", "--json", "-k", "#4", "-o", out, in)
		var got map[string]any
		require.NoError(t, json.Unmarshal([]byte(r.out), &got))
		require.Contains(t, got["plan"], "#4: int64, ")
		r = cli(t, nil, "sort", "-q", "-k", "#4", "--output-format", "csv", "-o", "-", out)
		require.Equal(t, result{out: "a,a,b,,Delay\n1,2,y,7,4\n2,1,x,8,3\n"}, r, name)
	}
}

// TestOnlyKeysAreRead: what lies in the other columns of a Parquet file does not matter where rows are not written.
func TestOnlyKeysAreRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "odd.parquet")
	require.Equal(t, result{}, cli(t, nil, "sort", "-q", "-k", "#4", "--compression", "none", "-o", path,
		file(t, "odd.csv", odd)))
	b := readFile(t, path)
	for i := 4; i < bytes.Index(b, []byte("\x01\x00\x00\x00x")); i++ {
		b[i] = 0xff // the first columns, a and a
	}
	require.NoError(t, os.WriteFile(path, b, 0o600))
	require.Equal(t, 1, cli(t, nil, "sort", "-q", "-k", "#4", "--preview", "1", path).code)
	require.Equal(t, result{out: "sorted\n", err: "checking odd.parquet\n"},
		cli(t, nil, "check", "-k", "#4", "-k", "Delay:desc", path))
	require.Equal(t, result{code: 1}, cli(t, nil, "check", "-q", "-k", "#5", "-k", "#4", path))
	r := cli(t, nil, "argsort", "-q", "-k", "Delay", "--output-format", "csv", "-o", "-", path)
	require.Equal(t, result{out: "index\n1\n0\n"}, r)
	r = cli(t, nil, "explain", "-q", "-k", "#4:desc", "-k", "Delay", path)
	require.Regexp(t, `^2 rows, 5 columns\n1 file, .*\nsorted in memory, nothing is spilled\n#4: int64, .*\n`+
		`Delay: int64, `, r.out)
}

func TestOutputIsCheckedBeforeTheInput(t *testing.T) {
	r := cli(t, nil, "sort", "-k", "a", "-o", filepath.Join("no", "x.csv"), "missing.csv")
	require.Equal(t, result{code: 1, err: "arrowsort: " + filepath.Join("no", "x.csv") + ": there is no folder no\n"},
		r)
	r = cli(t, nil, "sort", "-k", "a", "--preview", "1", "missing.csv")
	require.NotContains(t, r.err, "reading", "it was never open")
}

func TestStandardOutputByItsName(t *testing.T) {
	if _, err := os.Stat("/dev/stdout"); err != nil {
		require.ErrorIs(t, err, os.ErrNotExist) // as on Windows
		return
	}
	r := cli(t, nil, "sort", "-q", "-k", "b:desc", "--output-format", "csv", "-o", "/dev/stdout",
		file(t, "odd.csv", odd))
	require.Equal(t, result{out: "a,a,b,,Delay\n1,2,y,7,4\n2,1,x,8,3\n"}, r)
}

// TestColumnsThatEndInAModifier are found by their names, unless there is a column without the ending.
func TestColumnsThatEndInAModifier(t *testing.T) {
	only, both := file(t, "only.csv", "a:desc,b\n2,x\n1,y\n3,z\n"), file(t, "both.csv", "a:desc,a\n2,1\n1,2\n3,0\n")
	for _, c := range [][3]string{
		{only, "a:desc", "1,y\n2,x\n3,z\n"},
		{only, "a:desc:desc", "3,z\n2,x\n1,y\n"},
		{only, "a:desc:nulls-first", "1,y\n2,x\n3,z\n"},
		{both, "a:desc", "1,2\n2,1\n3,0\n"},
		{both, "a:desc:asc", "1,2\n2,1\n3,0\n"},
	} {
		r := cli(t, nil, "sort", "-q", "-k", c[1], "--output-format", "csv", "-o", "-", c[0])
		require.Equal(t, 0, r.code, r.err)
		require.Equal(t, c[2], r.out[strings.Index(r.out, "\n")+1:], c)
	}
}

// TestLongNamesAreCutInMessages, those of keys and of columns.
func TestLongNamesAreCutInMessages(t *testing.T) {
	in := file(t, "long.csv", strings.Repeat("long", 1000)+",b\n1,2\n")
	r := cli(t, nil, "explain", "-q", "-k", strings.Repeat("other", 1000), in)
	require.Equal(t, exitUsage, r.code)
	require.Less(t, len(r.err), 500)
	require.Contains(t, r.err, "longlong")
}

// TestSelectNamesOneColumn: names are taken as they are, and positions reach columns whose names repeat.
func TestSelectNamesOneColumn(t *testing.T) {
	odd := file(t, "odd.csv", "a,a,b,,\n1,2,x,7,8\n")
	for name, want := range map[string]string{"#2": "a\n2\n", "#5,b": ",b\n8,x\n", "#4,#1": ",a\n7,1\n"} {
		r := cli(t, nil, "sort", "-q", "-k", "#5", "--select", name, "--output-format", "csv", "-o", "-", odd)
		require.Equal(t, result{out: want}, r)
	}
	for name, want := range map[string]string{
		"a":      `2 columns are named "a"; say which: '#1' or '#2'`,
		"b:desc": `no such column; there are 5 columns: "a", "a", "b", "", ""`,
		"b.x":    "a field of a column cannot be selected alone",
		"#6":     `there are 5 columns: "a", "a", "b", "", ""`,
		"B":      `no such column; did you mean "b"?`,
	} {
		r := cli(t, nil, "sort", "-q", "-k", "b", "--select", name, "--output-format", "csv", "-o", "-", odd)
		require.Equal(t, result{code: exitUsage, err: "arrowsort: " + odd + ": --select " + strconv.Quote(name) + ": " +
			want + "\n"}, r)
	}
}

// TestOtherDelimiters: the header of a file that has another delimiter is one column.
func TestOtherDelimiters(t *testing.T) {
	in := file(t, "semicolons.csv", "a;b;c\n1;2;3\n")
	const hint = `if ';' separates the columns, give --delimiter ';'`
	for _, command := range []string{"sort --preview 1", "merge -o x.csv", "argsort --preview 1", "check", "explain"} {
		args := append(strings.Fields(command), "-q", in, "-k")
		require.Contains(t, cli(t, nil, append(args, "b")...).err, `there is 1 column: "a;b;c"; `+hint, command)
	}
	warning := filepath.Base(in) + `: there is one column, "a;b;c"; ` + hint
	for _, command := range []string{"sort --preview 1", "check", "explain", "argsort --preview 1"} {
		r := cli(t, nil, append(strings.Fields(command), in, "-k", "a;b;c")...)
		require.Equal(t, 0, r.code)
		require.Equal(t, 1, strings.Count(r.err, warning), r.err)
		r = cli(t, nil, append(strings.Fields(command), in, "-k", "a;b;c", "-q")...)
		require.Empty(t, r.err)
	}
	r := cli(t, nil, "check", "--json", "-k", "#1", in)
	require.Contains(t, r.out, `"warnings":["`)
	require.Empty(t, r.err)
	r = cli(t, nil, "check", "-k", "#1", file(t, "pipes.tsv", "a|b\n1|2\n"))
	require.Contains(t, r.err, `give --delimiter '|'`)
}

func TestKeysThatNameNoColumnAreUsageErrors(t *testing.T) {
	for _, text := range []string{"", ":asc", "#0"} {
		_, err := parseKey(text, 2)
		require.ErrorAs(t, err, new(usageError), text)
	}
}

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "plain \\ \"é漢\ufffd": "plain \\ \"é漢\ufffd", "a\x1b[31mred\n\t\r": `a\x1b[31mred\n\t\r`,
		"\x00\x7f\xff": `\x00\x7f\xff`, "\u202eabc": `\u202eabc`, "\u0085": `\u0085`,
	} {
		require.Equal(t, want, printable(text))
	}
}

func TestEscapeSequencesAreNotPrinted(t *testing.T) {
	in := file(t, "evil.csv", "\"a\x1b[2J\",\"b\nc\"\n\"\x1b[31m\",1\n")
	r := cli(t, nil, "sort", "-k", "#1", "--preview", "3", in)
	require.Equal(t, 0, r.code, r.err)
	require.Contains(t, r.out, `│ a\x1b[2J │  b\nc │`)
	require.Contains(t, r.out, `│ \x1b[31m │     1 │`)
	for _, args := range [][]string{{"sort", "-k", "x\x1b[0m", "--preview", "1", in}, {"explain", "-k", "a\x1b[2J", in},
		{"check", "-k", "\x1b", "no\x1b.csv"}} {
		r := cli(t, nil, args...)
		require.NotContains(t, r.out+r.err, "\x1b", args)
	}
}

// TestOptionsInMessages: messages have the flags of options, and columns that are named like options as they are.
func TestOptionsInMessages(t *testing.T) {
	named := file(t, "named.csv", "PartitionBy,y,x\n1,2,0.5\n")
	folder := t.TempDir()
	run := func(args ...string) string {
		r := cli(t, nil, append([]string{"sort", "-o", filepath.Join(folder, "out"), named}, args...)...)
		require.Equal(t, 2, r.code, r.err)
		return r.err
	}
	twice := run("-k", "x", "--partition-by", "PartitionBy", "--partition-by", "PartitionBy")
	require.Contains(t, twice, `--partition-by names column "PartitionBy" twice`)
	require.Contains(t, run("-k", "x", "--curve", "hilbert", "-k", "#3", "--output-format", "parquet"),
		"--curve: key x of a curve is given twice")
	require.Contains(t, run("-k", "x", "--bloom-filter", "z", "--output-format", "parquet"),
		`: --bloom-filter of column "z": there is no such column in the output; there are "PartitionBy", "y", "x" (see`)
	merged := cli(t, nil, "merge", "-k", "random(1)", "-o", filepath.Join(folder, "out.csv"), named)
	require.Contains(t, merged.err, "arrowsort: Merge by random(1), which goes by the numbers of rows")
	require.Equal(t, `a folder "with Overwrite" of a/PartitionBy, with --overwrite`,
		withFlags(`a folder "with Overwrite" of a/PartitionBy, with Overwrite`))
}
