package keyencode

import (
	"cmp"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEncodeWords compares the words of all pairs of float64 rows with the words of a plan, which other tests hold to
// the order.
func TestEncodeWords(t *testing.T) {
	values := []float64{math.Inf(-1), -math.MaxFloat64, -1, -math.SmallestNonzeroFloat64, math.Copysign(0, -1), 0,
		math.SmallestNonzeroFloat64, 1, math.MaxFloat64, math.Inf(1), math.NaN(), math.Copysign(math.NaN(), -1)}
	var raw []byte
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(v))
	}
	ints := slices.Clone(raw)
	for _, c := range []Column{
		{Kind: Float64, Chunks: []Chunk{{Rows: len(values), Values: raw}}},
		{Kind: Int64, Chunks: []Chunk{{Rows: len(values), Values: ints}}},
		{Kind: Float32, Chunks: []Chunk{{Rows: 2 * len(values), Values: raw}}},
		{Kind: Uint16, Chunks: []Chunk{{Rows: 3*len(values) - 1, Offset: 1, Values: raw}}},
		{Kind: Int8, Chunks: []Chunk{{Rows: 8 * len(values), Values: raw}}},
	} {
		for _, order := range []Order{Ascending, Descending} {
			for _, nulls := range []NullPlacement{NullsAtEnd, NullsAtStart} {
				key := Key{Order: order, Nulls: nulls}
				n := c.Rows()
				stats := Measure(&c, key, 0, n)
				plan, err := NewPlan([]Column{c}, []Key{key}, []Statistics{stats})
				require.NoError(t, err)
				want, got := make([]uint64, n), make([]uint64, n)
				plan.Encode(want, 0)
				require.True(t, EncodeWords(got, &c, key, 0))
				words, ok := NewWordPlan([]Column{c}, key)
				require.True(t, ok)
				require.False(t, words.Sorted() || words.Reversed())
				again := make([]uint64, n)
				words.Encode(again, 0)
				require.Equal(t, got, again)
				for i := range n {
					for j := range n {
						if (want[i] < want[j]) != (got[i] < got[j]) {
							t.Fatalf(
								"kind %d, order %d, nulls %d: rows %d and %d have words %#x and %#x, codes %#x and %#x",
								c.Kind, order, nulls, i, j, got[i], got[j], want[i], want[j],
							)
						}
					}
				}
			}
		}
	}
	require.False(t, EncodeWords(nil, &Column{Kind: Decimal128, Chunks: make([]Chunk, 1)}, Key{}, 0))
	nullable := rowsOf(Int8, true)
	require.False(t, EncodeWords(nil, &nullable, Key{}, 0))
}

// rowsOf is a column of rows without values.
func rowsOf(kind Kind, nullable bool) Column {
	c := Column{Kind: kind, Width: 3, Chunks: []Chunk{{Rows: 1}}}
	if nullable {
		c.Chunks[0].Validity = []byte{0}
	}
	return c
}

func TestBitsOfTypeWords(t *testing.T) {
	const nullable = true
	for _, test := range []struct {
		columns []Column
		bits    int // 0: more than 64, or not numbers
	}{
		{[]Column{rowsOf(Int32, false), rowsOf(Int32, false)}, 64},
		{[]Column{rowsOf(Int32, false), rowsOf(Int32, nullable)}, 0},
		{[]Column{rowsOf(Int16, false), rowsOf(Int64, false)}, 0},
		{[]Column{rowsOf(Uint64, false), rowsOf(Bool, false)}, 0},
		{[]Column{rowsOf(Int64, false)}, 64},
		{[]Column{rowsOf(Int64, nullable)}, 0},
		{[]Column{rowsOf(Float64, nullable)}, 64},
		{[]Column{rowsOf(Float32, false), rowsOf(Float32, nullable)}, 64},
		{[]Column{rowsOf(Float16, nullable), rowsOf(Uint16, false), rowsOf(Dictionary8, false)}, 64},
		{[]Column{rowsOf(Bool, nullable), rowsOf(Int8, nullable), rowsOf(Uint16, nullable)}, 26},
		{[]Column{rowsOf(Int16, nullable), rowsOf(Bool, false), rowsOf(Int32, nullable)}, 50},
		{[]Column{rowsOf(Decimal128, false)}, 0},
		{[]Column{rowsOf(FixedSizeBinary, false)}, 0},
		{[]Column{rowsOf(Null, false)}, 0},
	} {
		var keys []Key
		for i := range test.columns {
			keys = append(keys, Key{Column: i, Order: Order(i % 2)})
		}
		_, bits, ok := TypeWord(test.columns, keys)
		require.Equal(t, test.bits > 0, ok, "%+v", test.columns)
		require.Equal(t, test.bits, bits, "%+v", test.columns)
	}
}

