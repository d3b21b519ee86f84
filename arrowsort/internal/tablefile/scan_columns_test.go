package tablefile

import (
	"io"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/arraydata"
)

func TestScanSomeColumns(t *testing.T) {
	for _, name := range []string{"t.parquet", "t.arrow", "t.arrows"} {
		t.Run(name, func(t *testing.T) {
			mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
			defer mem.AssertSize(t, 0)
			table := nestedTable(t, mem)
			defer table.Release()
			path := filepath.Join(t.TempDir(), name)
			_, err := Write(t.Context(), path, table, WriteOptions{Allocator: mem})
			require.NoError(t, err)
			s, err := Scan(path, 0, ReadOptions{Allocator: mem})
			require.NoError(t, err)
			defer s.Close()
			whole := s.Schema
			s.Choose([]int{2, 0})
			require.True(t, arraydata.Pick(whole, []int{2, 0}).Equal(s.Schema))
			var got []string
			for {
				piece, err := s.Next(t.Context())
				if err == io.EOF {
					break
				}
				require.NoError(t, err)
				require.True(t, s.Schema.Equal(piece.Schema()))
				got = append(got, textOf(t, piece)...)
				piece.Release()
			}
			columns := []arrow.Column{*table.Column(2), *table.Column(0)}
			want := array.NewTable(arraydata.Pick(table.Schema(), []int{2, 0}), columns, table.NumRows())
			defer want.Release()
			require.Equal(t, textOf(t, want), got)
		})
	}
}
