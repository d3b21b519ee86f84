package take

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// A layout is how a column is cut: the rows of each chunk and the rows before each in its buffers.
type layout struct{ rows, offsets []int }

var layouts = []layout{
	{}, {[]int{0}, []int{0}}, {[]int{1}, []int{0}}, {[]int{200}, []int{0}}, {[]int{200}, []int{1}},
	{[]int{130}, []int{63}}, {[]int{65, 0, 3, 100, 1}, []int{0, 7, 31, 63, 1}}, {[]int{0, 0, 64}, []int{0, 1, 64}},
}

// randomColumn makes the chunks of a layout.
func randomColumn(rng *rand.Rand, typ arrow.DataType, l layout, nulls float64, mem memory.Allocator) []arrow.Array {
	chunks := make([]arrow.Array, len(l.rows))
	for i, n := range l.rows {
		chunks[i] = arrowtest.RandomSlice(rng, typ, n, l.offsets[i], nulls, mem)
	}
	return chunks
}

func releaseAll(arrays []arrow.Array) {
	for _, a := range arrays {
		a.Release()
	}
}

func rowCount(arrays []arrow.Array) (n int) {
	for _, a := range arrays {
		n += a.Len()
	}
	return n
}

// valueOf returns row i of the arrays, one after the other.
func valueOf(arrays []arrow.Array, i int) string {
	for _, a := range arrays {
		if i < a.Len() {
			return arrowtest.Value(a, i)
		}
		i -= a.Len()
	}
	panic("row out of range")
}

// rowPatterns returns row numbers of a column of n rows.
func rowPatterns(rng *rand.Rand, n int) map[string][]uint32 {
	patterns := map[string][]uint32{"none": {}, "nil": nil}
	if n == 0 {
		return patterns
	}
	add := func(name string, count int, row func(i int) int) {
		rows := make([]uint32, count)
		for i := range rows {
			rows[i] = uint32(row(i))
		}
		patterns[name] = rows
	}
	add("all", n, func(i int) int { return i })
	add("reversed", n, func(i int) int { return n - 1 - i })
	add("random", 2*n+1, func(int) int { return rng.IntN(n) })
	add("one row", 70, func(int) int { return n / 2 })
	add("last", 1, func(int) int { return n - 1 })
	add("runs", n, func(i int) int { return (i / 5 * 7) % n })
	return patterns
}

func requireTaken(
	t *testing.T, typ arrow.DataType, chunks []arrow.Array, rows []uint32, got []arrow.Array, context string,
) {
	t.Helper()
	require.Equal(t, len(rows), rowCount(got), "%s: rows", context)
	i := 0
	for _, a := range got {
		require.True(t, arrow.TypeEqual(typ, a.DataType()), "%s: type %s", context, a.DataType())
		nulls := 0
		for k := range a.Len() {
			require.Equal(
				t, valueOf(chunks, int(rows[i])), arrowtest.Value(a, k), "%s: row %d, from row %d", context, i, rows[i],
			)
			if a.IsNull(k) {
				nulls++
			}
			i++
		}
		if typ.ID() != arrow.NULL {
			require.Equal(t, nulls, a.NullN(), "%s: null count", context)
		}
		require.True(t, array.Equal(a, a), "%s: consistent", context)
		if u, ok := a.(array.Union); ok {
			require.NoError(t, u.ValidateFull(), context)
		}
	}
}

func TestTakeEveryType(t *testing.T) {
	for _, typ := range arrowtest.Types() {
		t.Run(typ.String(), func(t *testing.T) {
			for li, l := range layouts {
				for _, nulls := range []float64{0, 0.25, 1} {
					if !testrun.Share(3, typ, li, nulls) {
						continue
					}
					rng := rand.New(rand.NewPCG(7, uint64(li)))
					mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
					chunks := randomColumn(rng, typ, l, nulls, mem)
					for name, rows := range rowPatterns(rng, rowCount(chunks)) {
						context := fmt.Sprintf("layout %d, nulls %v, rows %s", li, nulls, name)
						got, err := Take(t.Context(), typ, chunks, rows, Options{Allocator: mem})
						require.NoError(t, err, context)
						require.Len(t, got, 1, context)
						requireTaken(t, typ, chunks, rows, got, context)
						wide := make([]uint64, len(rows))
						for i, r := range rows {
							wide[i] = uint64(r)
						}
						same, err := Take(t.Context(), typ, chunks, wide, Options{Allocator: mem, Threads: 1})
						require.NoError(t, err, context)
						requireTaken(t, typ, chunks, rows, same, context+", 64-bit")
						releaseAll(got)
						releaseAll(same)
					}
					releaseAll(chunks)
					mem.AssertSize(t, 0)
				}
			}
		})
	}
}

