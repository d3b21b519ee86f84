package repotest

import (
	"encoding/json"
	"errors"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	module    = "github.com/arrowsort/arrowsort"
	arrow     = "github.com/apache/arrow/go/v15"
	compute   = arrow + "/arrow/compute"
	parquet   = arrow + "/parquet"
	flight    = arrow + "/arrow/flight" // registers the same messages as that of v18
	arrow18   = "github.com/apache/arrow-go/v18"
	pqarrow   = arrow18 + "/parquet/pqarrow"
	tablefile = module + "/arrowsort/internal/tablefile"
	cpu       = module + "/arrowsort/internal/cpu"
	sorting   = module + "/arrowsort/parquetsort"
	gpu       = module + "/gpu"
	cuda      = "gorgonia.org/cu"
	commands  = "github.com/spf13/cobra"
	sys       = "golang.org/x/sys" // system calls
)

// arrows are the edges of the architecture: what a package may reach outside the standard library, directly or through
// others. A path stands for the packages below it as well.
var arrows = []struct {
	from  string
	only  []string // reaches nothing else; nil: no such limit
	never []string
}{
	{from: "internal/buffers", only: []string{}},
	{from: "keyencode", only: []string{module + "/internal/buffers"}},
	{from: "internal/tiebreak", only: []string{module + "/internal/buffers", module + "/keyencode"}},
	{from: "internal/arena", only: []string{module + "/internal/buffers", module + "/internal/machine",
		module + "/keyencode", module + "/arrowsort/engine", sys}},
	{from: "arrowsort/engine", only: []string{module + "/internal/buffers", module + "/keyencode"}},
	{from: "gpu", only: []string{gpu, module + "/kernels", module + "/keyencode", module + "/arrowsort/engine",
		module + "/internal/arena", module + "/internal/buffers", module + "/internal/machine",
		module + "/internal/workers", sys}},
	{from: "gpu/internal/tuning", only: []string{module + "/kernels"}},
	{from: "gpu/internal/strategy", only: []string{module + "/kernels", gpu + "/internal/tuning"}},
	{from: "arrowsort/engine/enginetest", never: []string{arrow, arrow18, gpu}},
	{from: "arrowsort/internal/cpu", never: []string{arrow, arrow18, gpu}},
	{from: "arrowsort/internal/cpu/scatter", only: []string{}},
	{from: "arrowsort/internal/cpu/keys", only: ofCPU()},
	{from: "arrowsort/internal/cpu/payload", only: ofCPU("scatter", "keys")},
	{from: "arrowsort/internal/cpu/binsort", only: ofCPU("scatter", "keys", "payload")},
	{from: "arrowsort/internal/cpu/partition", only: ofCPU("scatter", "keys", "payload", "binsort")},
	{from: "arrowsort/internal/take", never: []string{compute, parquet, arrow18, gpu}},
	{from: "arrowsort", never: []string{compute, parquet, arrow18, gpu, module + "/arrowsort/cmd", commands}},
	{from: "arrowsort/internal/curve", never: []string{compute, parquet, arrow18, gpu, commands, tablefile}},
	{from: "arrowsort/rows", never: []string{compute, parquet, arrow18, gpu, module + "/arrowsort/cmd", commands}},
	{from: "arrowsort/computefn", never: []string{parquet, arrow18, gpu, commands}},
	{from: "arrowsort/internal/arrow18", never: []string{parquet, pqarrow, flight, gpu, commands}},
	{from: "internal/machine", only: []string{sys}},
	{from: "internal/workers", only: []string{}},
	{from: "arrowsort/internal/tablefile", never: []string{parquet, flight, gpu, commands}},
	{from: "arrowsort/internal/tablefile/parquet", never: []string{tablefile + "/csv", flight, gpu, commands}},
	{from: "arrowsort/internal/tablefile/parquet/reader",
		never: []string{tablefile + "/parquet/writer", tablefile + "/ipc"}},
	{from: "arrowsort/internal/tablefile/parquet/writer",
		never: []string{tablefile + "/parquet/reader", tablefile + "/ipc"}},
	{from: "arrowsort/internal/tablefile/parquet/page", never: []string{
		arrow + "/arrow/array", arrow18 + "/arrow/array", pqarrow}},
	{from: "arrowsort/internal/tablefile/csv", never: []string{pqarrow, tablefile + "/ipc"}},
	{from: "arrowsort/internal/tablefile/ipc", never: []string{pqarrow, tablefile + "/csv"}},
	{from: "arrowsort/internal/tablefile/validate", never: []string{pqarrow, arrow + "/arrow/ipc"}},
	{from: "arrowsort/internal/tablefile/atomicfile", never: []string{arrow, module + "/arrowsort"}},
	{from: "arrowsort/parquetsort", never: []string{parquet, flight, gpu, commands}},
	{from: "arrowsort/internal/extsort", never: []string{parquet, pqarrow, tablefile + "/parquet", tablefile + "/csv",
		flight, gpu, commands, module + "/arrowsort/parquetsort"}},
	{from: "arrowsort/extsort", never: []string{parquet, pqarrow, tablefile + "/parquet", flight, gpu, commands}},
	{from: "arrowsort/parquetsort/internal/dataset", never: []string{sorting + "/internal/output",
		sorting + "/internal/roworder", flight, gpu, commands}},
	{from: "arrowsort/parquetsort/internal/rowgroups", never: []string{sorting + "/internal/output",
		sorting + "/internal/dataset", sorting + "/internal/roworder", flight, gpu, commands}},
	{from: "arrowsort/parquetsort/internal/zonemap", never: []string{sorting + "/internal/output",
		sorting + "/internal/dataset", sorting + "/internal/roworder", sorting + "/internal/rowgroups", flight, gpu,
		commands}},
	{from: "arrowsort/parquetsort/internal/output", never: []string{sorting + "/internal/dataset",
		sorting + "/internal/roworder", flight, gpu, commands}},
	{from: "arrowsort/parquetsort/internal/curveorder", never: []string{sorting + "/internal/output",
		sorting + "/internal/roworder", flight, gpu, commands}},
	{from: "arrowsort/parquetsort/internal/roworder", never: []string{sorting + "/internal/output", flight, gpu,
		commands}},
	{from: "kernels", only: []string{}},
	{from: "gpu", never: []string{arrow, arrow18, module + "/arrowsort/internal"}},
}

