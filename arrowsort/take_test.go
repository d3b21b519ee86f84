package arrowsort_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
)

var integers = []arrow.DataType{
	arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64,
	arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Uint64,
}

func TestTakeByEveryIntegerType(t *testing.T) {
	mem := arrowtest.Checked(t)
	text := fromJSON(t, mem, arrow.BinaryTypes.String, `["a", null, "c", "d"]`)
	rec := record(t, []string{"t"}, text)
	for _, typ := range integers {
		whole := fromJSON(t, mem, typ, `[9, 3, 3, 1, 0]`)
		rows := array.NewSlice(whole, 1, 5)
		for limit, want := range [][]string{{`"d"`, `"d"`, "null", `"a"`}, {`"d"`}, {`"d"`, `"d"`}} {
			taken, err := arrowsort.Take(t.Context(), rec, rows, arrowsort.Options{Allocator: mem, Limit: limit})
			require.NoError(t, err)
			require.Equal(t, want, texts(taken.Column(0)), "%s, limit %d", typ, limit)
			taken.Release()
		}
		rows.Release()
	}
}

func TestTakeOfEveryType(t *testing.T) {
	for seed, typ := range arrowtest.Types() {
		mem := arrowtest.Checked(t)
		rng := rand.New(rand.NewPCG(uint64(seed), 7))
		chunks := randomChunks(rng, mem, typ, 0.2, 30, 0, 41)
		b := array.NewInt32Builder(mem)
		for range 100 {
			b.Append(rng.Int32N(71))
		}
		rows := b.NewInt32Array()
		b.Release()
		tbl := table(t, []string{"v"}, chunks)
		taken, err := arrowsort.Take(t.Context(), tbl, rows, arrowsort.Options{Allocator: mem})
		require.NoError(t, err, "%s", typ)
		all, got := texts(chunks...), texts(taken.Column(0).Data().Chunks()...)
		require.Len(t, got, 100)
		for i, row := range rows.Int32Values() {
			require.Equal(t, all[row], got[i], "%s, row %d", typ, i)
		}
		taken.Release()
		rows.Release()
		releaseAll(chunks)
	}
}

func TestTakeOfBadRows(t *testing.T) {
	mem := arrowtest.Checked(t)
	a := fromJSON(t, mem, arrow.PrimitiveTypes.Int32, `[10, 20, 30]`)
	opts := arrowsort.Options{Allocator: mem}
	for _, typ := range integers {
		for text, want := range map[string]string{
			`[0, 1, 3]`:       "the row number at position 2 is 3, the data has 3 rows",
			`[0, null, 1]`:    "the row number at position 1 is null",
			`[null, 9]`:       "the row number at position 0 is null",
			`[0, 2, 100, 99]`: "the row number at position 2 is 100, the data has 3 rows",
		} {
			_, err := arrowsort.Take(t.Context(), a, fromJSON(t, mem, typ, text), opts)
			require.ErrorIs(t, err, arrowsort.ErrIndex)
			require.ErrorIs(t, err, arrow.ErrIndex)
			require.EqualError(t, err, "arrowsort: invalid row number: "+want)
		}
	}
	for _, typ := range integers[:4] {
		_, err := arrowsort.Take(t.Context(), a, fromJSON(t, mem, typ, `[0, -1]`), opts)
		require.EqualError(
			t, err, "arrowsort: invalid row number: the row number at position 1 is -1, the data has 3 rows",
			fmt.Sprint(typ),
		)
	}
	_, err := arrowsort.Take(t.Context(), a, fromJSON(t, mem, arrow.BinaryTypes.String, `["0"]`), opts)
	require.EqualError(t, err, "arrowsort: invalid row number: an array of type utf8; give integers")
	_, err = arrowsort.Take(t.Context(), a, nil, opts)
	require.ErrorIs(t, err, arrowsort.ErrOption)
}

// TestTakePast2GiB takes a large string so often that 32-bit offsets would pass 2 GiB.
func TestTakePast2GiB(t *testing.T) {
	mem := arrowtest.Checked(t)
	const size = 1 << 20
	b := array.NewStringBuilder(mem)
	b.Append(string(make([]byte, size)))
	a := b.NewArray()
	b.Release()
	defer a.Release()
	rows := array.NewUint8Builder(mem)
	rows.AppendValues(make([]uint8, 2048), nil)
	numbers := rows.NewArray()
	rows.Release()
	defer numbers.Release()
	_, err := arrowsort.Take(t.Context(), record(t, []string{"text"}, a), numbers, arrowsort.Options{Allocator: mem})
	require.ErrorIs(t, err, arrowsort.ErrOffsets)
	require.ErrorIs(t, err, arrow.ErrInvalid)
	require.ErrorContains(t, err, "column text")
}

// TestMoreThan4GRows uses nulls, which take no memory.
func TestMoreThan4GRows(t *testing.T) {
	rows := int64(1) << 33
	if strconv.IntSize == 32 {
		return // no int holds them, and so no array has them
	}
	mem := arrowtest.Checked(t)
	opts := arrowsort.Options{Allocator: mem}
	nulls := array.NewNull(int(rows))
	defer nulls.Release()
	taken, err := arrowsort.Take(
		t.Context(), nulls, fromJSON(t, mem, arrow.PrimitiveTypes.Uint64, `[8589934591, 0]`), opts,
	)
	require.NoError(t, err)
	require.Equal(t, 2, taken.Len())
	taken.Release()
	_, err = arrowsort.Take(t.Context(), nulls, fromJSON(t, mem, arrow.PrimitiveTypes.Int64, `[0, 8589934592]`), opts)
	require.EqualError(
		t, err,
		"arrowsort: invalid row number: the row number at position 1 is 8589934592, the data has 8589934592 rows",
	)

	_, err = arrowsort.SortIndices(t.Context(), nulls, nil, opts)
	require.ErrorIs(t, err, arrowsort.ErrRows)
	require.EqualError(t, err, "arrowsort: too many rows: 8589934592; sort fewer than 2^32 at once")
	first := array.NewSlice(nulls, 0, 10)
	defer first.Release()
	sorted, row, err := arrowsort.IsSorted(t.Context(), first, nil, opts)
	require.NoError(t, err)
	require.True(t, sorted)
	require.Equal(t, -1, row)
}

func TestTakeDoesNotCopyRowNumbers(t *testing.T) {
	mem := arrowtest.Checked(t)
	rows := fromJSON(t, mem, arrow.PrimitiveTypes.Uint32, `[1, 0]`)
	none := &exhausted{Allocator: mem, left: 0}
	bare := array.NewRecord(arrow.NewSchema(nil, nil), nil, 5)
	defer bare.Release()
	taken, err := arrowsort.Take(t.Context(), bare, rows, arrowsort.Options{Allocator: none})
	require.NoError(t, err)
	taken.Release()
}
