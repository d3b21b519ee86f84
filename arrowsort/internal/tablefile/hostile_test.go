package tablefile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/internal/testrun"
)

// TestHostileFiles: small files that declare large things, of testdata/hostile, end in an error soon and with little
// memory.
func TestHostileFiles(t *testing.T) {
	paths, err := filepath.Glob("testdata/hostile/*.parquet")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		for name, read := range map[string]func() error{
			"read": func() error { _, err := Read(t.Context(), path, ReadOptions{}); return err },
			"scan": func() error { return scanToEnd(t, path, ReadOptions{}) },
		} {
			t.Run(filepath.Base(path)+"/"+name, func(t *testing.T) {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				began := time.Now()
				err := read()
				runtime.ReadMemStats(&after)
				require.Error(t, err)
				require.True(t, errors.Is(err, ErrCorrupt) || errors.Is(err, ErrLimit) ||
					errors.Is(err, ErrUnsupported), "%v", err)
				require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<20))
				require.Less(t, time.Since(began), 10*time.Second)
			})
		}
	}
}

func scanToEnd(t *testing.T, path string, opts ReadOptions) error {
	s, err := Scan(path, 1<<20, opts)
	if err != nil {
		return err
	}
	defer s.Close()
	for {
		table, err := s.Next(t.Context())
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		table.Release()
	}
}

// TestLimitOfSmallFiles: a file of few bytes takes no more than leastLimit, unless the limit is set.
func TestLimitOfSmallFiles(t *testing.T) {
	const rows = 1 << 20
	zeros := array.NewInt64Data(array.NewData(arrow.PrimitiveTypes.Int64, rows,
		[]*memory.Buffer{nil, memory.NewBufferBytes(make([]byte, 8*rows))}, nil, 0, 0))
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int64}}, nil)
	batch := array.NewRecord(schema, []arrow.Array{zeros}, rows)
	const batches = 1 + leastLimit/(8*rows)
	for _, format := range testrun.Sample(3, binaryFormats) {
		path := filepath.Join(t.TempDir(), "zeros."+format.String())
		w, err := Create(t.Context(), path, schema, WriteOptions{Compression: Compression{Codec: "zstd"}})
		require.NoError(t, err)
		table := array.NewTableFromRecords(schema, []arrow.Record{batch})
		for range batches {
			require.NoError(t, w.Write(t.Context(), table))
		}
		require.NoError(t, w.Finish())
		_, err = w.Commit()
		require.NoError(t, err)
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Less(t, info.Size(), int64(1<<20))
		require.ErrorIs(t, scanToEnd(t, path, ReadOptions{}), ErrLimit, format)
		require.NoError(t, scanToEnd(t, path, ReadOptions{MemoryLimit: 64 << 20}), format)
		_, err = Read(t.Context(), path, ReadOptions{MemoryLimit: 64 << 20})
		require.ErrorIs(t, err, ErrLimit, format)
	}
}
