package parquetsort

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/extsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

// TestBatchesAreRowGroups: a table of fewer rows than a batch of the external sort is one row group of the writer.
func TestBatchesAreRowGroups(t *testing.T) {
	require.EqualValues(t, tablefile.DefaultRowGroupRows, extsort.DefaultBatchRows)
}

// extremes are the values that every number of the options is tried at.
var extremes = []int64{0, 1, -1, math.MaxInt32, math.MaxUint32, math.MaxInt64/3 + 1, math.MaxInt64, math.MinInt64}

const extremeRows = 12

// TestNumbersOfOptions tries each number of Options at its extremes: the output has the rows that are wanted, or there
// is none and the error names the option.
func TestNumbersOfOptions(t *testing.T) {
	folder := t.TempDir()
	in := filepath.Join(folder, "in.parquet")
	generate(t, in, pairsSchema, 2, func(i int) arrow.Record { return pairs(0, extremeRows/2, i, 9) })
	for _, field := range reflect.VisibleFields(reflect.TypeFor[Options]()) {
		if !field.IsExported() || field.Type.Kind() != reflect.Struct {
			continue
		}
		for _, number := range reflect.VisibleFields(field.Type) {
			if reflect.Zero(number.Type).CanInt() && number.Type.Kind() != reflect.Int32 {
				tryExtremes(t, in, field, number)
			}
		}
	}
}

// tryExtremes tries a number of a group of options.
func tryExtremes(t *testing.T, in string, group, field reflect.StructField) {
	name := field.Name
	if name == "Budget" {
		name = group.Name
	}
	for _, value := range extremes {
		opts := Options{Keys: []arrowsort.Key{{Path: "key"}}, Memory: Memory{Budget: MinMemory}}
		reflect.ValueOf(&opts).Elem().FieldByIndex(group.Index).FieldByIndex(field.Index).SetInt(value)
		for format, inputs := range map[string][]string{".parquet": {in}, ".PARQUET": {in, in}, ".arrow": {in},
			".csv": {in, in}} {
			about := fmt.Sprintf("%s %d %s of %d", name, value, format, len(inputs))
			requireRowsOrOption(t, about, name, inputs, format, opts)
		}
	}
}

// TestNumbersOfOptionsTogether tries several numbers at their extremes at once.
func TestNumbersOfOptionsTogether(t *testing.T) {
	folder := t.TempDir()
	in := filepath.Join(folder, "in.parquet")
	generate(t, in, pairsSchema, 2, func(i int) arrow.Record { return pairs(0, extremeRows/2, i, 9) })
	for _, perFile := range []int64{7, math.MaxInt64} {
		for _, perGroup := range []int{1, math.MaxInt} {
			for _, perPage := range []int{1, math.MaxInt} {
				for _, limit := range []int64{0, 8, math.MaxInt64} {
					opts := Options{Keys: []arrowsort.Key{{Path: "key"}}, Memory: Memory{Budget: math.MaxInt64},
						Output: Output{RowsPerFile: perFile, RowGroupRows: perGroup, PageRows: perPage,
							Preview: math.MaxInt64}, Rows: Rows{Limit: limit}}
					requireRowsOrOption(t, fmt.Sprint(perFile, perGroup, perPage, limit), "", []string{in}, ".parquet",
						opts)
					opts.Output.RowsPerFile, opts.Output.BytesPerFile = 0, 1
					opts.Rows.Tail, opts.Rows.Limit = limit, 0
					requireRowsOrOption(t, fmt.Sprint(perGroup, perPage, limit), "", []string{in, in}, ".parquet", opts)
				}
			}
		}
	}
}

// requireRowsOrOption sorts extremeRows of each input.
func requireRowsOrOption(t *testing.T, name, option string, inputs []string, format string, opts Options) {
	t.Helper()
	folder := t.TempDir()
	result, err := Sort(t.Context(), inputs, filepath.Join(folder, "out"+format), opts)
	if err != nil {
		require.NotEmpty(t, option, "%s: %v", name, err)
		require.True(t, errors.Is(err, ErrOption), "%s: %v", name, err)
		require.ErrorContains(t, err, option, name)
		requireEmpty(t, folder)
		return
	}
	if result.Preview != nil {
		result.Preview.Release()
	}
	want := int64(extremeRows * len(inputs))
	for _, n := range []int64{opts.Rows.Limit, opts.Rows.Tail} {
		require.GreaterOrEqual(t, n, int64(0), name)
		if n > 0 {
			want = min(want, n)
		}
	}
	require.Equal(t, want, result.Rows, name)
	require.Equal(t, want, digestOf(t, result.Outputs...).Rows, name)
	require.Len(t, names(t, folder), len(result.Outputs), name)
}

// TestFileWithoutAllRows never gets its name, and the input stays.
func TestFileWithoutAllRows(t *testing.T) {
	folder := t.TempDir()
	in, _, opts := byKey(folder, 0)
	generate(t, in[0], pairsSchema, 1, func(int) arrow.Record { return pairs(0, extremeRows, 0, 9) })
	before := readFile(t, in[0])
	j, err := openJob(t.Context(), in, in[0], opts, false)
	require.NoError(t, err)
	defer j.files.Close()
	j.files.Rows++ // as if one of them was lost
	_, err = j.sortTable(t.Context())
	require.ErrorContains(t, err, "12 of the 13 rows of the inputs were read; no output is written")
	after := readFile(t, in[0])
	require.Equal(t, before, after)
	require.Equal(t, []string{"in.parquet"}, names(t, folder))
}
