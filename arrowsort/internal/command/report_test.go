package command

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

func TestReportInWords(t *testing.T) {
	for want, c := range map[string]struct {
		report report
		ago    time.Duration
	}{
		`^1 row, 1 column, sorted by a\n5 B in\n0\.\d{3} s\n$`: {
			report{Rows: new(int64(1)), Columns: 1, BytesIn: 5, ReadSeconds: 0.5, order: "sorted by a",
				Plan: "bits"}, 0},
		`^1,234,567 rows in, 1 row out, 1,000 columns, merged by a\n12.3 kB in, 7 B out\n2\.\d{3} s: reading 0.500, ` +
			`writing 1.000; [5-6]\d\d,\d{3} rows per second\n2 runs, 30 B spilled\n$`: {report{
			Rows: new(int64(1234567)), Columns: 1000, BytesIn: 12345, Output: "x", RowsOut: 1, BytesOut: 7,
			ReadSeconds: 0.5, WriteSeconds: 1, order: "merged by a", Runs: 2, BytesSpilled: 30}, 2 * time.Second},
		`^2 rows, 1 column, \n4 B in, 9 B out in 2 files \(grew by a factor of 2.25\)\n.*\nplan: bits\n$`: {report{
			Rows: new(int64(2)), Columns: 1, BytesIn: 4, Output: "x", Outputs: []string{"x", "y"}, RowsOut: 2,
			BytesOut: 9, Plan: "bits", verbose: true}, 0},
		`, 2.5 kB out \(shrank by a factor of 4.00\)\n.*\nin order already: row groups are copied\n$`: {report{
			Rows: new(int64(2)), BytesIn: 10000, Output: "x", RowsOut: 2, BytesOut: 2500, Copied: true}, 0},
		`\nrows of one o: 7 of 7 row groups before, 1.3 of 1,234 now\n$`: {report{Rows: new(int64(2)), Output: "x",
			RowsOut: 2, Depth: &parquetsort.KeyDepth{Column: "o", Before: parquetsort.LayoutDepth{Mean: 6.98, Of: 7},
				After: parquetsort.LayoutDepth{Mean: 1.26, Of: 1234}}}, 0},
		` rows per second\n$`: {report{Rows: new(int64(2)), Output: "x", RowsOut: 2,
			Depth: &parquetsort.KeyDepth{Before: parquetsort.LayoutDepth{Mean: 1, Of: 1},
				After: parquetsort.LayoutDepth{Mean: 1, Of: 1}}}, time.Second},
		`: 1 of 1 row group before, 1,235 of 9,999 now\n`: {report{Rows: new(int64(2)), Output: "x", RowsOut: 2,
			Depth: &parquetsort.KeyDepth{Before: parquetsort.LayoutDepth{Mean: 1, Of: 1},
				After: parquetsort.LayoutDepth{Mean: 1234.56, Of: 9999}}}, 0},
		`, 1.0 kB out\n`: {report{Command: argsortName, Rows: new(int64(2)), BytesIn: 10000, Output: "x", RowsOut: 2,
			BytesOut: 1000}, 0},
		`, 10.0 kB out \(the same size\)\n`: {report{Rows: new(int64(2)), BytesIn: 10000, Output: "x", RowsOut: 2,
			BytesOut: 9999}, 0},
	} {
		var b bytes.Buffer
		c.report.start = time.Now().Add(-c.ago)
		require.NoError(t, c.report.writeText(&b))
		require.Regexp(t, want, b.String())
	}
}

func TestExplainHasALineForEachKey(t *testing.T) {
	r := cli(t, nil, "explain", "-q", "-k", "age:desc", "-k", "#1", file(t, "people.csv", people))
	require.Regexp(t, `^5 rows, 4 columns\n1 file, .*\n`+
		`sorted in memory, .*\nage: int64, .*\nname: utf8, .*\n(one|no|all).*\n$`, r.out)
	r = cli(t, nil, "explain", "-q", "-k", "a", file(t, "one.csv", "a\n7\n"))
	require.Regexp(t, `^1 row, 1 column\n1 file, .*\nin order already.*\na: int64, .*\nall rows tie\n$`, r.out)
}