// ofCPU are the packages that each package of the CPU engine may reach, and the given parts of it.
func ofCPU(parts ...string) []string {
	reached := []string{module + "/keyencode", module + "/arrowsort/engine", sys}
	for _, name := range []string{"arena", "buffers", "machine", "tiebreak", "workers"} {
		reached = append(reached, module+"/internal/"+name)
	}
	for _, name := range parts {
		reached = append(reached, cpu+"/"+name)
	}
	return reached
}

func TestImportsFollowTheArchitecture(t *testing.T) {
	packages := listPackages(t)
	for _, rule := range arrows {
		from, found := packages[module+"/"+rule.from]
		require.True(t, found, "package %s is gone: change its line in arrows", rule.from)
		for _, to := range from.Deps {
			if packages[to].Standard {
				continue
			}
			if rule.only != nil {
				require.True(t, under(to, rule.only), "%s reaches %s", rule.from, to)
			}
			require.False(t, under(to, rule.never), "%s reaches %s", rule.from, to)
		}
	}
}

// floorsOfGPU are the packages of the GPU engine from the ground up. Each imports only those before it.
var floorsOfGPU = []string{"tuning", "driver", "host", "memory", "abi", "strategy", "stream", "device", "keys",
	"onesweep", "incore", "partition", "topk", "argsort", "gather", "resident", "valuesort", "table", "multigpu"}