// The result must not depend on the chunks: it is read after they are gone.
func TestResultOutlivesItsChunks(t *testing.T) {
	for _, typ := range arrowtest.Types() {
		rng := rand.New(rand.NewPCG(9, 9))
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		chunks := randomColumn(rng, typ, layout{[]int{50, 30}, []int{3, 0}}, 0.2, mem)
		rows := rowPatterns(rng, 80)["random"]
		want := make([]string, len(rows))
		for i, r := range rows {
			want[i] = valueOf(chunks, int(r))
		}
		got, err := Take(t.Context(), typ, chunks, rows, Options{Allocator: mem})
		require.NoError(t, err, "%s", typ)
		releaseAll(chunks)
		for i := range rows {
			require.Equal(t, want[i], valueOf(got, i), "%s row %d", typ, i)
		}
		releaseAll(got)
		mem.AssertSize(t, 0)
	}
}

// Several tiles, on several goroutines, with a last tile of few rows.
func TestTakeManyRows(t *testing.T) {
	for _, typ := range testrun.Sample(2, arrowtest.Types()) {
		if r, ok := typ.(*arrow.RunEndEncodedType); ok && r.RunEnds().ID() == arrow.INT16 {
			continue // 16-bit run ends hold no two tiles: TestSplit has them
		}
		rng := rand.New(rand.NewPCG(11, 1))
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		chunks := randomColumn(rng, typ, layout{[]int{300, 200}, []int{5, 0}}, 0.2, mem)
		rows := make([]uint32, 2*tileRows+77)
		for i := range rows {
			rows[i] = uint32(rng.IntN(500))
		}
		got, err := Take(t.Context(), typ, chunks, rows, Options{Allocator: mem, Threads: 4})
		require.NoError(t, err, "%s", typ)
		require.Equal(t, len(rows), got[0].Len(), "%s", typ)
		for _, i := range []int{0, 1, tileRows - 1, tileRows, tileRows + 1, 2*tileRows - 1, 2 * tileRows,
			len(rows) - 1} {
			require.Equal(t, valueOf(chunks, int(rows[i])), valueOf(got, i), "%s row %d", typ, i)
		}
		for range 2000 {
			i := rng.IntN(len(rows))
			require.Equal(t, valueOf(chunks, int(rows[i])), valueOf(got, i), "%s row %d", typ, i)
		}
		releaseAll(got)
		releaseAll(chunks)
		mem.AssertSize(t, 0)
	}
}

func TestRowPastTheEnd(t *testing.T) {
	for _, typ := range arrowtest.Types() {
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		chunks := randomColumn(rand.New(rand.NewPCG(1, 1)), typ, layout{[]int{5, 5}, []int{0, 1}}, 0.5, mem)
		_, err := Take(t.Context(), typ, chunks, []uint64{0, 10}, Options{Allocator: mem})
		require.ErrorIs(t, err, arrow.ErrIndex, "%s", typ)
		require.ErrorContains(t, err, "row 10 of a column of 10 rows")
		_, err = Take(t.Context(), typ, nil, []uint64{math.MaxUint64}, Options{Allocator: mem})
		require.ErrorIs(t, err, arrow.ErrIndex, "%s", typ)
		releaseAll(chunks)
		mem.AssertSize(t, 0)
	}
}

func TestChunksOfAnotherType(t *testing.T) {
	arr := arrowtest.Random(rand.New(rand.NewPCG(1, 1)), arrow.PrimitiveTypes.Int64, 9, 0, memory.DefaultAllocator)
	defer arr.Release()
	_, err := Take(t.Context(), arrow.PrimitiveTypes.Int32, []arrow.Array{arr}, []uint32{0}, Options{})
	require.ErrorIs(t, err, arrow.ErrInvalid)
	require.ErrorContains(t, err, "chunk 0 is int64, the column is int32")
}
