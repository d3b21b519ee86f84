package keys

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/gpu/internal/abi"
	"github.com/arrowsort/arrowsort/kernels"
	"github.com/arrowsort/arrowsort/keyencode"
)

// deviceKinds are the kinds of key columns that the device reads.
var deviceKinds = []keyencode.Kind{
	keyencode.Null, keyencode.Bool, keyencode.Int8, keyencode.Int16, keyencode.Int32, keyencode.Int64,
	keyencode.Uint8, keyencode.Uint16, keyencode.Uint32, keyencode.Uint64,
	keyencode.Float16, keyencode.Float32, keyencode.Float64, keyencode.Decimal128, keyencode.Decimal256,
	keyencode.FixedSizeBinary, keyencode.Dictionary8, keyencode.Dictionary32,
}

// keyColumnOf is a column of a few rows of a kind, and its values as a device has them: of dictionaries the ranks, of
// bits bytes. FixedSizeBinary has 3 bytes.
func keyColumnOf(rng *rand.Rand, kind keyencode.Kind, rows int, nullable bool) (keyencode.Column, [][]byte) {
	c := keyencode.Column{Kind: kind, Width: 3}
	chunk := keyencode.Chunk{Rows: rows}
	if nullable {
		chunk.Validity = make([]byte, (rows+7)/8)
	}
	values, width := make([][]byte, rows), c.ValueBytes()
	for i := range values {
		if nullable && rng.IntN(4) > 0 {
			chunk.Validity[i/8] |= 1 << (i % 8)
		}
		for range width {
			values[i] = append(values[i], []byte{0, 1, 0x7c, 0x7f, 0x80, 0xff, byte(rng.Uint32())}[rng.IntN(7)])
		}
		switch kind {
		case keyencode.Bool:
			values[i] = []byte{byte(rng.IntN(2))}
		case keyencode.Dictionary8, keyencode.Dictionary32:
			values[i] = make([]byte, width)
			values[i][0] = byte(rng.IntN(6))
		}
		chunk.Values = append(chunk.Values, values[i]...)
	}
	switch kind {
	case keyencode.Bool:
		chunk.Values = make([]byte, (rows+7)/8)
		for i, v := range values {
			chunk.Values[i/8] |= v[0] << (i % 8)
		}
	case keyencode.Dictionary8, keyencode.Dictionary32:
		chunk.Ranks = []uint32{3, 1, 2, 9, 1, math.MaxUint32}
		for i, v := range values {
			values[i] = binary.LittleEndian.AppendUint32(nil, chunk.Ranks[v[0]]-1)
		}
	}
	c.Chunks = []keyencode.Chunk{chunk}
	for i := range values {
		if kind == keyencode.Null || nullable && chunk.Validity[i/8]>>(i%8)&1 == 0 {
			values[i] = nil
		}
	}
	return c, values
}

// bitsOf spells out what kernels/common/number.h makes of a value; nil is null.
func (f *Field) bitsOf(value []byte) uint64 { return f.numberOf(value) >> f.Down & f.Mask << f.Up }

func (f *Field) numberOf(value []byte) uint64 {
	l := f.Layout
	mask := ^uint64(0) >> (64 - 8*min(max(l.Width, 1), 8))
	x := uint64(0)
	switch {
	case value == nil || l.Form == abi.FormNone:
		return f.Null
	case l.Form == abi.FormClass:
		return f.Bias
	case l.Form == abi.FormDecimal:
		return f.limbOf(value)
	case l.Form == abi.FormBigEndian:
		for _, b := range value {
			x = x<<8 | uint64(b)
		}
	default:
		for i, b := range value[:l.Width] {
			x |= uint64(b) << (8 * i)
		}
	}
	if l.Form == abi.FormFloat {
		if x&l.signBit != 0 {
			x = (l.signBit - x) & mask
		}
		if (x+l.infinity)&mask > 2*l.infinity {
			return f.NaN
		}
	}
	return f.Bias + (x-f.Base[0])&mask>>f.Shift*f.Mul
}

