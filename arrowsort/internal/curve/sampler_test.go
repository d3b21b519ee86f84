package curve

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/keypath"
	"github.com/arrowsort/arrowsort/internal/testrun"
	"github.com/arrowsort/arrowsort/keyencode"
)

// at returns the ascending key on the column at a position.
func at(position int) keypath.Key { return keypath.Key{Position: position, HasPosition: true} }

// gridOf samples records, one after the other.
func gridOf(t *testing.T, mem memory.Allocator, keys []keypath.Key, records ...arrow.Record) *Grid {
	s := NewSampler(keys, Options{Allocator: mem})
	for _, rec := range records {
		var in adapter.Input
		require.NoError(t, in.Open(rec))
		require.NoError(t, s.Add(t.Context(), &in))
	}
	g, err := s.Grid(t.Context())
	require.NoError(t, err)
	return g
}

// requireSame compares two grids.
func requireSame(t *testing.T, want, got *Grid, of any) {
	require.Equal(t, want.Rows, got.Rows)
	for i := range want.Axes {
		require.Equal(t, want.Axes[i].Ends, got.Axes[i].Ends, "%v", of)
		for k, a := range want.Axes[i].Borders {
			require.True(t, array.Equal(a, got.Axes[i].Borders[k]), "%v: borders %v and %v", of, a,
				got.Axes[i].Borders[k])
		}
	}
}

// TestSampleDependsOnRowsOnly: the same rows in other pieces have the same grid, for every type of column.
func TestSampleDependsOnRowsOnly(t *testing.T) {
	mem := arrowtest.Checked(t)
	r := rand.New(rand.NewPCG(testrun.Seed(), 1))
	const rows = 3*sampleRows + 17
	for _, typ := range arrowtest.Flat() {
		if !adapter.Sortable(typ) || adapter.Nested(typ) {
			continue
		}
		column := arrowtest.Random(r, typ, rows, 0.1, mem)
		numbers := arrowtest.Random(r, arrow.PrimitiveTypes.Int32, rows, 0, mem)
		schema := arrow.NewSchema([]arrow.Field{{Type: typ}, {Type: numbers.DataType()}}, nil)
		rec := array.NewRecord(schema, []arrow.Array{column, numbers}, rows)
		keys := []keypath.Key{at(0), at(1)}
		want := gridOf(t, mem, keys, rec)
		require.Equal(t, sampleRows, want.Rows)
		var pieces []arrow.Record
		for first := int64(0); first < rows; {
			end := min(first+r.Int64N(rows/3), rows)
			pieces = append(pieces, rec.NewSlice(first, end))
			first = end
		}
		requireSame(t, want, gridOf(t, mem, keys, pieces...), typ)
		for _, one := range append(pieces, rec) {
			one.Release()
		}
		column.Release()
		numbers.Release()
	}
}

// TestSampleHasTheLeastHashes of all rows, whatever their number.
func TestSampleHasTheLeastHashes(t *testing.T) {
	for _, n := range []int{0, 1, sampleRows - 1, sampleRows, sampleRows + 1, 2 * sampleRows, 10*sampleRows + 3} {
		s := &Sampler{limit: ^uint64(0)}
		_, hashes := s.choose(n)
		if s.hashes = hashes; len(hashes) > sampleRows {
			s.reduce()
		}
		want := []uint64{}
		for row := range uint64(n) {
			want = append(want, hash(row))
		}
		slices.Sort(want)
		slices.Sort(s.hashes)
		require.Equal(t, want[:min(n, sampleRows)], s.hashes, "%d rows", n)
	}
}

// TestCellsHaveEqualShares: of a skewed column, cells have about the same number of rows, and a frequent value has a
// cell for itself.
func TestCellsHaveEqualShares(t *testing.T) {
	r := rand.New(rand.NewPCG(testrun.Seed(), 2))
	const rows, frequent = 1 << 17, 1 << 40
	skewed, few := array.NewInt64Builder(memory.DefaultAllocator), array.NewStringBuilder(memory.DefaultAllocator)
	for range rows {
		switch v := r.Float64(); {
		case v < 0.3:
			skewed.Append(frequent)
		default:
			skewed.Append(int64(1 / (1 - r.Float64()) * 1e6)) // most are small, and some are huge
		}
		few.Append([]string{"common", "rare"}[min(r.IntN(100), 1)])
	}
	schema := arrow.NewSchema([]arrow.Field{{Type: arrow.PrimitiveTypes.Int64}, {Type: arrow.BinaryTypes.String}}, nil)
	rec := array.NewRecord(schema, []arrow.Array{skewed.NewArray(), few.NewArray()}, rows)
	g := gridOf(t, memory.DefaultAllocator, []keypath.Key{at(0), at(1)}, rec)
	require.Equal(t, 1, g.Axes[1].Borders[0].Len(), "two values, one border")
	require.Len(t, g.Axes[1].Ends, 2)

	a := g.Axes[0]
	cells, start := len(a.Ends), uint32(0)
	require.Greater(t, cells, mostCells/2)
	require.LessOrEqual(t, cells, 2*mostCells)
	for cell, end := range a.Ends {
		borders := a.Borders[0].(*array.Int64)
		if cell > 0 && borders.Value(cell-1) == frequent {
			require.InEpsilon(t, 0.3*sampleRows, end-start, 0.1)
		} else if cell+1 < cells {
			require.LessOrEqual(t, int(end-start), 2*sampleRows/mostCells)
		}
		start = end
	}
	require.EqualValues(t, g.Rows, start)
}

