package kernels

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write tuning.h from tuning.go")

// TestTuningHeader keeps tuning.h the same as the constants of tuning.go.
func TestTuningHeader(t *testing.T) {
	want := tuningHeader(t)
	if *update {
		require.NoError(t, os.WriteFile("tuning.h", want, 0o644))
	}
	is, err := os.ReadFile("tuning.h")
	require.NoError(t, err)
	require.Equal(t, string(want), string(is), "run go test ./kernels -run TestTuningHeader -update")
}

// tuningHeader is tuning.h: each exported constant of tuning.go with its value.
func tuningHeader(t *testing.T) []byte {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "tuning.go", nil, 0)
	require.NoError(t, err)
	config := types.Config{Importer: importer.Default()}
	pkg, err := config.Check("kernels", files, []*ast.File{file}, nil)
	require.NoError(t, err)
	var constants []types.Object
	for _, name := range pkg.Scope().Names() {
		if object := pkg.Scope().Lookup(name); object.Exported() {
			constants = append(constants, object)
		}
	}
	slices.SortFunc(constants, func(a, b types.Object) int { return int(a.Pos() - b.Pos()) })
	var b bytes.Buffer
	b.WriteString("// Code generated from tuning.go by TestTuningHeader; DO NOT EDIT.\n#pragma once\n")
	for _, object := range constants {
		value, exact := constant.Int64Val(object.(*types.Const).Val())
		require.True(t, exact, object.Name())
		fmt.Fprintf(&b, "#define %s %d\n", upper(object.Name()), value)
	}
	return b.Bytes()
}

// upper turns RadixBits into RADIX_BITS.
func upper(name string) string {
	var b strings.Builder
	for i, r := range name {
		if i > 0 && r >= 'A' && r <= 'Z' {
			b.WriteByte('_')
		}
		b.WriteRune(r)
	}
	return strings.ToUpper(b.String())
}
