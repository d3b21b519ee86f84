package keyencode

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAppendRuns(t *testing.T) {
	p := &Plan{words: 3, segments: []segment{{words: 3, bits: 64}}}
	before := []Run{{Hi: 2, Word: 1}}
	require.Equal(t, before, p.AppendRuns(before, nil, 0, 0))
	require.Equal(t, before, p.AppendRuns(before, []uint64{1, 2, 3}, 0, 0), "no row ties")
	after := append(before, Run{Lo: 100, Hi: 102, Word: 1}, Run{Lo: 103, Hi: 106, Word: 1})
	require.Equal(t, after, p.AppendRuns(before, []uint64{7, 7, 8, 9, 9, 9}, 0, 100))
	require.Equal(t, []Run{{Hi: 2, Word: 2}}, p.AppendRuns(nil, []uint64{7, 7}, 1, 0))
	require.Empty(t, p.AppendRuns(nil, []uint64{7, 7}, 2, 0), "no word is left that differs")
}
