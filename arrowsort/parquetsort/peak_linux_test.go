//go:build !race

package parquetsort

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/internal/testrun"
)

// The table of docs/parquet.md: go test -run PeakMemory -v -timeout 1h -args -peak.cases flat/ -peak.bytes 400000000
// -peak.budget 67108864
var (
	peakCases  = flag.String("peak.cases", "", "TestPeakMemory: all cases whose names contain this, not a sample")
	peakBytes  = flag.Int64("peak.bytes", 60_000_000, "TestPeakMemory: bytes in memory of the rows of a case")
	peakBudget = flag.Int64("peak.budget", MinMemory, "TestPeakMemory: the budget")
)

// A peakCase is one entry of the matrix: a column next to a key, what is done with it, and the formats.
type peakCase struct {
	container peakContainer
	value     peakValue
	operation string
	from, to  string
	whole     bool // the rows are one row group or record batch of the file, else each of an eighth of the budget
}

func (c peakCase) String() string {
	batches := "small batches"
	if c.whole {
		batches = "one batch"
	}
	return fmt.Sprintf("%s/%s/%s/%s to %s/%s", c.container.name, c.value.name, c.operation, c.from, c.to, batches)
}

// peakMatrix is all cases: containers x values x operations x formats, but for types that a format does not have.
func peakMatrix() (cases []peakCase) {
	for _, container := range peakContainers() {
		for _, value := range peakValues() {
			for _, operation := range []string{"sort", "merge", "unique", "tail", "limit", "check", "stdin"} {
				for _, from := range []string{"parquet", "arrow", "arrows", "csv"} {
					for _, to := range []string{"parquet", "arrow", "arrows", "csv"} {
						for _, whole := range []bool{false, true} {
							c := peakCase{container, value, operation, from, to, whole}
							if c.exists() {
								cases = append(cases, c)
							}
						}
					}
				}
			}
		}
	}
	return cases
}

// exists reports whether a case is one: of two that are the same only the first is.
func (c *peakCase) exists() bool {
	flat := c.container.name == "flat"
	for _, format := range []string{c.from, c.to} {
		if format == "csv" && (!flat || c.value.dictionary()) || format == "parquet" && c.container.arrowOnly {
			return false
		}
	}
	switch {
	case c.container.extension && c.value.dictionary(), // which is read in pieces nowhere
		c.operation == "check" && (c.to != c.from || !flat),
		c.operation == "stdin" && (c.from != "arrows" || c.whole), // a batch is read whole
		c.whole && c.from != "parquet":
		return false
	}
	return true
}

// TestPeakMemory holds the promise of the memory: the process stays below the budget and 64 MB, whatever the rows are
// and whatever is done with them. It tries a few cases of the matrix, other ones for each seed, many with
// ARROWSORT_LONG=1, and first those that have failed. The race detector's own memory is several times what it watches.
func TestPeakMemory(t *testing.T) {
	for _, c := range peakSample() {
		t.Run(c.String(), func(t *testing.T) {
			defer func() {
				if t.Failed() {
					t.Logf("to repeat it: go test ./arrowsort/parquetsort -run TestPeakMemory -v -args -peak.cases %q",
						c.String())
				}
			}()
			c.run(t)
		})
	}
}

// TestPeakMemoryOfLargeBatches: those of an Arrow stream are a quarter of the budget here.
func TestPeakMemoryOfLargeBatches(t *testing.T) {
	if !testrun.Long() {
		return // it takes 3 s
	}
	folder := t.TempDir()
	schema := arrow.NewSchema([]arrow.Field{{Name: "key", Type: arrow.PrimitiveTypes.Int64}}, nil)
	in, out := filepath.Join(folder, "in.arrows"), filepath.Join(folder, "out.arrows")
	r := rand.New(rand.NewPCG(6, 7))
	generate(t, in, schema, 12, func(int) arrow.Record {
		b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		defer b.Release()
		for range 1_000_000 {
			b.Field(0).(*array.Int64Builder).Append(r.Int64())
		}
		return b.NewRecord()
	})
	requirePeak(t, 2*MinMemory, func() string {
		said, err := child(t, "measure", "sort", fmt.Sprint(2*MinMemory), "0", out, in).CombinedOutput()
		require.NoError(t, err, string(said))
		return string(said)
	})
}

