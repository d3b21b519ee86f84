package repotest

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
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

// root is the repository, seen from the folder that go test runs this package in.
const root = "../../.."

// A source is a text file of the repository.
type source struct {
	path string // from the repository's root, with slashes
	text string
}

// sources reads all text files of the repository: what is in version control, not what is built or installed in it.
func sources(t *testing.T) []source {
	var all []source
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			hidden := strings.HasPrefix(name, ".") && path != root && name != ".ci"
			if hidden || slices.Contains([]string{"build", "__pycache__", "results"}, name) {
				return fs.SkipDir
			}
			return nil
		}
		// In a git worktree .git is a file with the path of the repository.
		if name == ".git" || slices.Contains([]string{".parquet", ".test", ".prof"}, filepath.Ext(name)) {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil || bytes.IndexByte(text, 0) >= 0 {
			return err
		}
		from, err := filepath.Rel(root, path)
		all = append(all, source{filepath.ToSlash(from), string(text)})
		return err
	})
	require.NoError(t, err)
	require.NotEmpty(t, all)
	return all
}

// withSuffix keeps the files whose path ends so.
func withSuffix(all []source, suffix string) []source {
	return slices.DeleteFunc(slices.Clone(all), func(s source) bool { return !strings.HasSuffix(s.path, suffix) })
}

func TestExportedNamesHaveComments(t *testing.T) {
	documented := map[string]bool{} // folders with a package comment
	for _, file := range withSuffix(sources(t), ".go") {
		if strings.HasSuffix(file.path, "_test.go") {
			continue
		}
		fileSet := token.NewFileSet()
		tree, err := parser.ParseFile(fileSet, file.path, file.text, parser.ParseComments)
		require.NoError(t, err)
		documented[path.Dir(file.path)] = documented[path.Dir(file.path)] || tree.Doc != nil
		for _, declaration := range tree.Decls {
			for _, name := range uncommented(declaration) {
				t.Errorf("%s: %s is exported without a comment", fileSet.Position(name.Pos()), name)
			}
		}
	}
	for folder, ok := range documented {
		require.True(t, ok, "package %s has no package comment", folder)
	}
}

// TestRootNamesPackages: the packages and modules that the comment of the root names exist.
func TestRootNamesPackages(t *testing.T) {
	names := regexp.MustCompile(regexp.QuoteMeta(module)+`/([\w/]+)`).FindAllStringSubmatch(read(t, "doc.go"), -1)
	require.NotEmpty(t, names)
	for _, name := range names {
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(name[1]), "*.go"))
		require.NoError(t, err)
		require.NotEmpty(t, files, "doc.go names %s", name[0])
	}
}

// sayItAll are methods whose names do.
var sayItAll = map[string]bool{"String": true, "Error": true, "Unwrap": true}

// uncommented names what a declaration exports without saying what it is. A comment on a group counts for its members,
// and so does one at the end of the line.
func uncommented(declaration ast.Decl) []*ast.Ident {
	switch d := declaration.(type) {
	case *ast.FuncDecl:
		if d.Doc == nil && d.Name.IsExported() &&
			(d.Recv == nil || ast.IsExported(receiver(d)) && !sayItAll[d.Name.Name]) {
			return []*ast.Ident{d.Name}
		}
	case *ast.GenDecl:
		var names []*ast.Ident
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				if d.Doc == nil && s.Doc == nil && s.Comment == nil {
					names = append(names, s.Name)
				}
			case *ast.ValueSpec:
				if d.Doc == nil && s.Doc == nil && s.Comment == nil {
					names = append(names, s.Names...)
				}
			}
		}
		return exported(names)
	}
	return nil
}

func exported(names []*ast.Ident) (result []*ast.Ident) {
	for _, name := range names {
		if name.IsExported() {
			result = append(result, name)
		}
	}
	return result
}

// receiver is the name of the type that a method belongs to.
func receiver(method *ast.FuncDecl) string {
	for t := method.Recv.List[0].Type; ; {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr: // a type parameter
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}