// numbers are the kinds that a word of their types can hold.
var numbers = slices.DeleteFunc(slices.Clone(allKinds), func(k Kind) bool {
	_, ok := (&Column{Kind: k}).typeRange(NullsAtEnd)
	return !ok
})

// TestTypeWordsOrderRows compares the words of rows of one to three keys with the model.
func TestTypeWordsOrderRows(t *testing.T) {
	words := 0
	for seed := range uint64(1500) {
		rng := rand.New(rand.NewPCG(seed, 5))
		const rows = 30
		var columns []Column
		var cells [][]cell
		var keys []Key
		for i := range 1 + rng.IntN(3) {
			kind := numbers[(int(seed)+i*rng.IntN(len(numbers)))%len(numbers)]
			cells = append(cells, randomCells(rng, kind, 0, rows))
			columns = append(columns, build(rng, kind, 0, 0, []int{0, rows}, cells[i]))
			keys = append(keys, Key{Column: i, Order: Order(rng.IntN(2)), Nulls: NullPlacement(rng.IntN(2))})
		}
		fields, bits, ok := TypeWord(columns, keys)
		if !ok {
			continue
		}
		words++
		codes := make([]uint64, rows)
		for row := range codes {
			for i := range fields {
				codes[row] += pieceOn(&fields[i], columns[i].Kind, cells[i][row])
			}
			require.Zero(t, codes[row]&^lowBits(bits))
		}
		for a := range rows {
			for b := range rows {
				want := 0
				for i := 0; i < len(keys) && want == 0; i++ {
					want = sign(compareCells(columns[i].Kind, keys[i], cells[i][a], cells[i][b]))
				}
				got := cmp.Compare(codes[a], codes[b])
				require.Equal(t, want, got, "seed %d, %+v, rows %d and %d", seed, keys, a, b)
			}
		}
	}
	require.Greater(t, words, 500)
}

func TestTypeFields(t *testing.T) {
	columns := []Column{
		rowsOf(Int64, true), rowsOf(Float64, false), rowsOf(Bool, false), rowsOf(FixedSizeBinary, false),
	}
	keys := []Key{{Order: Descending, Nulls: NullsAtStart}, {Column: 1}, {Column: 2}}
	fields := TypeFields(columns, keys)
	require.Len(t, fields, 3)
	for i, last := range []uint64{math.MaxUint64, math.MaxUint64, 1} {
		require.Equal(t, last, fields[i].Last[0])
		require.Equal(t, i == 0, fields[i].Descending)
		require.Equal(t, map[int]uint64{0: 1}[i], fields[i].NaN)
		require.Zero(t, fields[i].Mul)
	}
	require.Nil(t, TypeFields(columns, append(keys, Key{Column: 3})))
}

// TestTypeWordWithNulls: values of all numbers stay in their order, and nulls share the number of the last one.
func TestTypeWordWithNulls(t *testing.T) {
	for _, kind := range []Kind{Int64, Uint64} {
		for _, order := range []Order{Ascending, Descending} {
			key := Key{Order: order}
			word, ok := TypeWordWithNulls([]Column{rowsOf(kind, true)}, key)
			require.True(t, ok)
			var cells []cell
			for _, x := range []uint64{0, 1, 99, 1<<63 - 1, 1 << 63, 1<<63 + 1, math.MaxUint64} {
				cells = append(cells, cell{raw: binary.LittleEndian.AppendUint64(nil, x)})
			}
			sortCells(kind, key, cells)
			for i := 1; i < len(cells); i++ {
				require.Less(t, pieceOn(&word, kind, cells[i-1]), pieceOn(&word, kind, cells[i]))
			}
			require.Equal(t, uint64(math.MaxUint64), pieceOn(&word, kind, cells[len(cells)-1]))
			require.Equal(t, uint64(math.MaxUint64), word.Null)
		}
	}
	for _, c := range []Column{rowsOf(Int32, true), rowsOf(Float64, true), rowsOf(Binary, true)} {
		_, ok := TypeWordWithNulls([]Column{c}, Key{})
		require.False(t, ok, "%+v", c)
	}
	_, ok := TypeWordWithNulls([]Column{rowsOf(Int64, true)}, Key{Nulls: NullsAtStart})
	require.False(t, ok)
}
