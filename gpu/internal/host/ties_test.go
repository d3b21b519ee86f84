package host

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/internal/tiebreak"
	"github.com/arrowsort/arrowsort/keyencode"
)

// TestBreakTies sorts strings by their leading words alone and then what ties.
func TestBreakTies(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 3))
		c, _ := texts(r, keyencode.LargeBinary, []int{1 + r.IntN(6000), r.IntN(3000)})
		c, all := doubled(c)
		key := keyencode.Key{Column: 0, Order: keyencode.Order(seed % 2)}
		columns := []keyencode.Column{c}
		plan, err := keyencode.NewPlan(columns, []keyencode.Key{key},
			[]keyencode.Statistics{keyencode.Measure(&columns[0], key, 0, len(all))})
		require.NoError(t, err)

		rows := make([]uint32, len(all))
		for i := range rows {
			rows[i] = uint32(i)
		}
		codes := make([]uint64, len(all))
		plan.Encode(codes, 0)
		slices.SortStableFunc(rows, func(a, b uint32) int { return cmp.Compare(codes[a], codes[b]) })
		slices.Sort(codes)
		runs := tiebreak.AppendRuns(nil, plan, codes, 0, 0)
		require.NoError(t, NewWorkers(t.Context(), 2).BreakTies(plan, rows, runs))

		want := make([]uint32, len(all))
		for i := range want {
			want[i] = uint32(i)
		}
		slices.SortStableFunc(want, func(a, b uint32) int {
			order := strings.Compare(all[a], all[b])
			if key.Order == keyencode.Descending {
				return -order
			}
			return order
		})
		require.Equal(t, want, rows, "seed %d", seed)
	}
}

// doubled makes strings that share their first 20 bytes with many others.
func doubled(c keyencode.Column) (keyencode.Column, []string) {
	s := newStringColumn[int64](&c)
	var all []string
	for row := range c.Rows() {
		text := s.at(row)
		end := text[:min(len(text), 2)]
		all = append(all, strings.Repeat(string(text[len(text)-min(len(text), 1):]), 20)+string(end)+strings.Repeat("-",
			7)+string(end))
	}
	offsets := make([]int64, 1, len(all)+1)
	var data []byte
	for _, text := range all {
		data = append(data, text...)
		offsets = append(offsets, int64(len(data)))
	}
	values := make([]byte, 8*len(offsets))
	copy(buffers.View[int64](values), offsets)
	return keyencode.Column{Kind: keyencode.LargeBinary,
		Chunks: []keyencode.Chunk{{Rows: len(all), Values: values, Data: [][]byte{data}}}}, all
}