// limbOf is a limb of (value - Base) >> Shift, or of Last minus that.
func (f *Field) limbOf(value []byte) uint64 {
	number := func(limbs [4]uint64) *big.Int {
		n := new(big.Int)
		for i := 3; i >= 0; i-- {
			n.Or(n.Lsh(n, 64), new(big.Int).SetUint64(limbs[i]))
		}
		return n
	}
	var limbs [4]uint64
	for i, b := range value {
		limbs[i/8] |= uint64(b) << (8 * (i % 8))
	}
	limbs[len(value)/8-1] ^= f.Layout.signBit
	n := number(limbs)
	n.Rsh(n.Sub(n, number(f.Base)), f.Shift)
	if f.Descending {
		n.Sub(number(f.Last), n)
	}
	n.Rsh(n, uint(64*f.Limb))
	return f.Bias + n.And(n, new(big.Int).SetUint64(math.MaxUint64)).Uint64()
}

// TestPlanFieldsAreTheCodes compares the words of two keys with those of their plan.
func TestPlanFieldsAreTheCodes(t *testing.T) {
	for _, kind := range deviceKinds {
		for seed := range uint64(60) {
			rng := rand.New(rand.NewPCG(seed, uint64(kind)))
			kinds := []keyencode.Kind{kind, deviceKinds[rng.IntN(len(deviceKinds))]}
			rows := 1 + rng.IntN(40)
			columns, keys, stats := make([]keyencode.Column, 2), make([]keyencode.Key, 2), []keyencode.Statistics{}
			values := make([][][]byte, 2)
			for i, k := range kinds {
				columns[i], values[i] = keyColumnOf(rng, k, rows, rng.IntN(2) == 0)
				_, ok := LayoutOf(&columns[i])
				require.True(t, ok)
				keys[i] = keyencode.Key{
					Column: i, Order: keyencode.Order(rng.IntN(2)), Nulls: keyencode.NullPlacement(rng.IntN(2)),
				}
				stats = append(stats, keyencode.Measure(&columns[i], keys[i], 0, rows))
			}
			p, err := keyencode.NewPlan(columns, keys, stats)
			require.NoError(t, err)
			numbers, codes := make([]uint32, rows), make([]uint64, rows)
			for word := range p.Words() {
				for i := range numbers {
					numbers[i] = uint32(i)
				}
				p.EncodeRows(codes, word, numbers)
				fields := PlanFields(p, word)
				for i := range codes {
					sum := uint64(0)
					for j := range fields {
						f := &fields[j]
						require.Less(t, f.Shift, uint(8*max(f.Layout.Width, 1)), "no bit is left")
						sum += f.bitsOf(values[f.Column][i])
					}
					require.Equal(t, codes[i], sum,
						fmt.Sprintf("kinds %v, seed %d, word %d, row %d, plan %v", kinds, seed, word, i, p))
				}
			}
		}
	}
}

func TestStringsHaveNoLayout(t *testing.T) {
	for _, c := range []keyencode.Column{
		{Kind: keyencode.Binary}, {Kind: keyencode.LargeBinary}, {Kind: keyencode.BinaryView},
		{Kind: keyencode.FixedSizeBinary, Width: 9},
	} {
		_, ok := LayoutOf(&c)
		require.False(t, ok)
	}
}

// rowOf is a column of a row without value.
func rowOf(kind keyencode.Kind, nullable bool) keyencode.Column {
	c := keyencode.Column{Kind: kind, Width: 3, Chunks: []keyencode.Chunk{{Rows: 1}}}
	if nullable {
		c.Chunks[0].Validity = []byte{0}
	}
	return c
}

