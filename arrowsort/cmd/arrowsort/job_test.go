package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestNoBarAmongTheRows: what is written to a terminal is not drawn over.
func TestNoBarAmongTheRows(t *testing.T) {
	defer func(usual time.Duration) { drawEvery = usual }(drawEvery)
	drawEvery = time.Millisecond
	in := wideText(t)
	for _, terminal := range []bool{true, false} {
		var out bytes.Buffer
		shown := newScreen(80)
		status := &statusLine{terminal: shown, width: func() int { return 80 }}
		code := run(t.Context(), []string{"sort", "-k", "n:desc", "-o", "-", "--output-format", "csv", in},
			streams{out: &out, err: status, outTerminal: terminal, status: status})
		require.Equal(t, 0, code, shown.text())
		require.Equal(t, 60_001, bytes.Count(out.Bytes(), []byte("\n")))
		shows := func(phase string) bool {
			return slices.ContainsFunc(shown.drawings, func(s string) bool { return strings.HasPrefix(s, phase) })
		}
		require.True(t, shows("reading and sorting in.csv "))
		require.Equal(t, !terminal, shows("merging and writing standard output "))
	}
}
