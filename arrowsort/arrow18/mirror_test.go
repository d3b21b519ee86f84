package arrow18_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	_ "github.com/arrowsort/arrowsort/arrowsort/computefn"
	_ "github.com/arrowsort/arrowsort/arrowsort/parquetsort"
	_ "github.com/arrowsort/arrowsort/gpu"
)

// mirrors are the packages whose functions are to be here for v18, and the package that has them.
var mirrors = map[string]string{"../": ".", "../rows": "rows", "../extsort": "extsort", "../computefn": "."}

// notMirrored are functions and methods that v18 needs no other form of, and why.
var notMirrored = map[string]string{
	"../ KeyAt":                          "keys are those of arrowsort",
	"../ KeyOf":                          "keys are those of arrowsort",
	"../ Locale":                         "keys are those of arrowsort",
	"../ Modulo":                         "keys are those of arrowsort",
	"../ Hash":                           "keys are those of arrowsort",
	"../ Random":                         "keys are those of arrowsort",
	"../ NewRecycler":                    "an allocator of the one version is one of the other",
	"../ Recycler.*":                     "an allocator of the one version is one of the other",
	"../ Column":                         "positions of keys are those of arrowsort",
	"../ Position.*":                     "positions of keys are those of arrowsort",
	"../ Plan.*":                         "plans are those of arrowsort",
	"../rows Rows.*":                     "rows are those of arrowsort/rows",
	"../computefn ArraySortOptions.*":    "SortOptions of v18 are for arrays and other data alike",
	"../computefn RankQuantileOptions.*": "arrowsort.rank_quantile and arrowsort.rank_normal take SortOptions",
}

// Every exported function and method of the core has its form for v18, and there is a reason for each one that has not.
func TestEveryFunctionHasItsMirror(t *testing.T) {
	used := map[string]bool{}
	for core, mirror := range mirrors {
		own := map[string]bool{}
		for _, name := range exported(t, mirror) {
			own[name] = true
		}
		names := exported(t, core)
		require.NotEmpty(t, names)
		for _, name := range names {
			reason := reasonOf(core, name)
			require.True(t, own[name] != (reason != ""), "%s of %s: here %v, reason for none %q", name, core,
				own[name], reason)
			used[reason] = true
		}
	}
	for name, reason := range notMirrored {
		require.True(t, used[reason], "%s: there is no such function", name)
	}
}

// reasonOf returns why a function has no mirror; empty if it has to have one.
func reasonOf(core, name string) string {
	typ, _, method := strings.Cut(name, ".")
	if method {
		if reason := notMirrored[core+" "+typ+".*"]; reason != "" {
			return reason
		}
	}
	return notMirrored[core+" "+name]
}

// exported lists the exported functions of a package, and the methods of its exported types as TYPE.METHOD.
func exported(t *testing.T, folder string) (names []string) {
	paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
	require.NoError(t, err)
	var files []*ast.File
	set := token.NewFileSet()
	for _, path := range paths {
		source, err := os.ReadFile(path)
		require.NoError(t, err)
		file, err := parser.ParseFile(set, path, source, parser.ParseComments)
		require.NoError(t, err)
		if !strings.HasSuffix(path, "_test.go") {
			files = append(files, file)
		}
	}
	p, err := doc.NewFromFiles(set, files, folder)
	require.NoError(t, err)
	functions := p.Funcs
	for _, typ := range p.Types {
		functions = append(functions, typ.Funcs...)
		for _, m := range typ.Methods {
			names = append(names, typ.Name+"."+m.Name)
		}
	}
	for _, f := range functions {
		names = append(names, f.Name)
	}
	return names
}

// The program of docs/arrow18.md, which has the Parquet of v18, the core and this package, is built and prints what its
// last comment says. The program of this test has all other packages of the project and the Parquet of v18.
func TestProgramOfTheDocuments(t *testing.T) {
	page, err := os.ReadFile("../../docs/arrow18.md")
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?ms)^```go\n(.*?)^```$").FindAllStringSubmatch(string(page), -1)
	require.Len(t, blocks, 1)
	source, program := filepath.Join(t.TempDir(), "main.go"), filepath.Join(t.TempDir(), "program.exe")
	require.NoError(t, os.WriteFile(source, []byte(blocks[0][1]), 0o600))
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, source).CombinedOutput()
	require.NoError(t, err, string(out))
	out, err = exec.CommandContext(t.Context(), program, "../../examples/data/flights.parquet").CombinedOutput()
	require.NoError(t, err, string(out))
	comments := regexp.MustCompile(`// (\[.*\])`).FindAllStringSubmatch(blocks[0][1], -1)
	require.Equal(t, comments[len(comments)-1][1], strings.TrimSpace(string(out)))
}

// The packages have what they need and no more: not the Parquet and the compute functions of v15, with which those of
// v18 do not link, nor files and engines that they are not asked for. Only the functions of Register need v18's.
func TestImports(t *testing.T) {
	const arrow, project = "github.com/apache/arrow/go/v15/", "github.com/arrowsort/arrowsort/"
	const arrow18 = "github.com/apache/arrow-go/v18/"
	everywhere := []string{arrow + "parquet", arrow + "arrow/compute", arrow + "arrow/flight", arrow18 + "arrow/flight",
		project + "gpu", project + "arrowsort/parquetsort", "github.com/spf13/cobra"}
	for path, unwanted := range map[string][]string{
		".":      {project + "arrowsort/internal/tablefile"},
		"./rows": {project + "arrowsort/internal/tablefile", arrow18 + "arrow/compute", arrow18 + "parquet/file"},
		"./extsort": {project + "arrowsort/internal/tablefile/parquet", arrow18 + "arrow/compute",
			arrow18 + "parquet/file"},
	} {
		out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", path).CombinedOutput()
		require.NoError(t, err, string(out))
		for dependency := range strings.Lines(string(out)) {
			for _, not := range append(unwanted, everywhere...) {
				require.False(t, strings.HasPrefix(dependency, not), "%s imports %s", path, dependency)
			}
		}
	}
}
