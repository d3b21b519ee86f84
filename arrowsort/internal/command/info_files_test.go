package command

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

// TestInfoOfFiles of every format, next to one another.
func TestInfoOfFiles(t *testing.T) {
	table, stream, text := convert(t, "people.parquet"), convert(t, "people.arrows"), file(t, "people.csv", people)
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write([]byte(people))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	r := cli(t, nil, "info", table, stream, text, file(t, "people.csv.gz", packed.String()))
	require.Zero(t, r.code, r.err)
	require.Empty(t, r.err)
	var lines []string
	for _, line := range strings.Split(r.out, "\n") {
		if !strings.ContainsAny(line, "┌├└") {
			lines = append(lines, strings.Join(strings.Fields(strings.ReplaceAll(line, "│", " ")), " "))
		}
	}
	shown := regexp.MustCompile(`(?m)^\S+/|[0-9.]+ k?B`).ReplaceAllString(strings.Join(lines, "\n"), "")
	require.Equal(t, strings.TrimLeft(`
people.parquet: Parquet, , 5 rows, 4 columns
written by arrowsort
declared order: name
1 row group of 5 rows, 
column type nulls bytes raw codec encodings
name utf8 1   zstd PLAIN, RLE
age int64 1   zstd RLE_DICTIONARY, PLAIN, RLE
score float64 1   zstd PLAIN, RLE
born date32 0   zstd PLAIN, RLE

people.arrows: Arrow stream, , 5 rows, 4 columns
1 record batch of 5 rows, 
column type nulls bytes codec
name utf8 1  none
age int64 1  none
score float64 1  none
born date32 0  none

people.csv: CSV, , 5 rows, 4 columns
column type
name utf8
age int64
score float64
born date32

people.csv.gz: compressed CSV, , 5 rows, 4 columns
column type
name utf8
age int64
score float64
born date32
`, "\n"), shown)
}

// TestBloomFilters: info has the number of row groups with Bloom filters of a column. A column that cannot have one is
// an error that names it before the output is made.
func TestBloomFilters(t *testing.T) {
	table, folder := file(t, "table.csv", "flag,n\ntrue,1\nfalse,2\ntrue,3\n"), t.TempDir()
	out := filepath.Join(folder, "out.parquet")
	r := cli(t, nil, "sort", "-q", "-k", "n", "--bloom-filter", "n:0.001", "--row-group-rows", "2", "-o", out, table)
	require.Zero(t, r.code, r.err)
	r = cli(t, nil, "info", "--json", out)
	require.Contains(t, r.out, `{"name":"n","type":"int64",`)
	require.Equal(t, 1, strings.Count(r.out, `"bloom_filters":2`), r.out)
	require.Contains(t, cli(t, nil, "info", out).out, "Bloom filters")
	r = cli(t, nil, "sort", "-q", "-k", "n", "--bloom-filter", "flag", "-o", filepath.Join(folder, "no.parquet"), out)
	require.Equal(t, 2, r.code)
	require.Contains(t, r.err, `no.parquet: --bloom-filter of column "flag": booleans have no `+
		"Bloom filters in Parquet: leave the column out (see arrowsort sort --help)")
	require.NoFileExists(t, filepath.Join(folder, "no.parquet"))
}

// TestInfoOfForeignFiles: every file that is read is described, and the bytes of its columns are those of its groups.
func TestInfoOfForeignFiles(t *testing.T) {
	files := 0
	corpus := filepath.FromSlash("../../internal/corpus/testdata")
	require.NoError(t, filepath.WalkDir(corpus, func(path string, _ fs.DirEntry, _ error) error {
		format, err := tablefile.Auto.Resolve(path)
		if err != nil || format == tablefile.CSV || strings.Contains(path, "unsupported") {
			return nil
		}
		files++
		r := cli(t, nil, "info", "--json", path)
		require.Zero(t, r.code, r.err)
		var got struct{ Files []tablefile.FileInfo }
		require.NoError(t, json.Unmarshal([]byte(r.out), &got))
		require.Len(t, got.Files, 1)
		var rows, groups, columns int64
		for _, g := range got.Files[0].Groups {
			rows, groups = rows+g.Rows, groups+g.Bytes
		}
		for _, c := range got.Files[0].Columns {
			require.NotNil(t, c.Bytes, path)
			columns += *c.Bytes
		}
		require.Equal(t, got.Files[0].Rows, rows)
		if format == tablefile.Parquet {
			require.Equal(t, groups, columns, path)
		} else {
			require.LessOrEqual(t, columns, groups, path)
			require.GreaterOrEqual(t, 2*columns+1000*int64(len(got.Files[0].Columns)*len(got.Files[0].Groups)), groups)
		}
		return nil
	}))
	require.Greater(t, files, 20)
}

