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
	"github.com/parquet-go/parquet-go/format"
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

// visit has values that rise with the key in lists and structs, in few bits, and as decimals.
type visit struct {
	Key   int64    `parquet:"key"`
	Few   int16    `parquet:"few"`
	Price int64    `parquet:"price,decimal(2:15)"`
	Cents int32    `parquet:"cents,decimal(2:9)"`
	Times []int64  `parquet:"times,list"`
	Paths []string `parquet:"paths,list"`
	Place *stop    `parquet:"place,optional"`
}

type stop struct {
	Number int32   `parquet:"number"`
	Name   *string `parquet:"name,optional"`
}

func visits(n int) []visit {
	r, rows := rand.New(rand.NewPCG(4, 4)), make([]visit, n)
	for i := range rows {
		v := &rows[i]
		*v = visit{Key: int64(i), Few: int16(i), Price: int64(i) * 1e9, Cents: int32(-i), Times: []int64{},
			Paths: []string{}}
		for range r.IntN(4) {
			v.Times = append(v.Times, int64(i)*1e6+r.Int64N(1e6))
			v.Paths = append(v.Paths, fmt.Sprintf("/%x/%d", r.Uint64(), i))
		}
		if r.IntN(9) > 0 {
			name := fmt.Sprintf("a long name that others begin with, too: %07d", i)
			v.Place = &stop{int32(i) * 3, &name}
		}
	}
	return rows
}

// TestParquetGoReadsEncodingsOfNestedColumns, of decimals and of integers of few bits, as they are chosen by trial in
// pages of both versions.
func TestParquetGoReadsEncodingsOfNestedColumns(t *testing.T) {
	arrowsort, folder, rows := command(t), t.TempDir(), visits(20_000)
	in, out := filepath.Join(folder, "in.parquet"), filepath.Join(folder, "out.parquet")
	shuffled := slices.Clone(rows)
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(rows), func(i, j int) {
		shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
	})
	require.NoError(t, parquet.WriteFile(in, shuffled))
	for _, version := range []string{"1", "2"} {
		said, err := exec.CommandContext(t.Context(), arrowsort, "sort", "-k", "key", "--row-group-rows", "7000",
			"--page-version", version, "-o", out, in).CombinedOutput()
		require.NoError(t, err, string(said))
		file, err := os.Open(out)
		require.NoError(t, err)
		defer file.Close()
		info, err := file.Stat()
		require.NoError(t, err)
		f, err := parquet.OpenFile(file, info.Size())
		require.NoError(t, err)
		differences := 0
		for _, c := range f.Metadata().RowGroups[1].Columns {
			if slices.ContainsFunc(c.MetaData.Encoding, func(e format.Encoding) bool {
				return e == format.DeltaBinaryPacked || e == format.DeltaByteArray || e == format.DeltaLengthByteArray
			}) {
				differences++
			}
		}
		require.GreaterOrEqual(t, differences, 6)
		reader := parquet.NewGenericReader[visit](file)
		defer reader.Close()
		got := make([]visit, len(rows))
		n, err := reader.Read(got)
		require.True(t, err == nil || errors.Is(err, io.EOF), err)
		require.Equal(t, len(rows), n)
		for i := range rows {
			require.Equal(t, rows[i], got[i])
		}
	}
}

// TestParquetGoReadsBloomFilters: parquet-go finds all values of every row group in its Bloom filters, and few others,
// in files that are sorted and in those whose row groups are copied.
func TestParquetGoReadsBloomFilters(t *testing.T) {
	arrowsort, folder := command(t), t.TempDir()
	in, out := filepath.Join(folder, "in.parquet"), filepath.Join(folder, "out.parquet")
	copied := filepath.Join(folder, "copied.parquet")
	require.NoError(t, parquet.WriteFile(in, randomEvents(80_000)))
	columns := []string{"key", "big", "real", "half", "name", "text", "bytes", "id", "when", "tags.list.element",
		"place.y"}
	run := func(args ...string) {
		said, err := exec.CommandContext(t.Context(), arrowsort, args...).CombinedOutput()
		require.NoError(t, err, string(said))
	}
	for name, flags := range map[string][]string{
		"in memory":          {"--row-group-rows", "20000"},
		"larger than memory": {"--memory", "28MiB", "--spill-dir", folder, "--row-group-rows", "20000"},
	} {
		t.Run(name, func(t *testing.T) {
			args := append([]string{"sort", "-q", "-k", "key", "-o", out, in}, flags...)
			for _, column := range columns {
				args = append(args, "--bloom-filter", column+":0.02")
			}
			run(args...)
			requireBloomFilters(t, out, columns)
			run("sort", "-q", "-k", "key", "-o", copied, out)
			requireBloomFilters(t, copied, columns)
		})
	}
}

// requireBloomFilters requires Bloom filters of some leaf columns, and of no others.
func requireBloomFilters(t *testing.T, path string, columns []string) {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	f, err := parquet.OpenFile(readerAt(b), int64(len(b)))
	require.NoError(t, err)
	require.Greater(t, len(f.RowGroups()), 1)
	filters := 0
	for _, group := range f.RowGroups() {
		for _, chunk := range group.ColumnChunks() {
			filter := chunk.BloomFilter()
			if filter == nil {
				continue
			}
			filters++
			for _, v := range valuesOfChunk(t, chunk) {
				found, err := filter.Check(v)
				require.NoError(t, err)
				require.True(t, v.IsNull() || found, "column %d: %v", chunk.Column(), v)
			}
			const probes = 1000
			absent := 0
			for i := range probes {
				found, err := filter.Check(parquet.ByteArrayValue(fmt.Appendf(nil, "absent %d", i)))
				require.NoError(t, err)
				if found {
					absent++
				}
			}
			require.Less(t, absent, probes/20, "column %d", chunk.Column())
		}
	}
	require.Equal(t, len(columns)*len(f.RowGroups()), filters)
}

// valuesOfChunk reads all values of a column chunk.
func valuesOfChunk(t *testing.T, chunk parquet.ColumnChunk) (values []parquet.Value) {
	t.Helper()
	offsets, err := chunk.OffsetIndex()
	require.NoError(t, err)
	pages := chunk.Pages()
	defer pages.Close()
	for range offsets.NumPages() {
		page, err := pages.ReadPage()
		require.NoError(t, err)
		some := make([]parquet.Value, page.NumValues())
		_, _ = page.Values().ReadValues(some) // io.EOF is its end
		for _, v := range some {
			values = append(values, v.Clone())
		}
		parquet.Release(page)
	}
	return values
}
