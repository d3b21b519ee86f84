package command

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const words = "name,n\nz10,1\nÄrger,2\nZ9,3\narm,4\n,5\nOma,6\nz9,7\nÖl,8\n"

// TestSortByOrdersOfText types each order, with other modifiers on either side.
func TestSortByOrdersOfText(t *testing.T) {
	requireOrders(t, file(t, "words.csv", words), map[string]string{
		"name":                              "6 3 4 1 7 2 8 5",
		"name:bytes":                        "6 3 4 1 7 2 8 5",
		"name:nocase":                       "4 6 1 3 7 2 8 5",
		"name:natural":                      "6 3 4 7 1 2 8 5",
		"name:collate=de":                   "2 4 8 6 1 7 3 5",
		"name:collate=DE":                   "2 4 8 6 1 7 3 5",
		"name:collate=sv":                   "4 6 1 7 3 2 8 5",
		"name:collate=de-u-kn":              "2 4 8 6 7 3 1 5",
		"name:collate=de-u-kn-kf-upper":     "2 4 8 6 3 7 1 5",
		"name:desc:collate=de":              "3 7 1 6 8 4 2 5",
		"name:collate=de:nulls-first":       "5 2 4 8 6 1 7 3",
		"name:nulls-first:desc:collate=de":  "5 3 7 1 6 8 4 2",
		"name:collate=de:desc:nulls-first":  "5 3 7 1 6 8 4 2",
		"#1:nocase":                         "4 6 1 3 7 2 8 5",
		"name:numeric":                      "6 3 4 1 7 2 8 5",
		"name:collate=und-u-ks-level1":      "2 4 8 6 1 3 7 5",
		"name:COLLATE=und-u-ks-level1:DESC": "3 7 1 6 8 4 2 5",
	})
}

// requireOrders sorts a file by each key, and compares the numbers of the rows, from 1.
func requireOrders(t *testing.T, in string, orders map[string]string) {
	for key, want := range orders {
		r := cli(t, nil, "argsort", "-q", "-k", key, "-o", "-", "--output-format", "csv", in)
		require.Zero(t, r.code, r.err)
		var rows []string
		for _, row := range strings.Fields(r.out)[1:] {
			rows = append(rows, string(row[0]+1))
		}
		require.Equal(t, want, strings.Join(rows, " "), key)
	}
}

// TestTextOrderOfFiles sorts, merges, checks and describes files in the order of a language.
func TestTextOrderOfFiles(t *testing.T) {
	folder := t.TempDir()
	a, b, all := filepath.Join(folder, "a.parquet"), filepath.Join(folder, "b.parquet"),
		filepath.Join(folder, "all.parquet")
	in := file(t, "words.csv", words)
	r := cli(t, nil, "sort", "-k", "name:collate=de", "-o", a, in)
	require.Zero(t, r.code, r.err)
	require.Contains(t, r.err, "sorted by name (by the rules of de)")
	require.Equal(t, result{}, cli(t, nil, "sort", "-q", "-k", "name:collate=de", "-o", b, in))
	require.Equal(t, result{}, cli(t, nil, "merge", "-q", "-k", "name:collate=de", "-o", all, a, b))
	require.Equal(t, result{out: "sorted by name:collate=de, as the footer says\n"}, cut(cli(t, nil, "check", all)))
	require.Equal(t, result{out: "sorted\n"}, cut(cli(t, nil, "check", "-k", "name:collate=de", all)))
	merged := filepath.Join(folder, "merged.parquet")
	require.Equal(t, result{}, cli(t, nil, "merge", "-q", "-o", merged, a, b), "by the order of the footers")
	require.Equal(t, result{out: "sorted by name:collate=de, as the footer says\n"}, cut(cli(t, nil, "check", merged)))
	r = cut(cli(t, nil, "check", "-k", "name", all))
	require.Equal(t, result{code: 1, out: "not sorted: row 2 sorts before row 1 (rows count from 0)\n" + all +
		": the footer names another order, which is true: name:collate=de\n"}, r)
	require.Contains(t, cli(t, nil, "info", all).out, "declared order: name:collate=de\n")
	require.Contains(t, cli(t, nil, "info", "--json", all).out, `"keys":["name:collate=de"]`)
	r = cli(t, nil, "sort", "-q", "-k", "name:collate=de", "--limit", "2", "-o", "-", "--output-format", "csv", all)
	require.Equal(t, result{out: "name,n\nÄrger,2\nÄrger,2\n"}, r)
	r = cli(t, nil, "sort", "-q", "-k", "name:nocase", "--unique", "-o", "-", "--output-format", "csv", all)
	require.Equal(t, result{out: "name,n\narm,4\nOma,6\nz10,1\nz9,7\nÄrger,2\nÖl,8\n,5\n"}, r)
}

