// Package doctest tests that an example prints what its doc comment says.
package doctest

import (
	"bytes"
	"go/parser"
	"go/token"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Check runs an example and compares what it prints with the output in the package comment of main.go: the lines of the
// indented block that starts with a command.
func Check(t *testing.T, run func(w io.Writer) error) {
	t.Helper()
	tree, err := parser.ParseFile(token.NewFileSet(), "main.go", nil, parser.ParseComments|parser.PackageClauseOnly)
	require.NoError(t, err)
	want := output(tree.Doc.Text())
	require.NotEmpty(t, want, "the package comment of main.go shows no output")
	var got bytes.Buffer
	require.NoError(t, run(&got))
	require.Equal(t, want, strings.TrimRight(got.String(), "\n"))
}

// output is the indented block of a comment behind the line "\t$ command".
func output(doc string) string {
	_, block, _ := strings.Cut(doc, "\t$ ")
	lines := strings.Split(block, "\n")[1:]
	var shown []string
	for _, line := range lines {
		text, indented := strings.CutPrefix(line, "\t")
		if !indented && line != "" {
			break
		}
		shown = append(shown, text)
	}
	return strings.TrimRight(strings.Join(shown, "\n"), "\n")
}
