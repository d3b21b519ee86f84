package main

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestReportInWords(t *testing.T) {
	for want, c := range map[string]struct {
		report report
		ago    time.Duration
	}{
		`^1 row, 1 column, 5 B in\n\d\.\d{3} s: read 0.500, sort 0.000, write 0.000\n$`: {
			report{Rows: new(int64(1)), Columns: 1, BytesIn: 5, ReadSeconds: 0.5}, 0},
		`^1,234,567 rows, 1,000 columns, 12.3 kB in; 1 row, 7 B out\n2\.\d{3} s: ` +
			`.*; [5-6]\d\d,\d{3} rows per second\n$`: {report{Rows: new(int64(1234567)), Columns: 1000, BytesIn: 12345,
			Output: "x", RowsOut: 1, BytesOut: 7}, 2 * time.Second},
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
