package main

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

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
	objects := []any{report{}, gpuReport{}, footerReport{}, parquetsort.Strategy{}, planReport{}, planKey{},
		filesReport{}, fileReport{}, tablefile.FileInfo{}, tablefile.GroupInfo{}, tablefile.ColumnInfo{}}
	for _, object := range objects {
		printed = append(printed, jsonFields(reflect.TypeOf(object))...)
	}
	slices.Sort(told)
	slices.Sort(printed)
	require.Equal(t, printed, told)
	for _, field := range jsonFields(reflect.TypeOf(facts{})) {
		require.Contains(t, string(document), "`"+field+"`")
	}
}

func jsonFields(object reflect.Type) (names []string) {
	for i := range object.NumField() {
		if name, _, _ := strings.Cut(object.Field(i).Tag.Get("json"), ","); name != "" && name != "-" {
			names = append(names, name)
		}
	}
	return names
}
