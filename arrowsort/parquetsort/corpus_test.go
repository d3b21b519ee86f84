package parquetsort

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/corpus"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

// TestCorpusIsSorted sorts every file by other writers, by its column k, to every format. The values are those that the
// writer says, in another order.
func TestCorpusIsSorted(t *testing.T) {
	for _, file := range corpus.Files(t) {
		for _, format := range []string{"parquet", "arrow", "arrows", "csv"} {
			t.Run(file.Name+"/"+format, func(t *testing.T) {
				out := filepath.Join(t.TempDir(), "out."+format)
				opts := Options{Keys: []arrowsort.Key{{Path: "k"}}, Memory: Memory{Budget: MinMemory}}
				_, err := Sort(t.Context(), []string{file.Path}, out, opts)
				if file.Unsupported() {
					require.ErrorIs(t, err, tablefile.ErrUnsupported)
					require.ErrorContains(t, err, `column "column`)
					return
				}
				require.NoError(t, err)
				if format == "csv" {
					requireSortedCSV(t, &file, out)
				} else {
					requireSortedAs(t, &file, out)
				}
			})
		}
	}
}

// requireSortedAs compares the values of a sorted file with those of a file of the corpus.
func requireSortedAs(t *testing.T, file *corpus.File, path string) {
	in := readTable(t, path)
	order, columns, typeName := orderOf(t, file), file.Columns, func(name string) string { return name }
	if filepath.Ext(path) == ".parquet" {
		columns, typeName = file.InParquet, inParquet
	}
	for i, column := range columns {
		want := []string{}
		for _, row := range order {
			want = append(want, column.Values[row])
		}
		field := in.Schema.Field(i)
		require.Equal(t, column.Name, field.Name)
		require.Equal(t, typeName(column.Type), typeName(corpus.TypeName(field)), column.Name)
		require.Equal(t, want, append([]string{}, arrowtest.Values(in.Table.Column(i).Data())...), column.Name)
	}
}

// inParquet is the name of a type with one name for all types of text, and without the indices of dictionaries.
func inParquet(name string) string {
	name = strings.NewReplacer("string_view", "utf8", "binary_view", "binary", "large_utf8", "utf8",
		"large_binary", "binary").Replace(name)
	return regexp.MustCompile("dictionary<u?int[0-9]*,").ReplaceAllString(name, "dictionary<")
}

// orderOf are the rows of a file of the corpus in the order of column k.
func orderOf(t *testing.T, file *corpus.File) []int {
	in := readTable(t, file.Path)
	var keys []int64
	for _, chunk := range in.Table.Column(in.Schema.FieldIndices("k")[0]).Data().Chunks() {
		for row := range chunk.Len() {
			var key int64
			_, err := fmt.Sscan(chunk.ValueStr(row), &key)
			require.NoError(t, err)
			keys = append(keys, key)
		}
	}
	order := make([]int, len(keys))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(keys[a], keys[b]) })
	return order
}

// requireSortedCSV compares a sorted file with the file of the corpus, written as CSV if it is not.
func requireSortedCSV(t *testing.T, file *corpus.File, path string) {
	unsorted := file.Path
	if format, err := tablefile.Auto.Resolve(unsorted); err != nil || format != tablefile.CSV {
		in := readTable(t, file.Path)
		unsorted = filepath.Join(t.TempDir(), "unsorted.csv")
		writeTable(t, unsorted, in.Table, tablefile.WriteOptions{})
	}
	lines := linesOf(t, unsorted)
	want := slices.Clone(lines[:1])
	for _, row := range orderOf(t, file) {
		want = append(want, lines[1:][row])
	}
	require.Equal(t, want, linesOf(t, path))
}

// linesOf are the values of a CSV file.
func linesOf(t *testing.T, path string) [][]string {
	text := readFile(t, path)
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(text, []byte("\uFEFF"))))
	if filepath.Ext(path) == ".tsv" {
		r.Comma = '\t'
	}
	lines, err := r.ReadAll()
	require.NoError(t, err)
	return lines
}
