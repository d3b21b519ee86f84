package parquetsort_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
	"github.com/arrowsort/arrowsort/arrowsort/rows"
)

// TestErrorsMatchTheirKinds: the errors of all packages match the kinds of package arrowsort, whose texts they need
// not have.
func TestErrorsMatchTheirKinds(t *testing.T) {
	folder := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
		return path
	}
	numbers, others := write("numbers.csv", "n\n2\n1\n"), write("others.csv", "m\n1\n")
	damaged := write("damaged.arrow", "ARROW1\x00\x00")
	keys := []arrowsort.Key{{Path: "n"}}
	sorts := func(opts parquetsort.Options, paths ...string) error {
		opts.Keys = keys
		_, err := parquetsort.Sort(t.Context(), paths, filepath.Join(folder, "out.parquet"), opts)
		return err
	}
	_, ofRows := rows.NewConverter(rows.Field{})
	_, ofKeys := rows.ForKeys(nil, keys)
	_, ofMerge := parquetsort.Merge(t.Context(), []string{numbers}, filepath.Join(folder, "out.csv"),
		parquetsort.Options{Keys: keys})
	ofOption, ofDamaged := sorts(parquetsort.Options{Rows: parquetsort.Rows{Limit: -1}}, numbers),
		sorts(parquetsort.Options{}, damaged)
	ofSchemas := sorts(parquetsort.Options{}, numbers, others)
	for name, c := range map[string]struct {
		err, kind error
		text      string
	}{
		"arrowsort": {ofKeys, arrowsort.ErrOption, "arrowsort: invalid argument: "},
		"rows":      {ofRows, arrowsort.ErrOption, "field 0 has no type"},
		"option":    {ofOption, arrowsort.ErrOption, "parquetsort: invalid option: "},
		"schema":    {ofSchemas, arrowsort.ErrSchema, "parquetsort: schemas differ: "},
		"order": {ofMerge, arrowsort.ErrUnsorted,
			"parquetsort: not sorted: " + numbers + ": row 1 sorts before row 0"},
		"damaged":        {ofDamaged, parquetsort.ErrCorrupt, damaged + ": corrupted file"},
		"engines":        {engine.ErrMemory, arrowsort.ErrMemory, "engine: out of memory"},
		"Arrow's option": {ofOption, arrow.ErrInvalid, ""},
	} {
		require.ErrorIs(t, c.err, c.kind, name)
		require.ErrorContains(t, c.err, c.text, name)
	}
	for mine, kind := range map[error]error{
		parquetsort.ErrOption: arrowsort.ErrOption, parquetsort.ErrSchema: arrowsort.ErrSchema,
		parquetsort.ErrUnsorted: arrowsort.ErrUnsorted, parquetsort.ErrMemory: arrowsort.ErrMemory,
	} {
		require.Equal(t, kind, mine)
	}

	var unsorted *parquetsort.UnsortedError
	require.ErrorAs(t, ofMerge, &unsorted)
	require.Equal(t, numbers, unsorted.File)
	require.Equal(t, int64(1), unsorted.Row)
	var file *parquetsort.FileError
	require.ErrorAs(t, ofDamaged, &file)
	require.Equal(t, damaged, file.Path)
	require.ErrorIs(t, file.Err, parquetsort.ErrCorrupt)
}