func TestBitsOfTypeWords(t *testing.T) {
	const nullable = true
	for _, test := range []struct {
		columns []keyencode.Column
		bits    int // 0: more than 64, or not numbers
	}{
		{[]keyencode.Column{rowOf(keyencode.Int32, false), rowOf(keyencode.Int32, false)}, 64},
		{[]keyencode.Column{rowOf(keyencode.Int32, false), rowOf(keyencode.Int32, nullable)}, 0},
		{[]keyencode.Column{rowOf(keyencode.Int16, false), rowOf(keyencode.Int64, false)}, 0},
		{[]keyencode.Column{rowOf(keyencode.Uint64, false), rowOf(keyencode.Bool, false)}, 0},
		{[]keyencode.Column{rowOf(keyencode.Int64, false)}, 64},
		{[]keyencode.Column{rowOf(keyencode.Int64, nullable)}, 0},
		{[]keyencode.Column{rowOf(keyencode.Float64, nullable)}, 64},
		{[]keyencode.Column{rowOf(keyencode.Float32, false), rowOf(keyencode.Float32, nullable)}, 64},
		{[]keyencode.Column{rowOf(keyencode.Float16, nullable), rowOf(keyencode.Uint16, false),
			rowOf(keyencode.Dictionary8, false)}, 64},
		{[]keyencode.Column{rowOf(keyencode.Bool, nullable), rowOf(keyencode.Int8, nullable),
			rowOf(keyencode.Uint16, nullable)}, 26},
		{[]keyencode.Column{rowOf(keyencode.Int16, nullable), rowOf(keyencode.Bool, false),
			rowOf(keyencode.Int32, nullable)}, 50},
		{[]keyencode.Column{rowOf(keyencode.Decimal128, false)}, 0},
		{[]keyencode.Column{rowOf(keyencode.FixedSizeBinary, false)}, 0},
		{[]keyencode.Column{rowOf(keyencode.Null, false)}, 0},
	} {
		var keys []keyencode.Key
		for i := range test.columns {
			keys = append(keys, keyencode.Key{Column: i, Order: keyencode.Order(i % 2)})
		}
		_, bits, ok := TypeWord(test.columns, keys)
		require.Equal(t, test.bits > 0, ok, "%+v", test.columns)
		require.Equal(t, test.bits, bits, "%+v", test.columns)
	}
}

// TestTypeWordsOrderRows compares the words of rows of one to three keys with the codes of a plan.
func TestTypeWordsOrderRows(t *testing.T) {
	words := 0
	for seed := range uint64(1500) {
		rng := rand.New(rand.NewPCG(seed, 5))
		const rows = 30
		var columns []keyencode.Column
		var values [][][]byte
		var keys []keyencode.Key
		var stats []keyencode.Statistics
		for i := range 1 + rng.IntN(3) {
			kind := deviceKinds[(int(seed)+i*rng.IntN(len(deviceKinds)))%len(deviceKinds)]
			c, v := keyColumnOf(rng, kind, rows, rng.IntN(2) == 0)
			columns, values = append(columns, c), append(values, v)
			keys = append(keys, keyencode.Key{
				Column: i, Order: keyencode.Order(rng.IntN(2)), Nulls: keyencode.NullPlacement(rng.IntN(2)),
			})
			stats = append(stats, keyencode.Measure(&columns[i], keys[i], 0, rows))
		}
		fields, width, ok := TypeWord(columns, keys)
		if !ok {
			continue
		}
		words++
		p, err := keyencode.NewPlan(columns, keys, stats)
		require.NoError(t, err)
		require.LessOrEqual(t, p.Words(), 1)
		want, got := make([]uint64, rows), make([]uint64, rows)
		p.Encode(want, 0)
		for row := range got {
			for i := range fields {
				got[row] += fields[i].bitsOf(values[i][row])
			}
			require.LessOrEqual(t, bits.Len64(got[row]), width)
		}
		for a := range rows {
			for b := range rows {
				require.Equal(t, cmp.Compare(want[a], want[b]), cmp.Compare(got[a], got[b]),
					"seed %d, %+v, rows %d and %d", seed, keys, a, b)
			}
		}
	}
	require.Greater(t, words, 500)
}

