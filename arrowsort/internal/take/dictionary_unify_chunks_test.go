package take

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
)

// The rows of unified chunks are the rows of the chunks, and equal indices mean equal values in all of them.
func TestUnifiedChunksHaveTheSameRows(t *testing.T) {
	for _, typ := range arrowtest.Types() {
		t.Run(typ.String(), func(t *testing.T) {
			mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
			defer mem.AssertSize(t, 0)
			rng := rand.New(rand.NewPCG(1, 2))
			var chunks []arrow.Array
			for i := range 4 {
				chunks = append(chunks, arrowtest.RandomSlice(rng, typ, 10*i, i, 0.3, mem))
			}
			defer releaseAll(chunks)
			unified, err := Unify(t.Context(), typ, chunks, Options{Allocator: mem})
			require.NoError(t, err)
			defer releaseAll(unified)
			for i, c := range chunks {
				require.Equal(t, rowsOf(c), rowsOf(unified[i]), "chunk %d", i)
				if typ.ID() == arrow.DICTIONARY {
					require.Same(t, unified[0].Data().Dictionary(), unified[i].Data().Dictionary())
				}
			}
		})
	}
}

func rowsOf(a arrow.Array) (rows []string) {
	for i := range a.Len() {
		rows = append(rows, arrowtest.Value(a, i))
	}
	return rows
}

func TestChunksOfOneDictionaryAreShared(t *testing.T) {
	typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	whole := dictionaryOf(t, memory.DefaultAllocator, typ, `[0, null, 1, 1]`, `["x", "y"]`)
	defer whole.Release()
	chunks := []arrow.Array{array.NewSlice(whole, 0, 2), array.NewSlice(whole, 2, 4)}
	defer releaseAll(chunks)
	unified, err := Unify(t.Context(), typ, chunks, Options{})
	require.NoError(t, err)
	defer releaseAll(unified)
	for i := range chunks {
		require.Same(t, chunks[i].Data().Buffers()[1], unified[i].Data().Buffers()[1])
	}
}

func TestUnifyNumbersNoMoreEntriesThanIndicesCan(t *testing.T) {
	typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.LargeString}
	for total, fine := range map[int]bool{128: true, 129: false} {
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		var chunks []arrow.Array
		for i := range total {
			chunks = append(chunks, dictionaryOf(t, mem, typ, `[0]`, fmt.Sprintf(`["entry %d"]`, i)))
		}
		unified, err := Unify(t.Context(), typ, chunks, Options{Allocator: mem})
		if fine {
			require.NoError(t, err)
			require.Equal(t, "entry 127", unified[127].ValueStr(0))
			releaseAll(unified)
		} else {
			require.ErrorIs(t, err, ErrDictionary)
			require.ErrorIs(t, err, arrow.ErrInvalid)
			require.ErrorContains(t, err,
				"129 different entries, int8 indices number 128; cast the column to a wider index type")
		}
		releaseAll(chunks)
		mem.AssertSize(t, 0)
	}
}