// TestPeakMemoryOfManyColumns: where columns are many, arrays take as much as the values of a batch.
func TestPeakMemoryOfManyColumns(t *testing.T) {
	if !testrun.Long() {
		return // it takes half a minute
	}
	const columns, rows, batches, budget = 300, 25_000, 10, 64 << 20
	folder := t.TempDir()
	fields := []arrow.Field{{Name: "key", Type: arrow.PrimitiveTypes.Int64}}
	for i := range columns - 1 {
		fields = append(fields, arrow.Field{Name: fmt.Sprint(i), Type: arrow.PrimitiveTypes.Int64})
	}
	schema := arrow.NewSchema(fields, nil)
	in, out := filepath.Join(folder, "in.parquet"), filepath.Join(folder, "out.parquet")
	r := rand.New(rand.NewPCG(8, 9))
	generate(t, in, schema, batches, func(int) arrow.Record {
		b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		defer b.Release()
		for c := range columns {
			values := b.Field(c).(*array.Int64Builder)
			values.Reserve(rows)
			for range rows {
				values.UnsafeAppend(r.Int64())
			}
		}
		return b.NewRecord()
	})
	requirePeak(t, budget, func() string {
		said, err := child(t, "measure", "sort", fmt.Sprint(budget), "0", out, in).CombinedOutput()
		require.NoError(t, err, string(said))
		return string(said)
	})
	require.EqualValues(t, batches*rows, digestRows(t, out))
}

// peakSample are the cases that are run.
func peakSample() (cases []peakCase) {
	all := peakMatrix()
	if *peakCases != "" {
		for _, c := range all {
			if strings.Contains(c.String(), *peakCases) {
				cases = append(cases, c)
			}
		}
		return cases
	}
	count := 3
	if testrun.Long() {
		count = 100
	}
	r := rand.New(rand.NewPCG(testrun.Seed(), 29))
	for _, i := range r.Perm(len(all))[:count] {
		cases = append(cases, all[i])
	}
	return cases
}

// run makes the files of a case and measures the process that works on them.
func (c *peakCase) run(t *testing.T) {
	folder := t.TempDir()
	files := 1
	if c.operation == "merge" {
		files = 3
	}
	var inputs []string
	rows := int64(0)
	for i := range files {
		in := filepath.Join(folder, fmt.Sprintf("in%d.%s", i, c.from))
		rows += c.write(t, in, *peakBytes/int64(files))
		inputs = append(inputs, in)
	}
	out := filepath.Join(folder, "out."+c.to)
	arguments := append([]string{c.operation, fmt.Sprint(*peakBudget), fmt.Sprint(rows), out}, inputs...)
	requirePeak(t, *peakBudget, func() string {
		process := child(t, "measure", arguments...)
		if c.operation == "stdin" {
			in, err := os.Open(inputs[0])
			require.NoError(t, err)
			defer in.Close()
			process.Stdin = in
		}
		said, err := process.CombinedOutput()
		require.NoError(t, err, string(said))
		return string(said)
	})
	if c.operation == "sort" || c.operation == "merge" || c.operation == "stdin" {
		require.Equal(t, rows, digestRows(t, out))
	}
}

// requirePeak runs a process that has a budget, which returns its /proc/self/status, until its greatest resident memory
// is within the promise, three times at most: how much garbage there is depends on what else the machine does.
func requirePeak(t *testing.T, budget int64, run func() (status string)) {
	const beside = 64_000_000 // the program itself, what the runtime keeps, what encoding takes
	var peak int64            // KiB
	for range 3 {
		for line := range strings.Lines(run()) {
			if text, ok := strings.CutPrefix(line, "VmHWM:"); ok {
				_, err := fmt.Sscanf(text, "%d kB", &peak)
				require.NoError(t, err)
			}
		}
		t.Logf("peak %d MB", peak<<10/1e6)
		require.Positive(t, peak)
		if peak<<10 < budget+beside {
			return
		}
	}
	t.Fatalf("the process took %d MB of %d", peak<<10/1e6, (budget+beside)/1e6)
}
