package parquetsort

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"
)

// TestReadAhead: all pieces come in turn, the first error ends it, and every piece is released.
func TestReadAhead(t *testing.T) {
	broken, full := errors.New("broken"), errors.New("full")
	for _, c := range []struct {
		failNext, failUse int // the piece at which it fails; less than 0: none
		used              int
		err               error
	}{{-1, -1, 5, nil}, {3, -1, 3, broken}, {0, -1, 0, broken}, {-1, 2, 3, full}} {
		mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
		r := rand.New(rand.NewPCG(1, 2))
		read, used := 0, 0
		err := readAhead(t.Context(), func(context.Context) (piece, error) {
			if read == c.failNext {
				return piece{}, broken
			}
			if read == 5 {
				return piece{}, io.EOF
			}
			rec := numbers(mem, r, 0, 10)
			defer rec.Release()
			read++
			return piece{array.NewTableFromRecords(numbersSchema, []arrow.Record{rec}), int64(read)}, nil
		}, func(_ context.Context, p piece) error {
			require.EqualValues(t, 10, p.NumRows())
			used++
			require.EqualValues(t, used, p.done)
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
		mem.AssertSize(t, 0)
	}
}