// TestLongTextIsCut: text counts up to its first 64 bytes, and what follows does not change the order of cells.
func TestLongTextIsCut(t *testing.T) {
	long := string(slices.Repeat([]byte{'x'}, maxText))
	for _, typ := range []arrow.DataType{arrow.BinaryTypes.String, arrow.BinaryTypes.LargeBinary,
		arrow.BinaryTypes.StringView, &arrow.FixedSizeBinaryType{ByteWidth: maxText + 1}} {
		b := array.NewBuilder(memory.DefaultAllocator, typ)
		texts := []string{"a" + long, long[1:] + "aa", long + "b", long + "a", long[1:] + "zz"}
		if typ.ID() != arrow.FIXED_SIZE_BINARY {
			texts = append(texts, long, "")
		}
		for _, text := range texts {
			require.NoError(t, appendText(b, text))
		}
		column := b.NewArray()
		numbers := arrowtest.Random(rand.New(rand.NewPCG(1, 1)), arrow.FixedWidthTypes.Boolean, column.Len(), 0,
			memory.DefaultAllocator)
		schema := arrow.NewSchema([]arrow.Field{{Type: typ}, {Type: numbers.DataType()}}, nil)
		rec := array.NewRecord(schema, []arrow.Array{column, numbers}, int64(column.Len()))
		g := gridOf(t, memory.DefaultAllocator, []keypath.Key{at(0), at(1)}, rec)
		cells := 4 // "a...", x...a, x...: with b, with a and alone, x...z
		if typ.ID() != arrow.FIXED_SIZE_BINARY {
			cells++ // ""
		}
		require.Len(t, g.Axes[0].Ends, cells, "%s", typ)
	}
}

// appendText appends a text to a builder of any layout.
func appendText(b array.Builder, text string) error {
	switch b := b.(type) {
	case *array.StringBuilder:
		b.Append(text)
	case *array.BinaryBuilder:
		b.Append([]byte(text))
	case *array.FixedSizeBinaryBuilder:
		b.Append([]byte(text))
	default:
		return b.AppendValueFromString(text)
	}
	return nil
}

// TestCodesNeedTheKeysOfTheGrid: another number of keys, and borders that are not in order, are errors.
func TestCodesNeedTheKeysOfTheGrid(t *testing.T) {
	a := arrowtest.FromJSON(t, arrow.PrimitiveTypes.Int8, `[3, 1, 2]`)
	schema := arrow.NewSchema([]arrow.Field{{Type: a.DataType()}, {Type: a.DataType()}}, nil)
	rec := array.NewRecord(schema, []arrow.Array{a, a}, 3)
	g := gridOf(t, memory.DefaultAllocator, []keypath.Key{at(0), at(1)}, rec)
	var in adapter.Input
	require.NoError(t, in.Open(rec))
	codes, opts := make([]uint64, 3), Options{Allocator: memory.DefaultAllocator}
	require.NoError(t, g.Codes(t.Context(), keyencode.ZOrder, &in, []keypath.Key{at(0), at(1)}, codes, opts))
	require.Equal(t, []int{1, 2, 0}, []int{slices.Index(codes, slices.Min(codes)), slices.Index(codes, codes[2]),
		slices.Index(codes, slices.Max(codes))})
	require.ErrorContains(t, g.Codes(t.Context(), keyencode.ZOrder, &in, []keypath.Key{at(0)}, codes, opts),
		"1 keys on a grid of 2")
	g.Axes[1].Borders[0] = arrowtest.FromJSON(t, arrow.PrimitiveTypes.Int8, `[3, 2]`)
	require.ErrorContains(t, g.Codes(t.Context(), keyencode.ZOrder, &in, []keypath.Key{at(0), at(1)}, codes, opts),
		"border 1 of key")
}