// TestTextOrdersThatAreWrong are explained before anything is read.
func TestTextOrdersThatAreWrong(t *testing.T) {
	in := file(t, "words.csv", words)
	for key, want := range map[string]string{
		"name:collate=xx": `key name: unknown locale "xx": give the tag of a language, such as de or ` +
			`de-u-co-phonebk, or nocase, natural or numeric`,
		"name:collate=": `key name: unknown locale "": give the tag of a language, such as de or ` +
			`de-u-co-phonebk, or nocase, natural or numeric`,
		"name:collate=de-u-co-stroke": `key name: unknown locale "de-u-co-stroke": de has co-phonebk`,
		"name:nocas":                  `key "name:nocas": unknown modifier ":nocas"; did you mean ":nocase"?`,
		"name:nocase:natural": `key "name:nocase:natural": ":nocase" and ":natural" both give the order of text; ` +
			`write -k name:natural`,
	} {
		r := cli(t, nil, "sort", "-k", key, "-o", "out.csv", in)
		require.Equal(t, 2, r.code, "%s: %s", key, r.err)
		require.Contains(t, r.err, want)
		require.NoFileExists(t, "out.csv")
	}
	r := cli(t, nil, "sort", "-k", "n:collate=de", "-o", "out.csv", in)
	require.NotZero(t, r.code)
	require.Contains(t, r.err, "key n has type int64, and the collation de orders text")
}

const numbers = "name,n,day,a:desc,x % 4\nZoe,-7,2020-02-01,1,9\nanna,3,2019-12-31,2,8\nBob,-1,2021-01-01,1,7\n" +
	"ANNA,16,2019-01-01,2,6\n,5,,2,5\n"

// TestSortByFunctions types each function, with modifiers, positions and columns that are named as functions.
func TestSortByFunctions(t *testing.T) {
	requireOrders(t, file(t, "numbers.csv", numbers), map[string]string{
		"lower(name)":              "2 4 3 1 5",
		"Lower(name):desc":         "1 3 2 4 5",
		"lower(name):nulls-first":  "5 2 4 3 1",
		"lower(name):desc:natural": "1 3 2 4 5",
		"lower(#1)":                "2 4 3 1 5",
		"length(name)":             "1 3 2 4 5",
		"abs(n)":                   "3 2 5 1 4",
		"year(day)":                "2 4 1 3 5",
		"n % 4":                    "4 1 5 2 3",
		"n%4:desc":                 "2 3 1 5 4",
		"hash(n)":                  "3 2 5 1 4",
		"hash(name, 7)":            "3 4 2 1 5",
		"random(42)":               "5 4 2 1 3",
		"random(42):desc":          "3 1 2 4 5",
		"abs(a:desc)":              "1 3 2 4 5",
		"x % 4":                    "5 4 3 2 1",
		"x % 4 % 3":                "1 4 3 2 5",
	})
}

