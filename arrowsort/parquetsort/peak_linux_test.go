//go:build !race

package parquetsort

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/internal/testrun"
)

// The race detector's own memory is several times what it watches: this holds for ordinary builds.
func TestPeakMemoryStaysWithinTheBudget(t *testing.T) {
	for name, input := range map[string]func(t *testing.T, folder string) string{
		"numbers": func(t *testing.T, folder string) string { return manyNumbers(t, folder, "in.parquet") },
		"wide":    manyColumns, "strings": longStrings, "nested": nestedRows,
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			in, out := input(t, folder), filepath.Join(folder, "out.parquet")
			requirePeak(t, in, out, MinMemory)
			require.Equal(t, digestOf(t, in), digestOf(t, out))
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
	requirePeak(t, in, out, 2*MinMemory)
}

// requirePeak sorts a file in a process that has a budget, whose memory stays below the budget and 64 MB.
func requirePeak(t *testing.T, in, out string, budget int64) {
	said, err := child(t, "measure", in, out, filepath.Dir(out), fmt.Sprint(budget)).CombinedOutput()
	require.NoError(t, err, string(said))
	const beside = 64_000_000 // the program itself, what the runtime keeps, what encoding takes
	var peak int64            // KiB
	for line := range strings.Lines(string(said)) {
		if text, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			_, err := fmt.Sscanf(text, "%d kB", &peak)
			require.NoError(t, err)
		}
	}
	t.Logf("peak %d MB", peak<<10/1e6)
	require.Positive(t, peak)
	require.Less(t, peak<<10, budget+beside)
}

// manyColumns is a file of 80 columns, whose pages take twice the budget if all are read side by side.
func manyColumns(t *testing.T, folder string) string {
	fields := []arrow.Field{{Name: "key", Type: arrow.PrimitiveTypes.Int64}}
	for i := range 79 {
		typ := []arrow.DataType{arrow.PrimitiveTypes.Float64, arrow.PrimitiveTypes.Int64}[i%2]
		fields = append(fields, arrow.Field{Name: fmt.Sprint("c", i), Type: typ, Nullable: i%3 == 0})
	}
	return written(t, folder, arrow.NewSchema(fields, nil), 1, 60_000)
}

// longStrings is a file of three columns of strings of up to 120 bytes.
func longStrings(t *testing.T, folder string) string {
	fields := []arrow.Field{{Name: "key", Type: arrow.BinaryTypes.String},
		{Name: "b", Type: arrow.BinaryTypes.String, Nullable: true}, {Name: "c", Type: arrow.BinaryTypes.Binary}}
	return written(t, folder, arrow.NewSchema(fields, nil), 4, 60_000)
}

// nestedRows is a file of lists and structs.
func nestedRows(t *testing.T, folder string) string {
	fields := []arrow.Field{{Name: "key", Type: arrow.PrimitiveTypes.Int64},
		{Name: "list", Type: arrow.ListOf(arrow.PrimitiveTypes.Int64), Nullable: true},
		{Name: "s", Type: arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Float64},
			arrow.Field{Name: "text", Type: arrow.BinaryTypes.String, Nullable: true})}}
	return written(t, folder, arrow.NewSchema(fields, nil), 6, 50_000)
}

// written is a file of random rows.
func written(t *testing.T, folder string, schema *arrow.Schema, batches, rows int) string {
	path := filepath.Join(folder, "in.parquet")
	r := rand.New(rand.NewPCG(6, 6))
	generate(t, path, schema, batches, func(int) arrow.Record {
		b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		defer b.Release()
		for i, f := range b.Fields() {
			for range rows {
				appendRandom(f, r, schema.Field(i).Nullable)
			}
		}
		return b.NewRecord()
	})
	return path
}

func appendRandom(b array.Builder, r *rand.Rand, nullable bool) {
	if nullable && r.IntN(10) == 0 {
		b.AppendNull()
		return
	}
	switch b := b.(type) {
	case *array.Int64Builder:
		b.Append(r.Int64())
	case *array.Float64Builder:
		b.Append(r.NormFloat64())
	case *array.StringBuilder:
		b.Append(strings.Repeat(string(rune('a'+r.IntN(26))), r.IntN(60)) +
			fmt.Sprint(r.Uint64(), r.Uint64(), r.Uint64()))
	case *array.BinaryBuilder:
		b.Append(fmt.Append(nil, r.Uint64(), r.Uint64()))
	case *array.ListBuilder:
		b.Append(true)
		for range r.IntN(6) {
			appendRandom(b.ValueBuilder(), r, false)
		}
	case *array.StructBuilder:
		b.Append(true)
		for i := range b.NumField() {
			appendRandom(b.FieldBuilder(i), r, i == 1)
		}
	}
}
