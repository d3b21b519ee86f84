package arrow18_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/arrow18"
	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu"
)

// A witness is an engine that remembers the buffers of jobs and results.
type witness struct {
	engine.Engine
	in, out [][]byte
}

func (w *witness) Sort(ctx context.Context, job *engine.Job, mem engine.Allocator) (*engine.Result, error) {
	for _, c := range job.Columns {
		w.in = append(w.in, c.Chunks[0].Values)
		w.in = append(w.in, c.Chunks[0].Data...)
	}
	result, err := w.Engine.Sort(ctx, job, mem)
	if err == nil {
		for _, c := range result.Columns {
			w.out = append(w.out, c.Values, c.Data)
		}
	}
	return result, err
}

// has reports whether one of the buffers is at the address of b.
func has(buffers [][]byte, b []byte) bool {
	return slices.ContainsFunc(buffers, func(x []byte) bool { return len(x) > 0 && &x[0] == &b[0] })
}

func TestNothingIsCopied(t *testing.T) {
	mem := arrowtest.Checked(t)
	rec := record(t, []string{"a", "b", "c"},
		fromJSON(t, mem, &arrow.Decimal64Type{Precision: 5}, `["3", null, "1"]`),
		fromJSON(t, mem, arrow.BinaryTypes.String, `["x", "", "zz"]`),
		fromJSON(t, mem, arrow.PrimitiveTypes.Float64, `[1, 2, 3]`))
	w := &witness{Engine: cpu.New()}
	sorted, err := arrow18.Sort(t.Context(), rec, by("a"), arrow18.Options{Allocator: mem, Engine: w})
	require.NoError(t, err)
	defer sorted.Release()
	for i, c := range rec.Columns() {
		for k, b := range c.Data().Buffers()[1:] {
			require.True(t, has(w.in, b.Bytes()), "column %d, buffer %d of the input", i, k+1)
			require.True(t, has(w.out, sorted.Column(i).Data().Buffers()[k+1].Bytes()), "of the result")
		}
	}
}

// A result holds what it shares with its input, and is held by nothing else; data that is sorted again and again keeps
// the buffers that it had, not wrappers of them.
func TestResultsShareDictionariesAndViews(t *testing.T) {
	mem := arrowtest.Checked(t)
	index := fromJSON(t, mem, arrow.PrimitiveTypes.Int8, `[2, null, 0, 1]`)
	entries := fromJSON(t, mem, &arrow.Decimal32Type{Precision: 5}, `["3", "2", "1"]`)
	dict := array.NewDictionaryArray(
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: entries.DataType()}, index, entries)
	defer dict.Release()
	views := fromJSON(t, mem, arrow.BinaryTypes.StringView, `["b", "more than twelve bytes", null, "a"]`)
	rec := record(t, []string{"d", "v"}, dict, views)

	sorted := rec
	sorted.Retain()
	for i := range 20 {
		key := []arrowsort.Key{{Path: "d", Order: arrowsort.Order(i % 2)}, {Path: "v"}}
		next, err := arrow18.Sort(t.Context(), sorted, key, arrow18.Options{Allocator: mem})
		require.NoError(t, err)
		sorted.Release()
		sorted = next
	}
	defer sorted.Release()
	require.Same(t, entries.Data().Buffers()[1], sorted.Column(0).Data().Dictionary().Buffers()[1])
	require.Same(t, views.Data().Buffers()[2], sorted.Column(1).Data().Buffers()[2])
	require.Equal(t, `[(null) "a" "b" "more than twelve bytes"]`, sorted.Column(1).String())
}

func TestResultsOutliveTheirInput(t *testing.T) {
	mem := arrowtest.Checked(t)
	views, _, err := array.FromJSON(mem, arrow.BinaryTypes.StringView,
		strings.NewReader(`["more than twelve bytes", null, "also more than twelve"]`))
	require.NoError(t, err)
	sorted, err := arrow18.Sort(t.Context(), views, nil, arrow18.Options{Allocator: mem})
	require.NoError(t, err)
	views.Release()
	require.Equal(t, `["also more than twelve" "more than twelve bytes" (null)]`, sorted.String())
	require.NotZero(t, mem.CurrentAlloc())
	sorted.Release()
	require.Zero(t, mem.CurrentAlloc())
}