// TestFunctionsOfFiles sorts, merges, checks and describes files by a function.
func TestFunctionsOfFiles(t *testing.T) {
	folder := t.TempDir()
	a, all := filepath.Join(folder, "a.parquet"), filepath.Join(folder, "all.parquet")
	in := file(t, "numbers.csv", numbers)
	r := cli(t, nil, "sort", "-k", "lower(name)", "-k", "n % 4:desc", "-o", a, in)
	require.Zero(t, r.code, r.err)
	require.Contains(t, r.err, "sorted by lower(name), n % 4 (descending)")
	require.Equal(t, result{}, cli(t, nil, "merge", "-q", "-o", all, a, a), "by the order of the footers")
	require.Equal(t, result{out: "sorted by lower(name), n % 4:desc, as the footer says\n"},
		cut(cli(t, nil, "check", all)))
	r = cut(cli(t, nil, "check", "-k", "lower(name)", all))
	require.Equal(t, result{out: "sorted\n" + all +
		": the footer names another order, which is true: lower(name), n % 4:desc\n"}, r)
	require.Contains(t, cli(t, nil, "info", "--json", all).out, `"keys":["lower(name)","n % 4:desc"]`)
	r = cli(t, nil, "sort", "-q", "-k", "abs(n)", "--limit", "1", "-o", "-", "--output-format", "csv", all)
	require.Equal(t, result{out: "name,n,day,a:desc,x % 4\nBob,-1,2021-01-01,1,7\n"}, r)
	r = cli(t, nil, "sort", "-q", "-k", "lower(name)", "--unique", "--select", "n", "-o", "-", "--output-format", "csv",
		in)
	require.Equal(t, result{out: "n\n3\n-1\n-7\n5\n"}, r)
	parts := filepath.Join(folder, "parts")
	require.Equal(t, result{},
		cli(t, nil, "sort", "-q", "-k", "random(1)", "--partition-by", "a:desc", "-o", parts, in))
	r = cli(t, nil, "sort", "-q", "-k", "n", "--select", "n", "-o", "-", "--output-format", "csv",
		parts+"/**/*.parquet")
	require.Equal(t, result{out: "n\n-7\n-1\n3\n5\n16\n"}, r)
	r = cli(t, nil, "explain", "-q", "-k", "year(day):desc", "-k", "random(7)", in)
	require.Contains(t, r.out, "year(day): int64, 2 live bits of 64, descending, 1 null at the end\n")
	require.Contains(t, r.out, "random(7): uint64, ")
}

// TestPlansNameOrdersOfText and functions, in words and as JSON.
func TestPlansNameOrdersOfText(t *testing.T) {
	in := file(t, "words.csv", words)
	keys := []string{"-k", "name:collate=de-u-kn", "-k", "lower(name):natural", "-k", "name"}
	r := cli(t, nil, append([]string{"explain", in}, keys...)...)
	require.Regexp(t, `(?m)^name: utf8, collation de-u-kn, sort keys of \d+ to \d+ bytes, .*
lower\(name\): string_view, collation natural, sort keys of .*
name: utf8, \d`, r.out)
	r = cli(t, nil, append([]string{"sort", "-v", "-o", filepath.Join(t.TempDir(), "x.csv"), in}, keys...)...)
	require.Contains(t, r.err, "plan: name: utf8, collation de-u-kn, sort keys")
	r = cli(t, nil, append([]string{"explain", "--json", in}, keys...)...)
	require.Contains(t, r.out, `{"column":"lower(name)","type":"string_view","collation":"natural","bits":`)
	require.Contains(t, r.out, `{"column":"name","type":"utf8","bits":`)
}

// TestOneNameOfAnOrder: a key whose text would be that of a column, or of none, goes by a position, which the
// metadata name, and check prints it once.
func TestOneNameOfAnOrder(t *testing.T) {
	in := file(t, "names.csv", "name,lower(name),name:collate=de,n \nb,1,2,3\nÄ,3,1,2\na,2,3,1\n")
	sorted, arrow := filepath.Join(t.TempDir(), "sorted.parquet"), filepath.Join(t.TempDir(), "sorted.arrow")
	for key, other := range map[string]string{"lower(#1)": "LOWER(#1)", "name:collate=de": "#1:COLLATE=DE",
		"lower(#1):desc:collate=de": "lower(#1):collate=de:desc", "#4 % 2": "#4%2", "abs(n )": "abs(#4)",
		"lower(name)": "#2", "abs(lower(name))": "abs(#2)", "name:nocase": "#1:nocase",
		"name:desc:nulls-first:collate=sv": "#1:collate=sv:nulls-first:desc"} {
		require.Equal(t, result{}, cli(t, nil, "sort", "-q", "-k", key, "-k", "n ", "-o", sorted, in))
		named := result{out: "sorted by " + key + ", n , as the footer says\n"}
		require.Equal(t, named, cut(cli(t, nil, "check", sorted)))
		require.Equal(t, result{out: "sorted\n"}, cut(cli(t, nil, "check", "-k", key, "-k", "n ", sorted)), key)
		require.Equal(t, result{out: "sorted\n"}, cut(cli(t, nil, "check", "-k", other, "-k", "#4", sorted)), other)
		require.Equal(t, result{}, cli(t, nil, "sort", "-q", "-k", key, "-o", arrow, in))
		require.Equal(t, result{out: "sorted\n"}, cut(cli(t, nil, "check", "-k", key, arrow)))
	}
}

