package repotest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

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
