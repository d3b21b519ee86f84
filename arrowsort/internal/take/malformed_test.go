package take

import (
	"encoding/binary"
	"math/rand/v2"
	gostrings "strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
)

// Buffers with random bytes in them: whatever they say, the call ends with a result or an error, and frees
// everything. Any read outside of a buffer that this provokes is a bug.
func TestMalformedBuffersAreAnError(t *testing.T) {
	failures := 0
	for _, typ := range arrowtest.Types() {
		for seed := range uint64(20) {
			rng := rand.New(rand.NewPCG(seed, 1))
			source := memory.NewGoAllocator()
			chunks := randomColumn(rng, typ, layout{[]int{50, 40}, []int{3, 0}}, 0.2, source)
			for _, c := range chunks {
				corrupt(rng, c.Data())
			}
			mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
			rows := rowPatterns(rng, 90)["random"]
			run := func() (err error) {
				defer arraydata.Guard(&err) // arrow's own constructors panic on some of the results
				got, err := Take(t.Context(), typ, chunks, rows, Options{Allocator: mem})
				releaseAll(got)
				return err
			}
			if err := run(); err != nil {
				failures++
				require.ErrorIs(t, err, arrow.ErrInvalid, "%s seed %d", typ, seed)
			}
			mem.AssertSize(t, 0)
		}
	}
	require.Greater(t, failures, 100, "the buffers are not corrupt enough to test anything")
}

// corrupt overwrites one value of every buffer but the validity.
func corrupt(rng *rand.Rand, data arrow.ArrayData) {
	for i, b := range data.Buffers() {
		if i > 0 && b != nil && b.Len() >= 4 {
			at := rng.IntN(b.Len()/4) * 4
			binary.LittleEndian.PutUint32(b.Bytes()[at:], rng.Uint32()>>rng.IntN(32))
		}
	}
	for _, child := range data.Children() {
		corrupt(rng, child)
	}
}

func TestShortBuffersAreAnError(t *testing.T) {
	mem := arrowtest.Checked(t)
	short := memory.NewBufferBytes(make([]byte, 39))
	data := array.NewData(arrow.PrimitiveTypes.Int64, 5, []*memory.Buffer{nil, short}, nil, 0, 0)
	g := newGatherer(t.Context(), Options{Allocator: mem}, 1000)
	defer g.release()
	_, err := g.column(arrow.PrimitiveTypes.Int64, []chunk{{data, 0, 5}}, positionList{4})
	require.ErrorIs(t, err, arraydata.ErrMalformed)
	require.ErrorContains(t, err, "buffer 1 has 39 bytes, too few for 5 rows")
	_, err = g.column(arrow.PrimitiveTypes.Int32, []chunk{{data, 0, 5}}, positionList{4})
	require.ErrorContains(t, err, "chunk 0 is stored as INT64, the column as INT32")
}

// TestUnifyOfMalformedChunksLeavesNothing: Arrow's constructors panic on one of the results, which keeps no memory.
func TestUnifyOfMalformedChunksLeavesNothing(t *testing.T) {
	mem := arrowtest.Checked(t)
	typ := arrow.StructOf(arrow.Field{Name: "d", Type: &arrow.DictionaryType{
		IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}},
		arrow.Field{Name: "s", Type: arrow.BinaryTypes.String})
	chunks := make([]arrow.Array, 2)
	for i, text := range []string{`[{"d":"a","s":"b"}]`, `[{"d":"c","s":"d"}]`} {
		var err error
		chunks[i], _, err = array.FromJSON(mem, typ, gostrings.NewReader(text))
		require.NoError(t, err)
	}
	defer releaseAll(chunks)
	offsets := chunks[1].Data().Children()[1].Buffers()[1]
	binary.LittleEndian.PutUint32(offsets.Bytes()[4:], 99)
	got, err := Unify(t.Context(), typ, chunks, Options{Allocator: mem})
	require.ErrorIs(t, err, arraydata.ErrMalformed)
	require.Nil(t, got)
}
