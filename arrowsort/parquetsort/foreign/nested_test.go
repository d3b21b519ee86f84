package foreign

import (
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
