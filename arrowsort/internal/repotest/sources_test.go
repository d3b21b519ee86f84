package repotest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

const (
	maxLines   = 400
	maxColumns = 120
	tab        = "    "
)

func TestFilesAreShort(t *testing.T) {
	for _, file := range withSuffix(sources(t), ".go") {
		lines := strings.Count(file.text, "\n")
		require.LessOrEqual(t, lines, maxLines, "%s has %d lines: one stage or type per file", file.path, lines)
	}
}

// wide are the files that may have wider lines: what is generated or read by tests.
var wide = regexp.MustCompile(`(^|/)testdata/.*\.(go|sh|py)$`)

// unbreakable are the lines that cannot be broken: rows of tables of figures, which are generated, and links.
var unbreakable = regexp.MustCompile(`^\| (seconds, MB of memory at most|[0-9]+M rows|[0-9]+M flights) |` +
	`^\S*\]\(\S+\)[.,;]?$`)

// TestLinesAreNarrow counts a tab as four columns.
func TestLinesAreNarrow(t *testing.T) {
	checked := regexp.MustCompile(`\.(go|c|cu|h|sh|py|md|yaml)$|^\.ci/|^Makefile$|^Containerfile`)
	for _, file := range sources(t) {
		if !checked.MatchString(file.path) || wide.MatchString(file.path) {
			continue
		}
		for i, line := range strings.Split(file.text, "\n") {
			if n := utf8.RuneCountInString(strings.ReplaceAll(line, "\t", tab)); n > maxColumns &&
				!unbreakable.MatchString(line) {
				t.Errorf("%s:%d has %d columns: at most %d", file.path, i+1, n, maxColumns)
			}
		}
	}
}

func TestNoTestIsSkipped(t *testing.T) {
	for _, file := range withSuffix(sources(t), ".go") {
		fileSet := token.NewFileSet()
		tree, err := parser.ParseFile(fileSet, file.path, file.text, parser.SkipObjectResolution)
		require.NoError(t, err)
		ast.Inspect(tree, func(node ast.Node) bool {
			if call, ok := node.(*ast.SelectorExpr); ok && isSkip(call) {
				t.Errorf("%s: a test is skipped", fileSet.Position(call.Pos()))
			}
			return true
		})
	}
}

// isSkip recognizes a call that skips by the names that tests, benchmarks and fuzz targets give their receiver.
func isSkip(call *ast.SelectorExpr) bool {
	on, ok := call.X.(*ast.Ident)
	return ok && slices.Contains([]string{"t", "b", "f", "tb"}, on.Name) &&
		slices.Contains([]string{"Skip", "Skipf", "SkipNow"}, call.Sel.Name)
}

// The words are put together here so that this file may hold them.
var unwanted = map[string]*regexp.Regexp{
	"unfinished work": regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X)\b`),
	"a path of somebody's machine": regexp.MustCompile(`(^|[^\w.])/(wo` + `rk|ro` + `ot|ho` + `me|tm` + `p)/|\.\./sha` +
		`red\b`),
}

func TestNoUnwantedWords(t *testing.T) {
	for _, file := range sources(t) {
		for what, words := range unwanted {
			require.Empty(t, words.FindString(file.text), "%s mentions %s", file.path, what)
		}
	}
}

// link matches a relative link of a document: the target up to a title or an anchor.
var link = regexp.MustCompile(`\]\(([^)#:\s]+)(#[^)]*)?\)`)

func TestLinksLeadSomewhere(t *testing.T) {
	for _, file := range withSuffix(sources(t), ".md") {
		for _, match := range link.FindAllStringSubmatch(file.text, -1) {
			target := filepath.Join(root, filepath.Dir(file.path), match[1])
			_, err := os.Stat(target)
			require.NoError(t, err, "%s links to %s", file.path, match[1])
		}
	}
}
