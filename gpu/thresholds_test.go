package gpu

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestThresholdsOfKernels: every number of rows that kernels are made for is in the list.
func TestThresholdsOfKernels(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "../kernels/tuning.go", nil, 0)
	require.NoError(t, err)
	table, err := os.ReadFile("internal/tuning/thresholds.go")
	require.NoError(t, err)
	list, err := os.ReadFile("engine_cuda.go")
	require.NoError(t, err)
	rows := regexp.MustCompile(`(Rows|Tile|TileWide|Window|SampleOf|Sample)$`)
	found := 0
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && rows.MatchString(spec.Names[0].Name) {
			found++
			name := `kernels\.` + spec.Names[0].Name + `\b`
			require.Regexp(t, name, string(table)+string(list), "a threshold that is not tested")
		}
		return true
	})
	require.Greater(t, found, 20)
}
