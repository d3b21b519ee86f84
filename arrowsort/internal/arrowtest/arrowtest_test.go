package arrowtest

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"
)

func TestRandomMakesValidArraysOfEveryType(t *testing.T) {
	for _, typ := range Types() {
		for _, n := range []int{0, 1, 100} {
			for _, nulls := range []float64{0, 0.3, 1} {
				rng := rand.New(rand.NewPCG(1, uint64(n)))
				mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
				arr := Random(rng, typ, n, nulls, mem)
				require.Equal(t, n, arr.Len(), "%s", typ)
				require.True(t, arrow.TypeEqual(typ, arr.DataType()), "%s", typ)
				require.True(t, array.Equal(arr, arr), "%s n=%d nulls=%v", typ, n, nulls)
				if u, ok := arr.(array.Union); ok {
					require.NoError(t, u.ValidateFull(), "%s", typ)
				}
				arr.Release()
				mem.AssertSize(t, 0)
			}
		}
	}
}

func TestTypesCoverEveryID(t *testing.T) {
	seen := map[arrow.Type]bool{}
	for _, typ := range Types() {
		seen[typ.ID()] = true
	}
	for id := arrow.NULL; id <= arrow.LARGE_LIST_VIEW; id++ {
		if id != arrow.DECIMAL {
			require.True(t, seen[id], "no type with id %s", id)
		}
	}
}

func TestValue(t *testing.T) {
	mem := memory.NewGoAllocator()
	i8, str := arrow.PrimitiveTypes.Int8, arrow.BinaryTypes.String
	for _, c := range []struct {
		typ  arrow.DataType
		json string
		want []string
	}{
		{i8, `[1, null, -1]`, []string{"01", "null", "ff"}},
		{arrow.FixedWidthTypes.Boolean, `[true, false]`, []string{"true", "false"}},
		{str, `["a", null, ""]`, []string{`"a"`, "null", `""`}},
		{arrow.BinaryTypes.StringView, `["a", "a string of more than twelve bytes"]`, []string{`"a"`,
			`"a string of more than twelve bytes"`}},
		{arrow.ListOf(i8), `[[1, null], null, []]`, []string{"[01,null]", "null", "[]"}},
		{arrow.FixedSizeListOf(2, i8), `[[1, 2], null]`, []string{"[01,02]", "null"}},
		{arrow.StructOf(arrow.Field{Name: "a", Type: i8}), `[{"a": 1}, null, {"a": null}]`, []string{"{01}", "null",
			"{null}"}},
		{arrow.MapOf(str, i8), `[[{"key": "k", "value": 3}]]`, []string{`[{"k",03}]`}},
		{&arrow.DictionaryType{IndexType: i8, ValueType: str}, `["x", null, "x"]`, []string{`"x"`, "null", `"x"`}},
		{arrow.Null, `[null]`, []string{"null"}},
	} {
		arr, _, err := array.FromJSON(mem, c.typ, strings.NewReader(c.json))
		require.NoError(t, err, "%s", c.typ)
		for i, want := range c.want {
			require.Equal(t, want, Value(arr, i), "%s row %d", c.typ, i)
		}
		arr.Release()
	}
}
