package foreign

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"
)

type flight struct {
	Origin string  `parquet:"origin,dict"`
	Delay  *int32  `parquet:"delay,optional"`
	Length float64 `parquet:"length"`
	Row    int64   `parquet:"row"`
}

// command builds the command line of the module above.
func command(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "arrowsort")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", path, "./arrowsort/cmd/arrowsort")
	build.Dir = filepath.Join("..", "..", "..")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	return path
}

func randomFlights(n int) []flight {
	r := rand.New(rand.NewPCG(1, 1))
	rows := make([]flight, n)
	for i := range rows {
		rows[i] = flight{Origin: fmt.Sprintf("airport %d", r.IntN(30)), Length: r.Float64(), Row: int64(i)}
		if delay := r.Int32N(200) - 50; delay > -45 {
			rows[i].Delay = &delay
		}
	}
	return rows
}

// read reads a file, and makes sure that all row groups name the order origin descending, delay ascending with nulls
// first.
func read(t *testing.T, path string) []flight {
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	info, err := file.Stat()
	require.NoError(t, err)
	f, err := parquet.OpenFile(file, info.Size())
	require.NoError(t, err)
	require.Greater(t, len(f.RowGroups()), 1)
	for _, group := range f.RowGroups() {
		order := group.SortingColumns()
		require.Len(t, order, 2)
		require.Equal(t, []string{"origin"}, order[0].Path())
		require.True(t, order[0].Descending())
		require.False(t, order[0].NullsFirst())
		require.Equal(t, []string{"delay"}, order[1].Path())
		require.False(t, order[1].Descending())
		require.True(t, order[1].NullsFirst())
	}
	reader := parquet.NewGenericReader[flight](file)
	defer reader.Close()
	rows := make([]flight, f.NumRows())
	n, err := reader.Read(rows)
	if !errors.Is(err, io.EOF) {
		require.NoError(t, err)
	}
	require.Equal(t, len(rows), n)
	return rows
}

func compare(a, b flight) int {
	value := func(p *int32) int32 {
		if p == nil {
			return -1 << 31
		}
		return *p
	}
	return cmp.Or(cmp.Compare(b.Origin, a.Origin), cmp.Compare(value(a.Delay), value(b.Delay)))
}

func TestParquetGoAgrees(t *testing.T) {
	arrowsort := command(t)
	folder := t.TempDir()
	rows := randomFlights(400_000)
	in, out := filepath.Join(folder, "in.parquet"), filepath.Join(folder, "out.parquet")
	require.NoError(t, parquet.WriteFile(in, rows, parquet.Compression(&parquet.Snappy),
		parquet.MaxRowsPerRowGroup(50_000)))
	slices.SortStableFunc(rows, compare)
	for name, flags := range map[string][]string{
		"in memory":          {},
		"larger than memory": {"--memory", "16MiB", "--spill-dir", folder},
	} {
		t.Run(name, func(t *testing.T) {
			args := append([]string{"sort", "-k", "origin:desc", "-k", "delay:nulls-first", "--row-group-rows", "40000",
				"-o", out, in}, flags...)
			said, err := exec.CommandContext(t.Context(), arrowsort, args...).CombinedOutput()
			require.NoError(t, err, string(said))
			if len(flags) > 0 {
				require.Contains(t, string(said), "runs, ", "nothing was spilled")
			}
			require.Equal(t, rows, read(t, out))
		})
	}
}
