package take

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	gostrings "strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
)

// dictionaryOf makes a dictionary array from its indices and entries, both in JSON.
func dictionaryOf(t *testing.T, mem memory.Allocator, typ *arrow.DictionaryType, indices, entries string) arrow.Array {
	t.Helper()
	index, _, err := array.FromJSON(mem, typ.IndexType, gostrings.NewReader(indices))
	require.NoError(t, err)
	defer index.Release()
	dict, _, err := array.FromJSON(mem, typ.ValueType, gostrings.NewReader(entries))
	require.NoError(t, err)
	defer dict.Release()
	return array.NewDictionaryArray(typ, index, dict)
}

func TestDictionaries(t *testing.T) {
	i8, str := arrow.PrimitiveTypes.Int8, arrow.BinaryTypes.String
	for _, c := range []struct {
		name    string
		value   arrow.DataType
		a, b    string // entries of two chunks with indices 0, null, 1
		want    []string
		entries int // of the result's dictionary
	}{
		{"overlapping", str, `["x", "y"]`, `["y", "z"]`, []string{"x", "(null)", "y", "y", "(null)", "z"}, 3},
		{"equal", str, `["x", "y"]`, `["x", "y"]`, []string{"x", "(null)", "y", "x", "(null)", "y"}, 2},
		{"null entries", str, `["x", null]`, `[null, "x"]`, []string{"x", "(null)", "(null)", "(null)", "(null)", "x"},
			2},
		{"empty string and null", str, `["", "y"]`, `[null, ""]`, []string{"", "(null)", "y", "(null)", "(null)", ""},
			3},
		{"repeated entries", str, `["x", "x"]`, `["x", "z"]`, []string{"x", "(null)", "x", "x", "(null)", "z"}, 2},
		{"large strings", arrow.BinaryTypes.LargeString, `["x", "y"]`, `["y", "z"]`,
			[]string{"x", "(null)", "y", "y", "(null)", "z"}, 3},
		{"views", arrow.BinaryTypes.StringView, `["x", "twelve bytes and more"]`, `["twelve bytes and more", "z"]`,
			[]string{"x", "(null)", "twelve bytes and more", "twelve bytes and more", "(null)", "z"}, 3},
		{"bool", arrow.FixedWidthTypes.Boolean, `[true, false]`, `[false, true]`,
			[]string{"true", "(null)", "false", "false", "(null)", "true"}, 2},
		{"lists", arrow.ListOf(i8), `[[1], [2]]`, `[[2], [3]]`,
			[]string{"[1]", "(null)", "[2]", "[2]", "(null)", "[3]"}, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			mem := arrowtest.Checked(t)
			typ := &arrow.DictionaryType{IndexType: i8, ValueType: c.value}
			chunks := []arrow.Array{dictionaryOf(t, mem, typ, `[0, null, 1]`, c.a),
				dictionaryOf(t, mem, typ, `[0, null, 1]`, c.b)}
			defer releaseAll(chunks)
			got, err := Take(t.Context(), typ, chunks, []uint32{0, 1, 2, 3, 4, 5}, Options{Allocator: mem})
			require.NoError(t, err)
			defer releaseAll(got)
			d := got[0].(*array.Dictionary)
			for i, want := range c.want {
				have := "(null)"
				if d.IsValid(i) {
					have = d.Dictionary().ValueStr(d.GetValueIndex(i))
				}
				require.Equal(t, want, have, "row %d", i)
			}
			require.Equal(t, c.entries, d.Dictionary().Len())
		})
	}
}

func TestOneDictionaryIsShared(t *testing.T) {
	typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	whole := dictionaryOf(t, memory.DefaultAllocator, typ, `[0, null, 1, 1]`, `["x", "y"]`)
	defer whole.Release()
	chunks := []arrow.Array{array.NewSlice(whole, 0, 2), array.NewSlice(whole, 2, 4)}
	defer releaseAll(chunks)
	got, err := Take(t.Context(), typ, chunks, []uint32{3, 0}, Options{})
	require.NoError(t, err)
	defer releaseAll(got)
	require.Same(t, whole.Data().Dictionary(), got[0].Data().Dictionary())
}