func TestTypeFields(t *testing.T) {
	columns := []keyencode.Column{
		rowOf(keyencode.Int64, true), rowOf(keyencode.Float64, false), rowOf(keyencode.Bool, false),
		rowOf(keyencode.FixedSizeBinary, false),
	}
	keys := []keyencode.Key{{Order: keyencode.Descending, Nulls: keyencode.NullsAtStart}, {Column: 1}, {Column: 2}}
	fields := TypeFields(columns, keys)
	require.Len(t, fields, 3)
	for i, last := range []uint64{math.MaxUint64, math.MaxUint64, 1} {
		require.Equal(t, last, fields[i].Last[0])
		require.Equal(t, i == 0, fields[i].Descending)
		require.Equal(t, map[int]uint64{0: 1}[i], fields[i].NaN)
		require.Zero(t, fields[i].Mul)
	}
	require.Nil(t, TypeFields(columns, append(keys, keyencode.Key{Column: 3})))
}

// TestNullableWord: values of all numbers stay in their order, and nulls share the number of the last one, or of the
// first with nulls at the start.
func TestNullableWord(t *testing.T) {
	for kind, width := range map[keyencode.Kind]int{keyencode.Int32: 32, keyencode.Uint32: 32, keyencode.Int64: 64,
		keyencode.Uint64: 64} {
		for mode := range 4 {
			key := keyencode.Key{Order: keyencode.Order(mode & 1), Nulls: keyencode.NullPlacement(mode >> 1)}
			column := []keyencode.Column{rowOf(kind, true)}
			word, found, ok := NullableWord(column, key)
			require.True(t, ok)
			require.Equal(t, width, found)
			top := uint64(math.MaxUint64) >> (64 - width)
			var got []uint64 // of numbers that rise
			for _, x := range []uint64{0, 1, 99, top >> 1, top>>1 + 1, top>>1 + 2, top} {
				value := binary.LittleEndian.AppendUint64(nil, x^word.Layout.signBit)
				got = append(got, word.bitsOf(value[:width/8])&top)
			}
			if key.Order == keyencode.Descending {
				slices.Reverse(got)
			}
			for i := 1; i < len(got); i++ {
				require.Less(t, got[i-1], got[i])
			}
			require.Equal(t, []uint64{0, top}, []uint64{got[0], got[len(got)-1]})
			atStart := key.Nulls == keyencode.NullsAtStart
			require.Equal(t, map[bool]uint64{false: top, true: 0}[atStart], word.Null)
			same, ok := TypeWordWithNulls(column, key)
			require.Equal(t, width == 64 && !atStart, ok, "%v %v", kind, mode)
			if ok {
				require.Equal(t, word, same)
			}
		}
	}
	for _, c := range []keyencode.Column{rowOf(keyencode.Int32, false), rowOf(keyencode.Uint64, false),
		rowOf(keyencode.Int16, true), rowOf(keyencode.Float32, true), rowOf(keyencode.Float64, true),
		rowOf(keyencode.Dictionary32, true), rowOf(keyencode.Binary, true)} {
		_, _, ok := NullableWord([]keyencode.Column{c}, keyencode.Key{})
		require.False(t, ok, "%+v", c)
	}
}

func TestAsOneColumn(t *testing.T) {
	fields := make([]Field, kernels.MostKeys+1)
	for i := range fields {
		fields[i].Layout.Form = abi.FormInteger
	}
	require.True(t, AsOneColumn(fields[1:]))
	require.False(t, AsOneColumn(fields))
	fields[0].Layout.Form = abi.FormBit
	require.True(t, AsOneColumn(fields[:2]))
	require.False(t, AsOneColumn(fields[:1]))
	require.False(t, AsOneColumn(nil))
}
