package repotest

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the figures of documents from the newest files of benchmarks/results")

const (
	figuresBegin = "<!-- figures: written by `make figures` from benchmarks/results; do not edit -->\n"
	figuresEnd   = "<!-- end of figures -->"
)

// readmeRows is how many rows README's table has at most.
const readmeRows = 10

// TestEngineFigures compares the figures of README and docs/figures.md with the newest results, or writes them: make
// figures. README has some rows of the table, docs/figures.md all.
func TestEngineFigures(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, "benchmarks", "results", "*[0-9].json"))
	require.NoError(t, err)
	require.NotEmpty(t, files, "there are no results: run make rivals")
	newest := parseResults(t, slices.Max(files)) // names are dates
	all := jobs(t)
	few := slices.DeleteFunc(slices.Clone(all), func(j job) bool { return !j.Readme })
	require.LessOrEqual(t, len(few), readmeRows)
	checkFigures(t, "README.md", newest.table(few)+newest.conditions(
		"[All figures](docs/figures.md); [how it was measured](benchmarks/README.md)."))
	checkFigures(t, "docs/figures.md", newest.table(all)+newest.conditions(
		"How it was measured, and how to repeat it: [benchmarks](../benchmarks/README.md).")+threadsTable(t, all))
}

// A job is a row of the tables and of the charts, which benchmarks/figures draws.
type job struct {
	Job, Title string
	Readme     bool
}

func jobs(t *testing.T) (all []job) {
	text := read(t, "benchmarks/figures/jobs.json")
	require.NoError(t, json.Unmarshal([]byte(text), &all))
	return all
}

// threadsTable is the newest comparison on another machine, with few and with many threads: files whose names are a
// date, the machine, and the number of threads.
func threadsTable(t *testing.T, jobs []job) string {
	files, err := filepath.Glob(filepath.Join(root, "benchmarks", "results", "*-threads.json"))
	require.NoError(t, err)
	if len(files) == 0 {
		return ""
	}
	newest := filepath.Base(slices.Max(files))[:len("2006-01-02")]
	var runs []results
	for _, file := range files {
		if strings.HasPrefix(filepath.Base(file), newest) {
			runs = append(runs, parseResults(t, file))
		}
	}
	slices.SortFunc(runs, func(a, b results) int { return a.Threads - b.Threads })
	return sideBySide(runs, jobs)
}

// checkFigures compares the figures of a document with those of the results, or writes them.
func checkFigures(t *testing.T, document, want string) {
	text := read(t, document)
	head, rest, found := strings.Cut(text, figuresBegin)
	require.True(t, found, "%s has no place for figures", document)
	is, tail, found := strings.Cut(rest, figuresEnd)
	require.True(t, found, "the place for figures of %s has no end", document)
	if *update {
		require.NoError(t, os.WriteFile(filepath.Join(root, document), []byte(head+figuresBegin+want+figuresEnd+tail),
			0o644))
		return
	}
	require.Equal(t, want, is, "the figures of %s are not those of benchmarks/results: run make figures", document)
}

// results are a file that benchmarks/rivals writes.
type results struct {
	Machine struct {
		Date, CPU string
		Cores     int
		MemoryGiB float64 `json:"memory_gib"`
		HugePages string  `json:"huge_pages"`
		Versions  map[string]string
	}
	Threads, Runs int
	Scale         float64
	Jobs          map[string][]measurement
}

// A measurement is the median of one engine's way to do a job, in seconds; inner without the start of an interpreter.
type measurement struct {
	Engine, Variant, Error string
	Median, Inner, Bytes   float64
}

func parseResults(t *testing.T, path string) results {
	var r results
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &r), path)
	require.Equal(t, 1.0, r.Scale, "%s is not of full size", path)
	return r
}

var (
	engines = []string{"arrowsort", "polars", "duckdb", "datafusion", "pyarrow"}
	names   = map[string]string{
		"polars": "Polars", "duckdb": "DuckDB", "datafusion": "DataFusion", "pyarrow": "Arrow C++",
	}
)

