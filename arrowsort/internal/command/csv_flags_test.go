package command

import (
	"bytes"
	"compress/gzip"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// csvShapes are CSV files as they are found: flags, and what their rows are sorted by #1.
var csvShapes = map[string]struct {
	flags      string // between bars
	text, want string
}{
	"numpy.savetxt": {"--no-header",
		"1.000000000000000000e+01,2\n3.141592653589793116e+00,3\n9.000000000000000222e-01,4\n",
		"9.000000000000000222e-01,4\n3.141592653589793116e+00,3\n1.000000000000000000e+01,2\n"},
	"month names": {"--csv-type|date=date:%b %d %Y", "date,v\nApr 1 2001,1\nJan 2 2001,2\nApr 1 2000,3\n",
		"date,v\nApr 1 2000,3\nJan 2 2001,2\nApr 1 2001,1\n"},
	"day first": {"--csv-type|#1=date:%d/%m/%Y", "d,v\n31/12/2025,1\n01/02/2026,2\n,3\n02/01/2026,4\n",
		"d,v\n31/12/2025,1\n02/01/2026,4\n01/02/2026,2\n,3\n"},
	"decimal comma": {"--csv-type|x=float64:1.234,5|--delimiter|;", "x;v\n1.234,56;a\n999,5;b\n-1,0;c\n",
		"x;v\n-1,0;c\n999,5;b\n1.234,56;a\n"},
	"currency":                  {"--csv-type|x=int64:$1,234", "x\n\"$1,234\"\n$7\n", "x\n$7\n\"$1,234\"\n"},
	"percent":                   {"--no-header|--csv-type|#1=float64:1234.5 %", "12 %\n3.5 %\n", "3.5 %\n12 %\n"},
	"decimals":                  {"--csv-type|x=decimal(10,2)", "x\n1.50\n1.5\n01.4\n", "x\n01.4\n1.50\n1.5\n"},
	"text":                      {"--csv-type|x=text", "x\n10\n9\n", "x\n10\n9\n"},
	"an equal sign in a name":   {"--csv-type|a=b=int64", "a=b\n007\n5\n", "a=b\n5\n007\n"},
	"one column":                {"--no-header", "2\n\n1\n", "1\n2\n\"\"\n"},
	"an empty first line":       {"--no-header", "\n2\n1\n", "1\n2\n\"\"\n"},
	"only a header":             {"", "a,b\n", "a,b\n"},
	"one row":                   {"--no-header", "1,x\n", "1,x\n"},
	"byte order mark":           {"--no-header", "\xef\xbb\xbf2,x\n1,y\n", "1,y\n2,x\n"},
	"CRLF":                      {"--no-header", "2,\"x\r\n\"\r\n1,y\r\n", "1,y\n2,\"x\r\n\"\n"},
	"quotes":                    {"--no-header", "\"2\",\"a,b\"\n\"1\",\"\"\"\"\n", "1,\"\"\"\"\n2,\"a,b\"\n"},
	"several rows alike":        {"--no-header|--unique", "2,x\n1,y\n2,z\n", "1,y\n2,x\n"},
	"columns and rows left out": {"--no-header|--select|#2|--limit|1", "2,x\n1,y\n", "y\n"},
}

// TestShapesOfCSV sorts each shape as text, plain and compressed, in memory and in files, and as Parquet and Arrow.
func TestShapesOfCSV(t *testing.T) {
	for name, c := range csvShapes {
		t.Run(name, func(t *testing.T) {
			flags := strings.FieldsFunc(c.flags, func(r rune) bool { return r == '|' })
			sorted := func(in string, more ...string) string {
				r := cli(t, nil, append(append([]string{
					"sort", "-q", "-k", "#1", "-o", "-", "--output-format", "csv", in,
				},
					flags...), more...)...)
				require.Equal(t, "", r.err)
				return r.out
			}
			in := file(t, "in.csv", c.text)
			require.Equal(t, c.want, sorted(in))
			var packed bytes.Buffer
			z := gzip.NewWriter(&packed)
			_, err := z.Write([]byte(c.text))
			require.NoError(t, err)
			require.NoError(t, z.Close())
			require.Equal(t, c.want, sorted(file(t, "in.csv.gz", packed.String())))
			if strings.Contains(c.flags, "select") || strings.Contains(c.flags, "unique") {
				return
			}
			done := file(t, "sorted.csv", c.want)
			require.Equal(t, result{}, cli(t, nil, append([]string{"check", "-q", "-k", "#1", done}, flags...)...))
			for _, format := range []string{"parquet", "arrow", "arrows"} {
				out := filepath.Join(t.TempDir(), "out."+format)
				r := cli(t, nil, append([]string{"merge", "-q", "-k", "#1", "-o", out, done}, flags...)...)
				require.Equal(t, result{}, r, format)
				require.Equal(t, result{}, cli(t, nil, "check", "-q", "-k", "#1", out))
			}
		})
	}
}

// TestSeveralFilesWithoutHeader are one table, of columns that are the same in number.
func TestSeveralFilesWithoutHeader(t *testing.T) {
	a, b := file(t, "a.csv", "1,x\n3,y\n"), file(t, "b.csv", "2.5,z\n")
	for _, command := range []string{"sort", "merge"} {
		r := cli(t, nil, command, "-q", "--no-header", "-k", "#1", "-o", "-", "--output-format", "csv", a, b)
		require.Equal(t, result{out: "1,x\n2.5,z\n3,y\n"}, r)
	}
	r := cli(t, nil, "sort", "-q", "--no-header", "-k", "#1", "-o", "-", "--output-format", "csv", a,
		file(t, "c.csv", "1\n"))
	require.Equal(t, 1, r.code)
	require.Contains(t, r.err, `there is no column "#2", which the first input has`)

	out := filepath.Join(t.TempDir(), "part.csv")
	require.Equal(t, result{}, cli(t, nil, "sort", "-q", "--no-header", "--rows-per-file", "2", "-k",
		"#1:desc", "-o", out,
		a, b))
	for name, want := range map[string]string{"part-00001.csv": "3,y\n2.5,z\n", "part-00002.csv": "1,x\n"} {
		got := readFile(t, filepath.Join(filepath.Dir(out), name))
		require.Equal(t, want, string(got))
	}
	table := convert(t, "people.parquet")
	r = cli(t, nil, "sort", "-q", "--no-header", "-k", "name", "-o", "-", "--output-format", "csv", table)
	require.NotContains(t, r.out, "name")
	require.Equal(t, 2, cli(t, nil, "sort", "-q", "--no-header", "-k", "name", "-o", table, table).code)
}

// TestErrorsOfTypesOfCSV name the flag, the nearest column, or file, line and column.
func TestErrorsOfTypesOfCSV(t *testing.T) {
	in := file(t, "in.csv", "date,v\n1/2/2026,1\n31/2/2026,2\n")
	for _, command := range []string{
		"sort -o x.csv", "merge -o x.csv", "argsort --preview 1", "check", "explain", "info",
	} {
		for flag, want := range map[string]result{
			"dat=date:%d/%m/%Y": {code: 2, err: `in.csv: --csv-type of column "dat": there is no such ` +
				`column; did you mean "date"?`},
			"other=text": {code: 2, err: `there is no such column; there are "date", "v"`},
			"date=dates": {code: 2, err: `--csv-type date=dates: "dates" is no type: use date:LAYOUT, ` +
				`timestamp:LAYOUT, ` +
				`int64, float64, decimal(p,s) or text`},
			"date": {code: 2, err: "--csv-type date: give COLUMN=TYPE"},
			"date=date:%d/%m/%Y": {code: 1, err: `in.csv: line 3, column "date": "31/2/2026" is a day that ` +
				`the month does ` +
				"not have; it is to be date:%d/%m/%Y"},
		} {
			args := append(strings.Fields(command), "--csv-type", flag, in)
			if command != "info" {
				args = append(args, "-q", "-k", "v")
			}
			r := cli(t, nil, args...)
			require.Contains(t, r.err, want.err, command)
			if command == "check" {
				want.code = 2
			}
			require.Equal(t, want.code, r.code, "%s %s", command, flag)
		}
	}
	table := convert(t, "people.parquet")
	for _, args := range [][]string{{"check", "-k", "name"}, {"info"}, {"sort", "-k", "name", "-o", "x.csv"}} {
		r := cli(t, nil, append(args, "--csv-type", "name=text", table)...)
		require.Equal(t, 2, r.code)
		require.Contains(t, r.err, "--csv-type is for CSV")
	}
	r := cli(t, nil, "check", "-k", "v", "--csv-type", "v=text", "--csv-type", "v=int64", in)
	require.Contains(t, r.err, `column "v" has two types`)
}

// TestWarningsOfCSV: a first line that looks like a row, keys that look like what they are not, digits that are lost.
func TestWarningsOfCSV(t *testing.T) {
	rows := file(t, "rows.csv", "3,x\n1,y\n")
	dates := file(t, "dates.csv", "the date,it's\nApr 1 2001,\"1,5\"\nApr 1 2000,\"2,5\"\n")
	long := file(t, "long.csv", "a,b\n1e30,0.12345678901234567890\n2,1e1\n")
	for _, c := range []struct{ args, file, want string }{
		{"check -k #1", rows, `rows.csv: the first line looks like a row, not like names of columns ` +
			`("3"): if it is one, ` +
			"give --no-header"},
		{"check -k #1 --no-header", rows, ""},
		{"argsort --preview 1 -k x", rows, "give --no-header"},
		{"argsort --preview 1 -k nothing", rows, "give --no-header"},
		{"check -k #2", dates, `key "it's" is compared as text, and its values look like numbers, such as ` +
			`"1,5": give ` +
			`--csv-type 'it'\''s=float64:1234,5'`},
		{"argsort --preview 1 -k #1", dates, `key "the date" is compared as text, and its values look ` +
			`like dates, such as ` +
			`"Apr 1 2001": give --csv-type 'the date=date:%b %d %Y'`},
		{"explain -k #1", dates, "give --csv-type"},
		{"sort --preview 1 -k a", long, "does not keep all digits"},
		{"sort -k a -o - --output-format csv", long, ""},
		{"sort -k a -o - --output-format arrows", long, `column "b" is float64, which does not keep all ` +
			`digits of numbers ` +
			"such as 0.12345678901234567890; output in CSV does"},
		{"sort -k a -o - --output-format arrows --select a", long, ""},
	} {
		r := cli(t, nil, append(strings.Fields(c.args), c.file)...)
		if c.want == "" {
			require.NotContains(t, r.err, "warning", c.args)
			continue
		}
		require.Contains(t, r.err, c.want, c.args)
		require.Equal(t, 1, strings.Count(r.err, "warning:"), r.err)
		r = cli(t, nil, append(strings.Fields(c.args), "-q", c.file)...)
		require.NotContains(t, r.err, "warning")
	}
	require.Contains(t, cli(t, nil, "info", rows).out, "remark: the first line looks like a row")
	require.Contains(t, cli(t, nil, "info", "--no-header", rows).out, "2 rows, 2 columns")
}
