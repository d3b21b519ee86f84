package command

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// TestJSONIsDocumented: the document names the fields that are printed, and no other.
func TestJSONIsDocumented(t *testing.T) {
	document, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "json.md"))
	require.NoError(t, err)
	var told []string
	for _, line := range strings.Split(string(document), "\n") {
		cells := strings.Split(line, "|")
		if len(cells) == 5 {
			for _, field := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[1], -1) {
				told = append(told, field[1])
			}
		}
	}
	var printed []string
	objects := []any{report{}, gpuReport{}, footerReport{}, parquetsort.Strategy{}, filesReport{},
		fileReport{}, tablefile.FileInfo{}, tablefile.GroupInfo{}, tablefile.ColumnInfo{}, tablefile.CurveOrder{},
		layoutReport{}, parquetsort.LayoutReport{}, parquetsort.FilesLayout{}, parquetsort.LayoutGroup{},
		parquetsort.LayoutColumn{}, parquetsort.LayoutDepth{}, parquetsort.LayoutZone{}, parquetsort.FilterCost{},
		parquetsort.FilterRead{}, parquetsort.LayoutAdvice{}, parquetsort.AdviceRead{},
		parquetsort.KeyDepth{}}
	for _, object := range objects {
		printed = append(printed, jsonFields(reflect.TypeOf(object))...)
	}
	printed = append(printed, planFields(t)...)
	slices.Sort(told)
	slices.Sort(printed)
	require.Equal(t, printed, told)
	for _, field := range jsonFields(reflect.TypeOf(facts{})) {
		require.Contains(t, string(document), "`"+field+"`")
	}
}

// planFields are the fields of a plan, and those of one of its keys.
func planFields(t *testing.T) []string {
	rec := array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "k", Type: arrow.Null}}, nil),
		[]arrow.Array{array.NewNull(1)}, 1)
	plan, err := arrowsort.Explain(t.Context(), rec, []arrowsort.Key{{Path: "k"}}, arrowsort.Options{})
	require.NoError(t, err)
	text, err := plan.MarshalJSON()
	require.NoError(t, err)
	var object map[string]any
	require.NoError(t, json.Unmarshal(text, &object))
	key := object["keys"].([]any)[0].(map[string]any)
	return slices.AppendSeq(slices.Collect(maps.Keys(object)), maps.Keys(key))
}

func jsonFields(object reflect.Type) (names []string) {
	for i := range object.NumField() {
		if name, _, _ := strings.Cut(object.Field(i).Tag.Get("json"), ","); name != "" && name != "-" {
			names = append(names, name)
		}
	}
	return names
}