func (r results) table(jobs []job) string {
	var b strings.Builder
	versions := r.Machine.Versions
	fmt.Fprintf(&b, "\n| seconds | arrowsort | Polars %s | DuckDB %s | DataFusion %s | Arrow C++ %s "+
		"|\n|---|---|---|---|---|---|\n",
		versions["polars"], versions["duckdb"], versions["datafusion"], versions["pyarrow"])
	for _, job := range jobs {
		measured := r.Jobs[job.Job]
		if len(measured) == 0 {
			continue
		}
		fmt.Fprintf(&b, "| %s |", job.Title)
		for _, engine := range engines {
			fmt.Fprintf(&b, " %s |", fastest(measured, engine))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// conditions is the paragraph below the table.
func (r results) conditions(links string) string {
	text := fmt.Sprintf("Medians of %d runs, alternating, with %d threads; each engine by its fastest way, and an "+
		"empty cell where it has none or was not measured. %s", r.Runs, r.Threads, r.where())
	for _, m := range r.Jobs["memory"] {
		text += fmt.Sprintf(" Temp memory of the first job, in addition to input and output: %.1f MiB.",
			m.Bytes/(1<<20))
	}
	return "\n" + wrapped(text+" "+links) + "\n\n"
}

// sideBySide is a table of runs with different numbers of threads on one machine: arrowsort, into fresh and into
// recycled memory, and the fastest other.
func sideBySide(runs []results, jobs []job) string {
	var b strings.Builder
	b.WriteString("| seconds |")
	for _, r := range runs {
		fmt.Fprintf(&b, " %d threads | recycled memory | the fastest other |", r.Threads)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|---|---|", len(runs)) + "\n")
	for _, job := range jobs {
		if !slices.ContainsFunc(runs, func(r results) bool { return len(r.Jobs[job.Job]) > 0 }) {
			continue
		}
		fmt.Fprintf(&b, "| %s |", job.Title)
		for _, r := range runs {
			measured := r.Jobs[job.Job]
			var recycled []measurement
			for _, m := range measured {
				if m.Variant == "recycled" {
					m.Variant = ""
					recycled = append(recycled, m)
				}
			}
			fmt.Fprintf(&b, " %s | %s | %s |", fastest(measured, "arrowsort"), fastest(recycled, "arrowsort"),
				fastestOther(measured))
		}
		b.WriteString("\n")
	}
	first, last := runs[0], runs[len(runs)-1]
	b.WriteString("\n" + wrapped(fmt.Sprintf("Another machine, where stores to lines in no cache are slow, medians of "+
		"at least %d runs, memory given back between them; fewer threads than there are processors run on the first "+
		"ones, which may share a core; *recycled* is with [NewRecycler](faq.md#memory), which keeps memory as the "+
		"allocators of the others do. %s",
		min(first.Runs, last.Runs), last.where())) + "\n\n")
	return b.String()
}

// fastestOther is the best median of the other engines, and its engine.
func fastestOther(job []measurement) string {
	best, other := "", ""
	for _, engine := range engines[1:] {
		text := fastest(job, engine)
		if seconds, err := strconv.ParseFloat(text, 64); err == nil {
			if least, err := strconv.ParseFloat(best, 64); err != nil || seconds < least {
				best, other = text, engine
			}
		}
	}
	return strings.TrimSpace(best + " " + names[other])
}

// where is when and on what the results were measured.
func (r results) where() string {
	m := r.Machine
	return fmt.Sprintf("Measured on %s at commit %s, on %s, %d cores, %.3g GiB, %s, huge pages: %s.",
		m.Date[:len("2006-01-02")], m.Versions["arrowsort"], m.CPU, m.Cores, m.MemoryGiB, m.Versions["go"], m.HugePages)
}

// wrapped breaks a paragraph into lines.
func wrapped(text string) string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > maxColumns {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return strings.Join(append(lines, line), "\n")
}

// fastest is the best median of an engine; its results are wrong or missing when it says failed.
func fastest(job []measurement, engine string) string {
	best := 0.0
	for _, m := range job {
		if m.Engine != engine || engine == "arrowsort" && (m.Variant == "slices" || m.Variant == "recycled") {
			continue
		}
		if m.Error != "" {
			return "failed"
		}
		seconds := m.Median
		if m.Inner > 0 {
			seconds = m.Inner
		}
		if best == 0 || seconds < best {
			best = seconds
		}
	}
	if best == 0 {
		return ""
	}
	return strconv.FormatFloat(best, 'g', 3, 64)
}

func TestFastestWay(t *testing.T) {
	job := []measurement{
		{Engine: "polars", Variant: "sort", Median: 0.8312}, {Engine: "polars", Variant: "stable", Median: 0.9},
		{Engine: "duckdb", Median: 1.5, Inner: 1.25},
		{Engine: "pyarrow", Error: "killed"},
	}
	require.Equal(t, "0.831", fastest(job, "polars"))
	require.Equal(t, "1.25", fastest(job, "duckdb"))
	require.Equal(t, "failed", fastest(job, "pyarrow"))
	require.Equal(t, "", fastest(job, "datafusion"))
	require.Equal(t, "0.831 Polars", fastestOther(job))
	require.Equal(t, "", fastestOther(nil))
}
