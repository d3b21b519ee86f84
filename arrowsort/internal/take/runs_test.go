package take

import (
	"math/rand/v2"
	gostrings "strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
)

func runsOf(t *testing.T, mem memory.Allocator, ends, values string, valueType arrow.DataType, rows int) arrow.Array {
	t.Helper()
	e, _, err := array.FromJSON(mem, arrow.PrimitiveTypes.Int32, gostrings.NewReader(ends))
	require.NoError(t, err)
	defer e.Release()
	v, _, err := array.FromJSON(mem, valueType, gostrings.NewReader(values))
	require.NoError(t, err)
	defer v.Release()
	return array.NewRunEndEncodedArray(e, v, rows, 0)
}

func TestRunsAreMerged(t *testing.T) {
	str, list := arrow.BinaryTypes.String, arrow.ListOf(arrow.PrimitiveTypes.Int8)
	for _, c := range []struct {
		name, ends, values string
		typ                arrow.DataType
		rows               []uint32
		wantEnds           []int32
		want               string
	}{
		{"rows of one run", `[3, 5]`, `["a", "b"]`, str, []uint32{0, 2, 1, 4, 3, 0}, []int32{3, 5, 6}, `["a" "b" "a"]`},
		{"equal runs", `[1, 2, 3, 4]`, `["a", "b", "a", "a"]`, str, []uint32{0, 2, 3, 1}, []int32{3, 4}, `["a" "b"]`},
		{"null runs", `[1, 2, 3]`, `[null, "", null]`, str, []uint32{0, 2, 1, 2}, []int32{2, 3, 4},
			`[(null) "" (null)]`},
		{"one run", `[9]`, `["a"]`, str, []uint32{8, 0, 3}, []int32{3}, `["a"]`},
		{"none", `[9]`, `["a"]`, str, nil, []int32{}, `[]`},
		{"equal lists", `[2, 3, 4]`, `[[1], [1], [2]]`, list, []uint32{0, 1, 2, 3}, []int32{3, 4}, `[[1] [2]]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			mem := arrowtest.Checked(t)
			arr := runsOf(t, mem, c.ends, c.values, c.typ, 3)
			defer arr.Release()
			// The array is three rows long for Arrow; its data is as long as its runs.
			data := arr.Data().(*array.Data).Copy()
			defer data.Release()
			ends := arr.(*array.RunEndEncoded).RunEndsArr().(*array.Int32).Int32Values()
			data.Reset(arr.DataType(), int(ends[len(ends)-1]), data.Buffers(), data.Children(), 0, 0)
			whole := array.MakeFromData(data)
			defer whole.Release()
			got, err := Take(t.Context(), whole.DataType(), []arrow.Array{whole}, c.rows, Options{Allocator: mem})
			require.NoError(t, err)
			defer releaseAll(got)
			r := got[0].(*array.RunEndEncoded)
			require.Equal(t, c.wantEnds, append([]int32{}, r.RunEndsArr().(*array.Int32).Int32Values()...))
			require.Equal(t, c.want, r.Values().String())
		})
	}
}

func TestRunSourceFindsTheRunOfEveryRow(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	g := newGatherer(t.Context(), Options{Allocator: mem}, 0)
	for trial := range 300 {
		var ends []int32
		var want []int
		for run := range 1 + rng.IntN(50) {
			for range 1 + rng.IntN(1+rng.IntN(40)) {
				want = append(want, run)
			}
			ends = append(ends, int32(len(want)))
		}
		for _, lookups := range []int{0, 1, 50, 10_000} {
			offset := rng.IntN(len(want))
			s := runSource[int32]{ends: ends, offset: offset, rows: len(want) - offset, values: len(ends)}
			table, err := s.index(g, lookups)
			require.NoError(t, err)
			for row := range s.rows {
				require.Equal(
					t, want[offset+row], s.find(row), "trial %d, %d look-ups, row %d after %d", trial, lookups, row,
					offset,
				)
			}
			table.Release()
		}
	}
	mem.AssertSize(t, 0)
}
