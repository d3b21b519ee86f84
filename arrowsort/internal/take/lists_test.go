package take

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
)

// TestChildRows: ranges that follow one another share the child's memory, others are copied.
func TestChildRows(t *testing.T) {
	mem := arrowtest.Checked(t)
	b := array.NewInt32Builder(memory.NewGoAllocator())
	b.AppendValues([]int32{0, 1, 2, 3, 4, 5}, nil)
	child := b.NewArray().Data()
	for _, c := range []struct {
		ranges [][2]int
		want   []int32
		copied bool
	}{
		{nil, nil, false}, {[][2]int{{3, 3}}, nil, false},
		{[][2]int{{1, 3}, {3, 3}, {3, 5}}, []int32{1, 2, 3, 4}, false},
		{[][2]int{{4, 6}, {0, 1}}, []int32{4, 5, 0}, true}, {[][2]int{{1, 2}, {3, 4}, {4, 5}}, []int32{1, 3, 4}, true},
		{[][2]int{{2, 3}, {2, 3}}, []int32{2, 2}, true},
	} {
		var rows ChildRows
		for _, r := range c.ranges {
			rows.Add(r[0], r[1])
		}
		require.Equal(t, len(c.want), rows.Count)
		got, err := rows.Of(child, mem)
		require.NoError(t, err)
		require.Equal(t, c.copied, mem.CurrentAlloc() > 0, "%v", c.ranges)
		values := arrow.Int32Traits.CastFromBytes(got.Buffers()[1].Bytes())[got.Offset():][:got.Len()]
		require.Equal(t, c.want, append([]int32(nil), values...))
		got.Release()
	}
}
