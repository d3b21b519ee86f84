package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

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
		whole, err := os.ReadFile(convert(t, name))
		require.NoError(t, err)
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
