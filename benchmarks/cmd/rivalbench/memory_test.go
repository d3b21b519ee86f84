package main

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"
)

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
