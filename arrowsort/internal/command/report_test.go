package command

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
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

// TestJSONIsDocumented: the document names the fields that are printed, and no other.
func TestJSONIsDocumented(t *testing.T) {
	document := readFile(t, filepath.Join("..", "..", "..", "docs", "json.md"))
	var told []string
	for _, line := range strings.Split(string(document), "\n") {
		cells := strings.Split(line, "|")
		if len(cells) == 5 {
			for _, field := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[1], -1) {
				told = append(told, field[1])
			}
		}
	}
	var printed []string
	objects := []any{report{}, gpuReport{}, footerReport{}, parquetsort.Strategy{}, filesReport{},
		fileReport{}, tablefile.FileInfo{}, tablefile.GroupInfo{}, tablefile.ColumnInfo{}, tablefile.CurveOrder{},
		layoutReport{}, parquetsort.LayoutReport{}, parquetsort.FilesLayout{}, parquetsort.LayoutGroup{},
		parquetsort.LayoutColumn{}, parquetsort.LayoutDepth{}, parquetsort.LayoutZone{}, parquetsort.FilterCost{},
		parquetsort.FilterRead{}, parquetsort.LayoutAdvice{}, parquetsort.AdviceRead{},
		parquetsort.KeyDepth{}}
	for _, object := range objects {
		printed = append(printed, jsonFields(reflect.TypeOf(object))...)
	}
	printed = append(printed, planFields(t)...)
	slices.Sort(told)
	slices.Sort(printed)
	require.Equal(t, printed, told)
	for _, field := range jsonFields(reflect.TypeOf(facts{})) {
		require.Contains(t, string(document), "`"+field+"`")
	}
}

// planFields are the fields of a plan, and those of one of its keys.
func planFields(t *testing.T) []string {
	text := array.MakeArrayOfNull(memory.DefaultAllocator, arrow.BinaryTypes.String, 1)
	plan, err := arrowsort.Explain(t.Context(), text, []arrowsort.Key{{Collation: arrowsort.FoldCase}},
		arrowsort.Options{})
	require.NoError(t, err)
	written, err := plan.MarshalJSON()
	require.NoError(t, err)
	var object map[string]any
	require.NoError(t, json.Unmarshal(written, &object))
	key := object["keys"].([]any)[0].(map[string]any)
	return slices.AppendSeq(slices.Collect(maps.Keys(object)), maps.Keys(key))
}

func jsonFields(object reflect.Type) (names []string) {
	for i := range object.NumField() {
		if name, _, _ := strings.Cut(object.Field(i).Tag.Get("json"), ","); name != "" && name != "-" {
			names = append(names, name)
		}
	}
	return names
}

var updateGolden = flag.Bool("update", false, "write testdata/messages.txt anew, from its command lines")

// changing are the parts of a report that differ from run to run.
var changing = regexp.MustCompile(`("(?:[a-z]+_)?(?:seconds|per_second)":)[0-9.e+-]+`)

// TestMessages runs the command lines of testdata/messages.txt, in order and in one folder, and compares what they
// print and their exit codes with the lines below each. Standard input has the people.
func TestMessages(t *testing.T) {
	path, err := filepath.Abs(filepath.Join("testdata", "messages.txt"))
	require.NoError(t, err)
	content := readFile(t, path)
	want := strings.ReplaceAll(string(content), "\r\n", "\n")

	t.Chdir(t.TempDir())
	for name, rows := range map[string]string{
		"people.csv": people, "people.txt": people, "narrow.csv": "name,age\nzoe,1\n", "empty.csv": "",
		"typed.csv": "name,age,score,born\nzoe,old,1,2000-01-01\n", "short.csv": "a,b\n1\n",
		"cut.arrow": "ARROW1\x00\x00", "text.parquet": people,
	} {
		require.NoError(t, os.WriteFile(name, []byte(rows), 0o644))
	}
	require.NoError(t, os.Mkdir("folder", 0o755))

	var got strings.Builder
	for line := range strings.Lines(want) {
		command, ok := strings.CutPrefix(strings.TrimSpace(line), "$ arrowsort ")
		if !ok {
			continue
		}
		r := cli(t, strings.NewReader(people), strings.Fields(command)...)
		fmt.Fprintf(&got, "$ arrowsort %s\n%s%sexit %d\n", command, changing.ReplaceAllString(r.out, "${1}0"),
			changing.ReplaceAllString(r.err, "${1}0"), r.code)
	}
	if *updateGolden {
		require.NoError(t, os.WriteFile(path, []byte(got.String()), 0o644))
		return
	}
	require.Equal(t, want, got.String())
}
