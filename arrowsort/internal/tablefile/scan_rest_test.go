package tablefile

import (
	"io"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"
)

// Pieces far smaller than pages, of which none is kept from piece to piece.
func TestPiecesOfPagesThatAreNotKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "in.parquet")
	for name, opts := range map[string]WriteOptions{
		"snappy":       {RowGroupRows: 60_000, Compression: Compression{Codec: "snappy"}},
		"none":         {RowGroupRows: 60_000, Compression: Compression{Codec: "none"}},
		"a large page": {RowGroupRows: 60_000, PageRows: 60_000, Compression: Compression{Codec: "zstd"}},
	} {
		t.Run(name, func(t *testing.T) {
			writeNumbered(t, path, 3, 100_000, opts)
			whole, err := Read(t.Context(), path, ReadOptions{})
			require.NoError(t, err)
			defer whole.Table.Release()
			want := textOf(t, whole.Table)
			mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
			defer mem.AssertSize(t, 0)
			s, err := Scan(path, 1<<15, ReadOptions{Allocator: mem})
			require.NoError(t, err)
			defer s.Close()
			require.True(t, s.pieces.(*parquetPieces).rests)
			at := 0
			for pieces := 0; ; pieces++ {
				piece, err := s.Next(t.Context())
				if err == io.EOF {
					require.Greater(t, pieces, 20)
					break
				}
				require.NoError(t, err)
				got := textOf(t, piece)
				piece.Release()
				require.Equal(t, want[at:at+len(got)], got)
				at += len(got)
			}
			require.Len(t, want, at)
		})
	}
}
