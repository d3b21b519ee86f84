package keyencode

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStride(t *testing.T) {
	const minute = 60_000_000
	for _, c := range []struct {
		values []int64
		want   uint64
	}{
		{[]int64{5, 5, 5}, 0}, {[]int64{minute, 3 * minute, -7 * minute}, 2 * minute},
		{[]int64{1 + minute, 1 + 4*minute, 1 - minute}, minute}, {[]int64{-1 << 63, 1<<63 - 1}, 1<<64 - 1},
		{[]int64{-1 << 63, 1<<63 - 1, 14}, 1}, {[]int64{0, 15, 10}, 5}, {[]int64{10, 15, 0}, 5},
		{[]int64{-1 << 63, -1<<63 + 12, -1<<63 + 4}, 4},
	} {
		cells := make([]cell, len(c.values))
		for i, v := range c.values {
			cells[i].raw = make([]byte, 8)
			putWord(cells[i].raw, 8, uint64(v))
		}
		column := build(rand.New(rand.NewPCG(1, 2)), Int64, 0, 0, nil, cells)
		s := Measure(&column, Key{}, 0, len(cells))
		require.Equal(t, c.want, s.Stride, "%v", c.values)
	}
}
