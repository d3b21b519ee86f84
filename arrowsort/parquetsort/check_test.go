package parquetsort

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
)

func TestCheckAcrossPiecesAndFiles(t *testing.T) {
	folder := t.TempDir()
	r := rand.New(rand.NewPCG(1, 3))
	files := []string{filepath.Join(folder, "a.parquet"), filepath.Join(folder, "b.arrows"),
		filepath.Join(folder, "c.arrow")}
	for i, f := range files {
		generate(t, f, numbersSchema, 3, func(batch int) arrow.Record {
			return numbers(memory.DefaultAllocator, r,
				i*6000+batch*2000, 2000)
		})
	}
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	up := Options{Keys: []arrowsort.Key{{Path: "row"}}, Allocator: mem}
	got, err := Check(t.Context(), files, up)
	require.NoError(t, err)
	require.Nil(t, got.Violation)
	require.EqualValues(t, 18_000, got.Rows)
	require.Equal(t, files, got.Files)

	got, err = Check(t.Context(), []string{files[0], files[2], files[1]}, up)
	require.NoError(t, err)
	require.Equal(t, &Violation{File: files[1], Row: 0}, got.Violation)
	require.EqualValues(t, 12_000, got.Rows)

	got, err = Check(t.Context(), files, Options{Keys: []arrowsort.Key{{Path: "row", Order: arrowsort.Descending}},
		Allocator: mem})
	require.NoError(t, err)
	require.Equal(t, &Violation{File: files[0], Row: 1}, got.Violation)

	swapped := filepath.Join(folder, "swapped.arrows") // the violation is between two batches
	generate(t, swapped, numbersSchema, 2, func(batch int) arrow.Record {
		return numbers(memory.DefaultAllocator, r,
			5000-1000*batch, 1000)
	})
	got, err = Check(t.Context(), []string{swapped}, up)
	require.NoError(t, err)
	require.Equal(t, &Violation{File: swapped, Row: 1000}, got.Violation)

	_, err = Check(t.Context(), files, Options{Keys: []arrowsort.Key{{Path: "no"}}})
	require.ErrorIs(t, err, arrowsort.ErrColumn)
}

func TestCheckOfDictionariesThatDiffer(t *testing.T) {
	in, out := filepath.Join(t.TempDir(), "in.arrows"), filepath.Join(t.TempDir(), "out.parquet")
	r := rand.New(rand.NewPCG(3, 3))
	generate(t, in, mixedSchema, 4, func(batch int) arrow.Record {
		return mixed(memory.DefaultAllocator, r, batch*500,
			500)
	})
	opts := Options{Keys: []arrowsort.Key{{Path: "word"}, {Path: "at"}}}
	got, err := Check(t.Context(), []string{in}, opts)
	require.NoError(t, err)
	require.NotNil(t, got.Violation)
	_, err = Sort(t.Context(), []string{in}, out, opts)
	require.NoError(t, err)
	got, err = Check(t.Context(), []string{out}, opts)
	require.NoError(t, err)
	require.Nil(t, got.Violation)
}

// TestCheckedRows: the rows that were checked are the same whether a file is streamed or read as a whole.
func TestCheckedRows(t *testing.T) {
	text, table := filepath.Join(t.TempDir(), "in.csv"), filepath.Join(t.TempDir(), "in.arrow")
	require.NoError(t, os.WriteFile(text, []byte("k\n1\n2\n3\n0\n5\n"), 0o600))
	writeColumns(t, table, []arrow.Field{{Name: "k", Type: arrow.PrimitiveTypes.Int64}}, "[1,2,3,0,5]")
	for limit, rows := range []int64{3, 1, 2, 3, 3, 3} {
		for _, path := range []string{text, table} {
			got, err := Check(t.Context(), []string{path}, Options{Keys: []arrowsort.Key{{Path: "k"}},
				Limit: int64(limit)})
			require.NoError(t, err)
			require.Equal(t, rows, got.Rows, "%s, limit %d", path, limit)
			require.Equal(t, limit == 0 || limit > 3, got.Violation != nil)
		}
	}
}
