package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNoBarAmongTheRows: what is written to a terminal is not drawn over.
func TestNoBarAmongTheRows(t *testing.T) {
	in := file(t, "people.csv", people)
	for _, terminal := range []bool{true, false} {
		var out, err bytes.Buffer
		code := run(t.Context(), []string{"sort", "-k", "age:desc", "-o", "-", "--output-format", "csv", in},
			streams{out: &out, err: &err, outTerminal: terminal, errTerminal: true})
		require.Equal(t, 0, code, err.String())
		require.Equal(t, byAge, out.String())
		require.Contains(t, err.String(), "reading and sorting people.csv: ")
		require.Equal(t, !terminal, bytes.Contains(err.Bytes(), []byte("writing standard output")))
	}
}
