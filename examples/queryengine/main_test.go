package main

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/examples/internal/doctest"
)

func TestOutput(t *testing.T) {
	doctest.Check(t, func(w io.Writer) error { return run(t.Context(), w) })
}

func TestMergeJoin(t *testing.T) {
	left, right := mergeJoin([]int32{1, 2, 2, 5}, []int32{2, 3, 5, 9})
	require.Equal(t, []uint32{1, 2, 3}, left)
	require.Equal(t, []uint32{0, 0, 2}, right)
	left, right = mergeJoin([]int32{1, 2}, []int32{3})
	require.Empty(t, left)
	require.Empty(t, right)
}

func TestGroupBorders(t *testing.T) {
	require.Equal(t, []int{0, 2, 3, 6}, groupBorders([]int32{4, 4, 5, 9, 9, 9}))
	require.Equal(t, []int{0}, groupBorders(nil))
}
