package gpu

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
)

// TestThresholdsOfKernels: every number of rows that kernels are made for is in the list.
func TestThresholdsOfKernels(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "../kernels/tuning.go", nil, 0)
	require.NoError(t, err)
	list, err := os.ReadFile("thresholds.go")
	require.NoError(t, err)
	rows := regexp.MustCompile(`(Rows|Tile|TileWide|Window|SampleOf|Sample)$`)
	found := 0
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && rows.MatchString(spec.Names[0].Name) {
			found++
			require.Regexp(t, `kernels\.`+spec.Names[0].Name+`\b`, string(list), "a threshold that is not tested")
		}
		return true
	})
	require.Greater(t, found, 20)
}

// TestThresholds: the list rises, has every field of the table, and bytes by the widths of columns.
func TestThresholds(t *testing.T) {
	list := thresholds.list(3, 132)
	require.True(t, slices.IsSortedFunc(list, func(a, b engine.Threshold) int { return a.Rows - b.Rows }))
	for _, want := range []engine.Threshold{
		{Name: "oneLaunchRows", Rows: 1 << 22}, {Name: "textRows", Rows: 1 << 16}, {Name: "directBytes of bits", Rows: 1 << 19},
		{Name: "directBytes of 8 bytes", Rows: 1 << 13}, {Name: "a piece for each thread of 4 bytes", Rows: 3 << 16},
		{Name: "a full grid", Rows: 132 << 13}, {Name: "all slots of 1 byte", Rows: 1 << 25},
	} {
		require.Contains(t, list, want)
	}
}
