package parquetsort

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
)

// tree makes a folder of empty files and makes it the current one.
func tree(t *testing.T, files ...string) {
	t.Chdir(t.TempDir())
	for _, file := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, nil, 0o600))
	}
}

func TestPatterns(t *testing.T) {
	tree(t, "d/b.parquet", "d/a/x.parquet", "d/a/a/x.parquet", "d/a/a/y.csv", "d/c/x.parquet", "d/[z]/x.parquet",
		"d/.hidden/x.parquet", "d/.arrowsort-output-1/run-1.parquet", "d/_temporary/x.parquet", "d/a/.x.parquet",
		"d/\xff/x.parquet")
	require.NoError(t, os.Symlink("a", "d/link"))
	require.NoError(t, os.Symlink("..", "d/a/loop"))
	require.NoError(t, os.Symlink("../b.parquet", "d/c/link.parquet"))
	here, err := os.Getwd()
	require.NoError(t, err)
	for pattern, want := range map[string][]string{
		"d/**/*.parquet": {"d/[z]/x.parquet", "d/a/a/x.parquet", "d/a/x.parquet", "d/b.parquet", "d/c/link.parquet",
			"d/c/x.parquet", "d/\xff/x.parquet"},
		"**/x.parquet": {"d/[z]/x.parquet", "d/a/a/x.parquet", "d/a/x.parquet", "d/c/x.parquet",
			"d/\xff/x.parquet"},
		"d/**/a/**/x.parquet": {"d/a/a/x.parquet", "d/a/x.parquet"},
		"**/**/a/x.parquet":   {"d/a/a/x.parquet", "d/a/x.parquet"},
		"d/a/**":              {"d/a/a/x.parquet", "d/a/a/y.csv", "d/a/x.parquet"},
		"d/*/x.parquet": {"d/[z]/x.parquet", "d/_temporary/x.parquet", "d/a/x.parquet", "d/c/x.parquet",
			"d/link/x.parquet", "d/\xff/x.parquet"},
		"d/.*/x.parquet":      {"d/.hidden/x.parquet"},
		"d/?/../b.parquet":    {"d/b.parquet"},
		"./d/*.parquet":       {"d/b.parquet"},
		"d//[a-b].parquet":    {"d/b.parquet"},
		`d/\[z\]/*`:           {"d/[z]/x.parquet"},
		"d/[z]/x.parquet":     {"d/[z]/x.parquet"}, // a file of this name
		here + "/d/*.parquet": {here + "/d/b.parquet"},
	} {
		files, err := Expand([]string{pattern})
		require.NoError(t, err, pattern)
		require.Equal(t, want, files, pattern)
	}
	for pattern, text := range map[string]string{
		"d/**.parquet":        "** stands for folders and has to be between slashes, as in 'd/**/*.parquet'",
		"d/a**/x.parquet":     "has to be between slashes",
		"d/**/*.orc":          "no file matches",
		"d/*/":                "ends in a slash matches folders; give 'd/*/*.parquet' for files in them",
		"absent/**/*.parquet": "no file matches",
		"d/b.parquet/*":       "no file matches",
		"d/*/[":               "syntax error in pattern",
	} {
		_, err := Expand([]string{pattern})
		require.ErrorContains(t, err, pattern+": ", pattern)
		require.ErrorContains(t, err, text, pattern)
	}
	require.Equal(t, []string{"d/**/*.parquet: 2 links to folders are not read: d/a/loop, d/link; ** follows no links"},
		Skipped([]string{"d/**/*.parquet"}))
	require.Equal(t, []string{"d/*: 6 folders are not read: d/[z], d/_temporary, d/a, ..."}, Skipped([]string{"d/*"}))
}

func TestFoldersSkip(t *testing.T) {
	tree(t, "d/b.parquet", "d/a.arrow", "d/one.csv", "d/two.tsv", "d/README.md", "d/.hidden", "d/_SUCCESS",
		"d/sub/x.parquet", "d/.sub/x", "csv/a.csv.gz", "deep/sub/x.parquet", "none/x.txt")
	files, err := Expand([]string{"d"})
	require.NoError(t, err)
	require.Equal(t, []string{"d/a.arrow", "d/b.parquet"}, files)
	require.Equal(t, []string{
		"d: 1 subfolder is not read: sub; give 'd/**/*.parquet' for what is in them",
		"d: 2 CSV files are not read: one.csv, two.tsv; CSV is sorted with other CSV only, by 'd/*.csv'",
		"d: 1 other file is not read: README.md",
	}, Skipped([]string{"d"}))
	for folder, text := range map[string]string{"csv": "there is only CSV; give 'csv/*.gz'",
		"deep": "its subfolders are read by 'deep/**/*.parquet'",
		"none": "there is no Parquet or Arrow file in the folder"} {
		_, err := Expand([]string{folder})
		require.ErrorContains(t, err, folder+": ")
		require.ErrorContains(t, err, text)
		require.Empty(t, Skipped([]string{folder}))
	}
}

// TestSortOfSubfolders reads all rows below a folder, and warns of those that a folder passes by.
func TestSortOfSubfolders(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "a", "b"), 0o700))
	for i, name := range []string{"x.parquet", "a/x.parquet", "a/b/x.parquet"} {
		generate(t, filepath.Join(folder, name), pairsSchema, 1,
			func(int) arrow.Record { return pairs(10*i, 10, 0, 9) })
	}
	for input, rows := range map[string]int64{folder: 10, filepath.Join(folder, "**", "*.parquet"): 30} {
		var warnings []string
		out := filepath.Join(t.TempDir(), "out.parquet")
		result := sortFiles(t, []string{input}, out, Options{Keys: []arrowsort.Key{{Path: "key"}},
			Run: Run{Warn: func(text string) { warnings = append(warnings, text) }}})
		require.Equal(t, rows, result.Rows)
		require.Len(t, warnings, int(30-rows)/20)
	}
}