// TestImportsOfGPUGoDown reads the files of all build tags.
func TestImportsOfGPUGoDown(t *testing.T) {
	floor := func(importPath string) int {
		return slices.Index(floorsOfGPU, strings.TrimPrefix(importPath, gpu+"/internal/"))
	}
	found := 0
	for _, file := range withSuffix(sources(t), ".go") {
		folder := path.Dir(file.path)
		if !strings.HasPrefix(folder, "gpu/internal/") || strings.HasSuffix(file.path, "_test.go") {
			continue
		}
		from := floor(module + "/" + folder)
		require.GreaterOrEqual(t, from, 0, "%s is not in floorsOfGPU", folder)
		tree, err := parser.ParseFile(token.NewFileSet(), file.path, file.text, parser.ImportsOnly)
		require.NoError(t, err)
		for _, spec := range tree.Imports {
			to, err := strconv.Unquote(spec.Path.Value)
			require.NoError(t, err)
			require.NotEqual(t, gpu, to, "%s imports it", file.path)
			if strings.HasPrefix(to, gpu+"/") {
				require.Less(t, floor(to), from, "%s imports %s", file.path, to)
				found++
			}
		}
	}
	require.Greater(t, found, 50)
}

// TestParquetIsImportedInOnePlace: one folder has all that depends on the Parquet of Arrow.
func TestParquetIsImportedInOnePlace(t *testing.T) {
	for path, p := range listPackages(t) {
		if !under(path, []string{module}) || under(path, []string{tablefile + "/parquet"}) {
			continue
		}
		for _, to := range p.Imports {
			require.False(t, under(to, []string{arrow18 + "/parquet"}), "%s imports %s", path, to)
		}
	}
}

// TestTheFacadeOfFilesIsOnTop: no package below tablefile reaches it.
func TestTheFacadeOfFilesIsOnTop(t *testing.T) {
	for path, p := range listPackages(t) {
		if strings.HasPrefix(path, tablefile+"/") {
			require.NotContains(t, p.Deps, tablefile, path)
		}
	}
}

func TestDefaultBuildHasNoCgoAndNoCUDA(t *testing.T) {
	for path, p := range listPackages(t) {
		if p.Standard {
			continue
		}
		require.Empty(t, p.CgoFiles, "%s uses cgo", path)
		require.NotContains(t, p.Imports, "C", "%s uses cgo", path)
		require.False(t, under(path, []string{cuda}), "%s is in the default build", path)
	}
}

// TestZones: the programs, of which the C library is one, hold the tables of time zones. Go packages leave that to
// programs, as the tables take 0.4 MB.
func TestZones(t *testing.T) {
	const zones = "time/tzdata"
	packages := listPackages(t)
	require.Contains(t, packages[module+"/arrowsort/cmd/arrowsort"].Deps, zones)
	for _, library := range []string{"/arrowsort", "/arrowsort/extsort", "/arrowsort/parquetsort"} {
		require.NotEmpty(t, packages[module+library].Deps)
		require.NotContains(t, packages[module+library].Deps, zones)
	}
}

// goPackage is what go list says about a package.
type goPackage struct {
	ImportPath string
	Standard   bool
	Imports    []string
	Deps       []string
	CgoFiles   []string
}

// listPackages lists the packages of the default build and all they need, with cgo allowed so that its use shows.
func listPackages(t *testing.T) map[string]goPackage {
	list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-json=ImportPath,Standard,Imports,Deps,CgoFiles",
		"./...")
	list.Dir = root
	list.Env = append(os.Environ(), "CGO_ENABLED=1")
	var complaint strings.Builder
	list.Stderr = &complaint
	out, err := list.Output()
	require.NoError(t, err, complaint.String())

	packages := map[string]goPackage{}
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		err := decoder.Decode(&p)
		if errors.Is(err, io.EOF) {
			return packages
		}
		require.NoError(t, err)
		packages[p.ImportPath] = p
	}
}

// under reports whether path is one of the parents or below one.
func under(path string, parents []string) bool {
	return slices.ContainsFunc(parents, func(parent string) bool {
		return path == parent || strings.HasPrefix(path, parent+"/")
	})
}