func TestChunksWithoutRowsAddNoEntries(t *testing.T) {
	typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	a := dictionaryOf(t, memory.DefaultAllocator, typ, `[0, 1]`, `["x", "y"]`)
	b := dictionaryOf(t, memory.DefaultAllocator, typ, `[]`, `["z"]`)
	defer releaseAll([]arrow.Array{a, b})
	got, err := Take(t.Context(), typ, []arrow.Array{b, a}, []uint32{1}, Options{})
	require.NoError(t, err)
	defer releaseAll(got)
	require.Same(t, a.Data().Dictionary(), got[0].Data().Dictionary())
	none, err := Take(t.Context(), typ, []arrow.Array{b}, []uint32{}, Options{})
	require.NoError(t, err)
	defer releaseAll(none)
	require.Same(t, b.Data().Dictionary(), none[0].Data().Dictionary())
}

// What lies under a null need not be an index: it is not looked up, and the result has 0 there.
func TestGarbageUnderNullIndices(t *testing.T) {
	typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	a := dictionaryOf(t, memory.DefaultAllocator, typ, `[0, null]`, `["x"]`)
	b := dictionaryOf(t, memory.DefaultAllocator, typ, `[0, null]`, `["y"]`)
	defer releaseAll([]arrow.Array{a, b})
	a.Data().Buffers()[1].Bytes()[1], b.Data().Buffers()[1].Bytes()[1] = 0xFF, 99
	got, err := Take(t.Context(), typ, []arrow.Array{a, b}, []uint32{1, 3, 2}, Options{})
	require.NoError(t, err)
	defer releaseAll(got)
	require.Equal(t, []byte{0, 0, 1}, got[0].Data().Buffers()[1].Bytes())
	require.Equal(t, 2, got[0].NullN())
}

// Zeros of both signs and NaNs of different bits are different entries.
func TestFloatEntriesKeepTheirBits(t *testing.T) {
	mem := arrowtest.Checked(t)
	typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.PrimitiveTypes.Float64}
	bits := []uint64{0, 1 << 63, math.Float64bits(math.NaN()), 0xFFF8000000000001}
	var chunks []arrow.Array
	for _, b := range bits {
		builder := array.NewFloat64Builder(mem)
		builder.Append(math.Float64frombits(b))
		dict := builder.NewArray()
		indices := array.NewInt8Builder(mem)
		indices.Append(0)
		index := indices.NewArray()
		chunks = append(chunks, array.NewDictionaryArray(typ, index, dict))
		for _, r := range []interface{ Release() }{builder, dict, indices, index} {
			r.Release()
		}
	}
	defer releaseAll(chunks)
	got, err := Take(t.Context(), typ, chunks, []uint64{0, 1, 2, 3}, Options{Allocator: mem})
	require.NoError(t, err)
	defer releaseAll(got)
	d := got[0].(*array.Dictionary)
	for i, want := range bits {
		require.Equal(t, want, math.Float64bits(d.Dictionary().(*array.Float64).Value(d.GetValueIndex(i))), "row %d", i)
	}
}

func TestTooManyEntriesForTheIndexType(t *testing.T) {
	mem := arrowtest.Checked(t)
	typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	var chunks []arrow.Array
	for c := range 129 {
		chunks = append(chunks, dictionaryOf(t, mem, typ, `[0]`, fmt.Sprintf(`["entry %d"]`, c)))
	}
	defer releaseAll(chunks)
	got, err := Take(t.Context(), typ, chunks[:128], []uint32{127}, Options{Allocator: mem})
	require.NoError(t, err)
	require.Equal(t, "entry 127", got[0].ValueStr(0))
	releaseAll(got)
	_, err = Take(t.Context(), typ, chunks, []uint32{127}, Options{Allocator: mem})
	require.ErrorIs(t, err, arrow.ErrInvalid)
	require.ErrorContains(
		t, err, "129 different entries, int8 indices number 128; cast the column to a wider index type",
	)
}

// wordsColumn returns chunks of a dictionary type, each with a separate dictionary.
func wordsColumn(t *testing.T, chunks, entries int) (*arrow.DictionaryType, []arrow.Array) {
	t.Helper()
	typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
	var out []arrow.Array
	for c := range chunks {
		b := array.NewStringBuilder(memory.DefaultAllocator)
		for i := range entries {
			b.Append(fmt.Sprint(c*entries/2 + i))
		}
		index := array.NewInt32Builder(memory.DefaultAllocator)
		index.Append(0)
		out = append(out, array.NewDictionaryArray(typ, index.NewArray(), b.NewArray()))
	}
	return typ, out
}

// endingContext ends after a number of calls of Err.
type endingContext struct {
	context.Context
	left int
}