// TestInfoOfNestedColumns shows the fields below their column.
func TestInfoOfNestedColumns(t *testing.T) {
	for _, name := range []string{"nested.v1.parquet", "nested.plain.arrows"} {
		r := cli(t, nil, "info", filepath.Join("../../internal/corpus/testdata/pyarrow", name))
		require.Zero(t, r.code, r.err)
		for _, want := range []string{`│ pairs +│ map `, `│   key +│ utf8 not null`, `│   value +│ struct `,
			`│     b +│ utf8 `, `│ fixed +│ fixed_size_list\[3\] `} {
			require.Regexp(t, want, r.out)
		}
		var out bytes.Buffer
		args := []string{"info", filepath.Join("../../internal/corpus/testdata/pyarrow", name)}
		require.Zero(t, run(t.Context(), args, streams{out: &out, err: &out, outWidth: 40}))
		for _, line := range strings.Split(out.String(), "\n") {
			require.True(t, !strings.ContainsAny(line, "│─") || len([]rune(line)) <= 40, line)
		}
	}
}

// TestInfoOfBrokenFiles is an error that names the file.
func TestInfoOfBrokenFiles(t *testing.T) {
	for _, name := range []string{"people.parquet", "people.arrow", "people.arrows"} {
		whole := readFile(t, convert(t, name))
		for _, n := range []int{0, 8, len(whole) / 2, len(whole) - 1} {
			path := file(t, name, string(whole[:n]))
			r := cli(t, nil, "info", path)
			require.Equal(t, exitError, r.code, "%s of %d bytes", name, n)
			requireOneLine(t, r.err)
			require.Contains(t, r.err, path)
			require.Empty(t, r.out)
		}
	}
	r := cli(t, nil, "info", "s3://bucket/x.parquet")
	require.Equal(t, exitUsage, r.code, r.err)
	require.Contains(t, r.err, "s3://bucket/x.parquet is an address")
}

// TestInfoShowsFilesBesideBrokenOnes: each of these has a line of error, and the exit code is the greatest of theirs.
func TestInfoShowsFilesBesideBrokenOnes(t *testing.T) {
	good := convert(t, "people.parquet")
	cut := file(t, "cut.parquet", string(readFile(t, good)[:100]))
	later, missing := convert(t, "people.arrow"), filepath.Join(t.TempDir(), "missing.arrow")
	for _, flags := range [][]string{nil, {"--json"}} {
		r := cli(t, nil, slices.Concat([]string{"info"}, flags, []string{cut, good, missing, later})...)
		require.Equal(t, exitError, r.code)
		require.Equal(t, "arrowsort: "+cut+": corrupted file: the Parquet footer is missing, the file is cut off\n"+
			"arrowsort: "+missing+": no such file or directory\n", r.err)
		require.Equal(t, cli(t, nil, slices.Concat([]string{"info"}, flags, []string{good, later})...).out, r.out)
	}
	r := cli(t, nil, "info", "--csv-type", "nobody=text", file(t, "people.csv", people), cut, good)
	require.Equal(t, exitUsage, r.code, "a column that is not there is wrong usage")
	require.Regexp(t, `^arrowsort: .*people.csv: .*"nobody".*\(see arrowsort info --help\)\narrowsort: .*cut.parquet: `,
		r.err)
	require.Contains(t, r.out, "5 rows, 4 columns")
}

// TestInfoHasNoUseForAFlag is an error, not a flag that does nothing.
func TestInfoHasNoUseForAFlag(t *testing.T) {
	table := convert(t, "people.parquet")
	for want, args := range map[string][]string{
		"without files info shows the machine: name the file that the flags are for": {"--format", "csv", "--json"},
		"--delimiter is for CSV, which no file is":                                   {"--delimiter", ";", table},
	} {
		r := cli(t, nil, append([]string{"info"}, args...)...)
		require.Equal(t, result{code: 2, err: "arrowsort: " + want + " (see arrowsort info --help)\n"}, r)
	}
	r := cli(t, nil, "info", "--delimiter", ";", file(t, "people.csv", strings.ReplaceAll(people, ",", ";")))
	require.Contains(t, r.out, "│ score  │ float64 │")
}

func TestInfoNamesTheCommit(t *testing.T) {
	r := cli(t, nil, "info")
	require.Contains(t, r.out, "\ncommit:   unknown\n") // a test binary has no stamp

	stamp := []debug.BuildSetting{{Key: "vcs.revision", Value: "1a89942"},
		{Key: "vcs.time", Value: "2026-11-21T13:00:00Z"}, {Key: "vcs.modified", Value: "false"}}
	revision, date := commit(stamp)
	require.Equal(t, "1a89942", revision)
	require.Equal(t, "2026-11-21T13:00:00Z", date)
	stamp[2].Value = "true"
	revision, _ = commit(stamp)
	require.Equal(t, "1a89942 with changes", revision)
}

// TestWarningsOfReports: what is not read is in the reports of info and layout, as it is printed otherwise.
func TestWarningsOfReports(t *testing.T) {
	folder := t.TempDir()
	claiming(t, filepath.Join(folder, "a.parquet"))
	require.NoError(t, os.Mkdir(filepath.Join(folder, "sub"), 0o777))
	for _, name := range []string{"info", layoutName} {
		var report struct{ Warnings []string }
		r := cli(t, nil, name, "--json", folder)
		require.Zero(t, r.code, r.err)
		require.NoError(t, json.Unmarshal([]byte(r.out), &report))
		require.Len(t, report.Warnings, 1)
		require.Contains(t, report.Warnings[0], "1 subfolder is not read: sub")
		require.Equal(t, "arrowsort: warning: "+report.Warnings[0]+"\n", cli(t, nil, name, folder).err)
	}
}