// TestNameOfAnOrderOfFewerColumns: a file without the column whose name the text of the key is names the order by the
// column that is written, as files do that never had the other one.
func TestNameOfAnOrderOfFewerColumns(t *testing.T) {
	folder := t.TempDir()
	alone, merged := filepath.Join(folder, "alone.parquet"), filepath.Join(folder, "merged.parquet")
	require.Equal(t, result{},
		cli(t, nil, "sort", "-q", "-k", "lower(name)", "-o", alone, file(t, "alone.csv", "name\nA\nc\n")))
	in := file(t, "names.csv", "name,lower(name)\nb,1\nÄ,1\na,1\n")
	for _, c := range []struct{ option, column, out, written string }{
		{"--select", "name", "selected.parquet", "selected.parquet"},
		{"--partition-by", "lower(name)", "parts", "parts/**/*.parquet"},
	} {
		out, written := filepath.Join(folder, c.out), filepath.Join(folder, c.written)
		require.Equal(t, result{}, cli(t, nil, "sort", "-q", "-k", "lower(#1)", c.option, c.column, "-o", out, in))
		require.Equal(t, result{out: "sorted by lower(name), as the footer says\n"}, cut(cli(t, nil, "check", written)))
		require.Equal(t, result{out: "sorted\n"}, cut(cli(t, nil, "check", "-k", "lower(name)", written)))
		require.Equal(t, result{}, cli(t, nil, "merge", "-q", "-o", merged, written, alone))
	}
}

// TestFunctionsThatAreWrong are explained before anything is read.
func TestFunctionsThatAreWrong(t *testing.T) {
	in := file(t, "numbers.csv", numbers)
	out := filepath.Join(t.TempDir(), "out.parquet")
	for key, want := range map[string]string{
		"lower(n)": "key lower(n): the column has type int64, and lower takes text: utf8, large_utf8 or utf8_view; " +
			"cast it, or leave the function out",
		"n % 0":             "key n % 0: the function % 0: give a number from 1 to 9223372036854775807",
		"hash(n, -1)":       `the seed "-1" is no number from 0 to 18446744073709551615`,
		"random()":          `key random(): the function random: the seed "" is no number`,
		"random(1):nocase":  "key random(1) is no text, which the collation nocase orders",
		"length(name):de":   `key "length(name):de": unknown modifier ":de"; did you mean ":desc"?`,
		"lower(name):dsc":   `key "lower(name):dsc": unknown modifier ":dsc"; did you mean ":desc"?`,
		"random(1):desc:up": `unknown modifier ":up"; did you mean ":asc"?`,
		"abs(n):asc:desc":   `":asc" and ":desc" both give the order; write -k abs(n):desc`,
		"lower(nmae)":       `key "lower(nmae)": no such column; did you mean "name"?`,
		"upper(name)": `key "upper(name)": no such column or function; functions are lower, length, abs, year, hash, ` +
			`random and x % N`,
	} {
		r := cli(t, nil, "sort", "-k", key, "-o", out, in)
		require.NotZero(t, r.code, key)
		require.Contains(t, r.err, want)
		require.NoFileExists(t, out)
	}
	for command, key := range map[string]string{"merge": "random(1)", "check": "random(1)"} {
		args := []string{command, "-k", key, in}
		if command == "merge" {
			args = append(args, "-o", out, in)
		}
		require.Contains(t, cli(t, nil, args...).err,
			"by random(1), which goes by the numbers of rows when they were sorted")
	}
	r := cli(t, nil, "sort", "-k", "n", "--select", "random(1)", "-o", out, in)
	require.Contains(t, r.err, `--select "random(1)": no such column`)
	r = cli(t, nil, "sort", "-k", "n", "-k", "lower(name)", "--curve", "hilbert", "-o", out, in)
	require.Contains(t, r.err, "key lower(name) of a curve is a function, and curves take columns")
}
