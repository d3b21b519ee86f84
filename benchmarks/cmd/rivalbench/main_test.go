package main

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"
)

// table has random keys and the numbers of the rows.
func table(t *testing.T, rows int) arrow.Record {
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{
		{Name: "key", Type: arrow.PrimitiveTypes.Int64}, {Name: "row", Type: arrow.PrimitiveTypes.Int64}}, nil))
	defer b.Release()
	r := rand.New(rand.NewPCG(11, uint64(rows)))
	for row := range rows {
		b.Field(0).(*array.Int64Builder).Append(int64(r.Uint64()))
		b.Field(1).(*array.Int64Builder).Append(int64(row))
	}
	rec := b.NewRecord()
	t.Cleanup(rec.Release)
	return rec
}

// ask runs commands in a mode and returns what was answered to each, the greeting first.
func ask(t *testing.T, mode string, rec arrow.Record, commands ...string) ([]map[string]any, error) {
	w, err := newWork(mode, rec, []string{"key"})
	require.NoError(t, err)
	var out bytes.Buffer
	err = answer(t.Context(), w, rec.NumRows(), strings.NewReader(strings.Join(commands, "\n")), &out)
	var replies []map[string]any
	for decoder := json.NewDecoder(&out); decoder.More(); {
		var reply map[string]any
		require.NoError(t, decoder.Decode(&reply))
		replies = append(replies, reply)
	}
	return replies, err
}

func TestModesRunAndSave(t *testing.T) {
	for mode, variants := range map[string][]any{
		"sort": {"arrowsort", "recycled"}, "argsort": {"arrowsort"}, "small": {"arrowsort", "slices"}, "copy": {"copy"},
		"memory": {"arrowsort"},
	} {
		for _, variant := range variants {
			file := filepath.Join(t.TempDir(), "saved.arrow")
			replies, err := ask(t, mode, table(t, 3000), "run "+variant.(string), "save "+variant.(string)+" "+file)
			require.NoError(t, err, mode)
			require.Equal(t, map[string]any{"ready": true, "rows": 3000.0, "variants": variants}, replies[0], mode)
			require.Positive(t, replies[1]["seconds"], mode)

			saves := variant == "arrowsort" || variant == "recycled"
			require.Equal(t, map[string]any{"saved": saves}, replies[2], mode)
			if saves {
				saved, err := load(file, 0)
				require.NoError(t, err, mode)
				requireSorted(t, table(t, 3000), saved)
				saved.Release()
			}
		}
	}
}

// requireSorted accepts sorted records and records of row numbers.
func requireSorted(t *testing.T, input, saved arrow.Record) {
	require.EqualValues(t, input.NumRows(), saved.NumRows())
	key := saved.Column(0)
	if saved.ColumnName(0) == "index" {
		builder := array.NewInt64Builder(memory.DefaultAllocator)
		for _, row := range key.(*array.Uint64).Uint64Values() {
			builder.Append(input.Column(0).(*array.Int64).Value(int(row)))
		}
		key = builder.NewArray()
	}
	require.IsNonDecreasing(t, key.(*array.Int64).Int64Values())
}

func TestLoadTakesLeadingRows(t *testing.T) {
	file := filepath.Join(t.TempDir(), "table.arrow")
	rec := table(t, 100)
	require.NoError(t, store(file, rec))
	for rows, want := range map[int]int64{0: 100, 7: 7, 100: 100, 200: 100} {
		got, err := load(file, rows)
		require.NoError(t, err)
		require.True(t, array.RecordEqual(rec.NewSlice(0, want), got), "rows %d", rows)
		got.Release()
	}
}

func TestErrors(t *testing.T) {
	rec := table(t, 10)
	_, err := newWork("shuffle", rec, []string{"key"})
	require.ErrorContains(t, err, `unknown -mode "shuffle"`)
	_, err = load(filepath.Join(t.TempDir(), "none.arrow"), 0)
	require.ErrorContains(t, err, "none.arrow")
	for command, want := range map[string]string{
		"run":               "want run VARIANT",
		"run slices":        "no such variant: use one of arrowsort",
		"dance arrowsort":   "unknown command",
		"save arrowsort":    "unknown command",
		"run arrowsort now": "unknown command",
	} {
		_, err := ask(t, "sort", rec, command)
		require.ErrorContains(t, err, want, command)
	}
	w, err := newWork("sort", rec, []string{"nokey"})
	require.NoError(t, err)
	require.ErrorContains(t, answer(t.Context(), w, 10, strings.NewReader("run arrowsort"), &bytes.Buffer{}), "nokey")
}

func TestCopyParallel(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	r := rand.New(rand.NewPCG(1, 1))
	for _, size := range []int{0, 1, 2, 3, 4095, 4096, 4097, 3 << 20, 5<<20 + 7} {
		src := make([]byte, size)
		for i := range src {
			src[i] = byte(r.Uint32())
		}
		require.Equal(t, src, copyParallel(src), "size %d", size)
	}
}

func TestPeakAllocator(t *testing.T) {
	a := &peakAllocator{Allocator: memory.NewGoAllocator()}
	first := a.Allocate(1000)
	second := a.Allocate(500)
	a.Free(first)
	second = a.Reallocate(800, second) // 500 and 800 are live at once
	require.EqualValues(t, 800, a.live)
	require.EqualValues(t, 1500, a.peak)
	require.EqualValues(t, 2300, a.total)
	third := a.Allocate(900)
	require.EqualValues(t, 1700, a.peak)
	a.Free(second)
	a.Free(third)
	require.Zero(t, a.live)
}
