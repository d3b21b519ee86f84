package arraydata

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"
)

// TestPrefetch: all pieces come in turn, the first error ends it, and every piece is released.
func TestPrefetch(t *testing.T) {
	numbers := arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int64}}, nil)
	broken, full := errors.New("broken"), errors.New("full")
	for _, c := range []struct {
		failNext, failUse int // the piece at which it fails; less than 0: none
		used              int
		err               error
	}{{-1, -1, 5, nil}, {3, -1, 3, broken}, {0, -1, 0, broken}, {-1, 2, 3, full}} {
		mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
		b := array.NewRecordBuilder(mem, numbers)
		read, used := 0, 0
		err := Prefetch(t.Context(), func(context.Context) (Piece, error) {
			if read == c.failNext {
				return Piece{}, broken
			}
			if read == 5 {
				return Piece{}, io.EOF
			}
			b.Field(0).(*array.Int64Builder).AppendValues(make([]int64, 10), nil)
			rec := b.NewRecord()
			defer rec.Release()
			read++
			return Piece{array.NewTableFromRecords(rec.Schema(), []arrow.Record{rec}), int64(read)}, nil
		}, func(_ context.Context, p Piece) error {
			require.EqualValues(t, 10, p.NumRows())
			used++
			require.EqualValues(t, used, p.Done)
			if used-1 == c.failUse {
				return full
			}
			return nil
		})
		require.Equal(t, c.err, err)
		if c.err == broken {
			require.LessOrEqual(t, used, c.used)
		} else {
			require.Equal(t, c.used, used)
		}
		b.Release()
		mem.AssertSize(t, 0)
	}
}
