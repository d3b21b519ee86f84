package repotest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestParquetFigures compares the figures of docs/parquet.md with the newest results from Parquet to Parquet, or writes
// them: make figures.
func TestParquetFigures(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, "benchmarks", "results", "*-parquet.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files, "there are no results: run benchmarks/rivals/run.sh parquet")
	checkFigures(t, "docs/parquet.md", parseParquetResults(t, slices.Max(files)).table()) // names are dates
}

// parquetResults are a file that benchmarks/rivals/run.sh parquet writes.
type parquetResults struct {
	results
	Limits   []parquetLimit
	Measured map[string][]parquetMeasurement `json:"jobs"`
	Realtime int
	RowGroup int `json:"row_group_rows"`
	Codec    string
}

// A parquetLimit is a line of the table: a way of arrowsort to do a job, and the rivals that it is compared with.
type parquetLimit struct {
	Job, Title, Way string
	Rivals          []string
}

// A parquetMeasurement is the median of one engine, in seconds, and its peak memory in bytes. Checked says that the
// output was right.
type parquetMeasurement struct {
	Engine, Variant, Error, Checked string
	Median, Inner, Peak             float64
	Limit                           float64 `json:"memory_limit"`
}

func parseParquetResults(t *testing.T, path string) parquetResults {
	var r parquetResults
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &r), path)
	require.Equal(t, 1.0, r.Scale, "%s is not of full size", path)
	for job, measured := range r.Measured {
		for _, m := range measured {
			require.NotEmpty(t, m.Checked, "%s: %s of %s was not checked", path, job, m.Engine)
		}
	}
	return r
}

func (r parquetResults) table() string {
	var b strings.Builder
	v := r.Machine.Versions
	fmt.Fprintf(&b, "\n| seconds, MB of memory at most | arrowsort | Polars %s | DuckDB %s | DataFusion %s | Arrow "+
		"C++ %s | time, of the faster "+
		"|\n|---|---|---|---|---|---|---|\n", v["polars"], v["duckdb"], v["datafusion"], v["pyarrow"])
	for _, limit := range r.Limits {
		job, measured := r.Measured[limit.Job]
		if !measured {
			continue
		}
		own := findMeasurement(job, "arrowsort", limit.Way)
		fmt.Fprintf(&b, "| %s | %s |", limit.Title, own.cell())
		for _, engine := range engines[1:] {
			fmt.Fprintf(&b, " %s |", findMeasurement(job, engine, "").cell())
		}
		fmt.Fprintf(&b, " %s |\n", limit.compare(own, job))
	}
	priority := ""
	if r.Realtime > 0 {
		priority = ", at real-time priority"
	}
	b.WriteString("\n" + wrapped(fmt.Sprintf("Medians of %d runs or more, alternating, each in a separate process, "+
		"with %d threads%s; %s, row groups of %d rows, inputs in the page cache, outputs checked. Seconds of "+
		"arrowsort are those of its whole process, those of the others without the start of the interpreter. "+
		"Memory is the most resident memory that the system recorded, in MB. *Of the faster*: the time of arrowsort "+
		"as a multiple of that of the faster of Polars and DuckDB. %s How to repeat it: "+
		"[benchmarks](../benchmarks/README.md).", r.Runs, r.Threads, priority, r.Codec, r.RowGroup, r.where())) +
		"\n\n")
	return b.String()
}

func findMeasurement(job []parquetMeasurement, engine, way string) parquetMeasurement {
	for _, m := range job {
		if m.Engine == engine && (engine != "arrowsort" || m.Variant == way || way == "" && m.Variant == "default") {
			return m
		}
	}
	return parquetMeasurement{}
}

// cell is seconds and memory, and the limit that the memory had.
func (m parquetMeasurement) cell() string {
	if m.Error != "" {
		return "failed"
	}
	if m.Median == 0 {
		return ""
	}
	text := strconv.FormatFloat(m.Inner, 'g', 3, 64) + ", " + megabytes(m.Peak)
	if m.Limit > 0 {
		text += " (limit " + megabytes(m.Limit) + ")"
	}
	return text
}

func megabytes(bytes float64) string { return strconv.FormatFloat(bytes/1e6, 'f', 0, 64) }

// compare is the time as a multiple of the fastest rival's.
func (l parquetLimit) compare(own parquetMeasurement, job []parquetMeasurement) string {
	var seconds []float64
	for _, engine := range l.Rivals {
		if m := findMeasurement(job, engine, ""); m.Median > 0 {
			seconds = append(seconds, m.Inner)
		}
	}
	if own.Median == 0 || len(seconds) == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", own.Inner/slices.Min(seconds))
}

func TestParquetComparison(t *testing.T) {
	job := []parquetMeasurement{
		{Engine: "arrowsort", Variant: "default", Median: 0.5, Inner: 0.5, Peak: 90e6},
		{Engine: "arrowsort", Variant: "128MiB", Median: 0.8, Inner: 0.8, Peak: 150e6},
		{Engine: "polars", Median: 1.2, Inner: 1, Peak: 100e6},
		{Engine: "duckdb", Median: 3, Inner: 2, Peak: 60e6, Limit: 64e6}, {Engine: "pyarrow", Error: "killed"},
	}
	require.Equal(t, "0.50", parquetLimit{Rivals: []string{"polars", "duckdb"}}.compare(
		findMeasurement(job, "arrowsort", ""), job))
	require.Equal(t, "0.40", parquetLimit{Rivals: []string{"duckdb"}}.compare(
		findMeasurement(job, "arrowsort", "128MiB"), job))
	require.Equal(t, "2, 60 (limit 64)", findMeasurement(job, "duckdb", "").cell())
	require.Equal(t, "failed", findMeasurement(job, "pyarrow", "").cell())
	require.Equal(t, "", findMeasurement(job, "datafusion", "").cell())
}