func (c *endingContext) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestMergingDictionariesEndsWithTheContext ends the context at every 1000 entries that merge reads.
func TestMergingDictionariesEndsWithTheContext(t *testing.T) {
	const entries = 50_000
	typ, chunks := wordsColumn(t, 2, entries)
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	ctx := &endingContext{t.Context(), 1 << 30}
	unified, err := Unify(ctx, typ, chunks, Options{Allocator: mem, Threads: 1})
	require.NoError(t, err)
	releaseAll(unified)
	checks := 1<<30 - ctx.left
	require.Greater(t, checks, 2*entries/blockRows)
	for left := range checks {
		_, err := Unify(&endingContext{t.Context(), left}, typ, chunks, Options{Allocator: mem, Threads: 1})
		require.ErrorIs(t, err, context.Canceled, "check %d", left)
		mem.AssertSize(t, 0)
	}
}

// counting is an allocator that counts the bytes that it returns.
type counting struct {
	memory.Allocator
	bytes int
}

func (c *counting) Allocate(size int) []byte {
	c.bytes += size
	return c.Allocator.Allocate(size)
}

// TestMergingDictionariesUsesTheAllocator compares the memory outside of the allocator with the entries.
func TestMergingDictionariesUsesTheAllocator(t *testing.T) {
	const entries = 200_000
	typ, chunks := wordsColumn(t, 2, entries)
	var before, after runtime.MemStats
	mem := &counting{Allocator: memory.NewGoAllocator()}
	runtime.ReadMemStats(&before)
	unified, err := Unify(t.Context(), typ, chunks, Options{Allocator: mem, Threads: 1})
	runtime.ReadMemStats(&after)
	require.NoError(t, err)
	releaseAll(unified)
	require.Less(t, int(after.TotalAlloc-before.TotalAlloc)-mem.bytes, 2*entries, "bytes outside of the allocator")
}

// TestMergingMalformedDictionariesLeaksNothing merges entries whose offsets lead out of their bytes.
func TestMergingMalformedDictionariesLeaksNothing(t *testing.T) {
	typ, chunks := wordsColumn(t, 2, 100)
	offsets := chunks[1].Data().Dictionary().Buffers()[1].Bytes()
	binary.LittleEndian.PutUint32(offsets[4*50:], 1<<30)
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	_, err := Unify(t.Context(), typ, chunks, Options{Allocator: mem})
	require.ErrorIs(t, err, arraydata.ErrMalformed)
	mem.AssertSize(t, 0)
	_, err = Take(t.Context(), typ, chunks, []uint32{0, 1}, Options{Allocator: mem})
	require.ErrorIs(t, err, arraydata.ErrMalformed)
	mem.AssertSize(t, 0)
}

// The rows of unified chunks are the rows of the chunks, and equal indices mean equal values in all of them.
func TestUnifiedChunksHaveTheSameRows(t *testing.T) {
	for _, typ := range arrowtest.Types() {
		t.Run(typ.String(), func(t *testing.T) {
			mem := arrowtest.Checked(t)
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

func floatData(t *testing.T, values ...float64) arrow.ArrayData {
	b := array.NewFloat64Builder(memory.DefaultAllocator)
	t.Cleanup(b.Release)
	b.AppendValues(values, nil)
	a := b.NewArray()
	t.Cleanup(a.Release)
	return a.Data()
}

func TestIdentical(t *testing.T) {
	a := floatData(t, 0, 2)
	require.True(t, arraydata.Identical(a, a))
	require.True(t, arraydata.Identical(a, floatData(t, 0, 2)))
	require.True(t, arraydata.Identical(floatData(t, math.NaN()), floatData(t, math.NaN())))
	require.False(t, arraydata.Identical(a, floatData(t, 0)))
	require.False(t, arraydata.Identical(a, floatData(t, 0, 3)))
	require.False(t, arraydata.Identical(a, floatData(t, math.Copysign(0, -1), 2)), "-0.0 must survive")

	list := func(values arrow.ArrayData, entries arrow.ArrayData) arrow.ArrayData {
		d := array.NewData(
			arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Float64), 1, []*memory.Buffer{nil}, []arrow.ArrayData{values},
			0, 0,
		)
		t.Cleanup(d.Release)
		if entries != nil {
			d.SetDictionary(entries)
		}
		return d
	}
	require.True(t, arraydata.Identical(list(a, nil), list(floatData(t, 0, 2), nil)), "children")
	require.False(t, arraydata.Identical(list(a, nil), list(floatData(t, 0, 3), nil)), "children")
	require.True(t, arraydata.Identical(list(a, a), list(a, floatData(t, 0, 2))), "dictionaries")
	require.False(t, arraydata.Identical(list(a, a), list(a, nil)), "dictionaries")
}
