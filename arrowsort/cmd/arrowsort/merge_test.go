package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMergeSortedFiles(t *testing.T) {
	in, folder := manyPeople(t, "in.parquet"), t.TempDir()
	parts := filepath.Join(folder, "parts")
	require.NoError(t, os.Mkdir(parts, 0o755))
	for _, file := range []string{"a.parquet", "b.parquet"} {
		require.Equal(t, result{}, cli(t, nil, "sort", "-q", "-k", "n", "-o", filepath.Join(parts, file), in))
	}
	out, sorted := filepath.Join(folder, "out.parquet"), filepath.Join(folder, "sorted.parquet")
	require.Equal(t, result{}, cli(t, nil, "sort", "-q", "-k", "n", "-o", sorted, parts))
	want, err := os.ReadFile(sorted)
	require.NoError(t, err)
	for _, args := range [][]string{{"-k", "n"}, {}, {"--memory", "64MiB"}} {
		r := cli(t, nil, append([]string{"merge", "--json", "-o", out, parts}, args...)...)
		require.Equal(t, 0, r.code, r.err)
		var got map[string]any
		require.NoError(t, json.Unmarshal([]byte(r.out), &got), r.out)
		require.Equal(t, "merge", got["command"])
		require.Equal(t, []any{"n"}, got["keys"])
		require.Equal(t, 800_000.0, got["rows_out"])
		if len(args) == 0 {
			b, err := os.ReadFile(out)
			require.NoError(t, err)
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
		"no such column": {[]string{"-k", "agee", a}, 1, a + `: key "agee": no such column`},
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
