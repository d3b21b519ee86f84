package repotest

import (
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const cookbookExamples = "cookbook_example_test.go"

// TestCookbookSamples compares the Go functions of docs/cookbook.md and the output below each with the compiled
// examples, which are in the order of the page. The commands of the page are tested in arrowsort/cmd/arrowsort.
func TestCookbookSamples(t *testing.T) {
	source, err := os.ReadFile(cookbookExamples)
	require.NoError(t, err)
	tree, err := parser.ParseFile(token.NewFileSet(), cookbookExamples, source, parser.ParseComments)
	require.NoError(t, err)
	outputs := map[string]string{} // by name
	for _, example := range doc.Examples(tree) {
		outputs[example.Name] = example.Output
	}

	recipe := regexp.MustCompile("(?ms)^```go\n(.*?)^```\n\n```text\n(.*?)^```$")
	named := regexp.MustCompile(`func Example(\w+)`)
	shown := recipe.FindAllStringSubmatch(read(t, "docs/cookbook.md"), -1)
	require.Len(t, shown, len(outputs))
	for _, match := range shown {
		_, below, found := strings.Cut(string(source), match[1])
		require.True(t, found, "%s does not hold\n%s", cookbookExamples, match[1])
		example := named.FindStringSubmatch(below)
		require.NotEmpty(t, example)
		require.Equal(t, outputs[example[1]], match[2])
	}
}
