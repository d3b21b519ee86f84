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
