package zonemap

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

func TestScale(t *testing.T) {
	for _, c := range []struct {
		typ    arrow.DataType
		bounds string
		want   []float64 // places of lower bounds
	}{
		{arrow.PrimitiveTypes.Int64, `[0, 10, 5, 10, 10, 10]`, []float64{0, 0.5, 1}},
		{arrow.PrimitiveTypes.Int8, `[-128, 127, -1, 0, 127, 127]`, []float64{0, 127. / 255, 1}},
		{arrow.PrimitiveTypes.Uint64, `[0, 18446744073709551615, 9223372036854775808, 9223372036854775808]`,
			[]float64{0, 0.5}},
		{arrow.PrimitiveTypes.Float64, `["-Inf", 8, 0, 8, 4, "+Inf"]`, []float64{0, 0, 0.5}},
		{arrow.FixedWidthTypes.Float16, `[-2, 2, 1, 2]`, []float64{0, 0.75}},
		{arrow.PrimitiveTypes.Float32, `[-2, 2, 0, 2]`, []float64{0, 0.5}},
		{arrow.BinaryTypes.Binary, `["eGFh", "eGFl", "eGFj", "eGFl"]`, []float64{0, 0.5}}, // xaa to xae, xac
		{arrow.FixedWidthTypes.Boolean, `[false, true, true, true]`, []float64{0, 1}},
		{&arrow.Decimal128Type{Precision: 38, Scale: 2}, `["-1.00", "3.00", "1.00", "3.00"]`, []float64{0, 0.5}},
		{arrow.PrimitiveTypes.Int32, `[7, 7, 7, 7]`, []float64{0, 0}},
	} {
		zones := zonesFrom(t, c.typ, c.bounds)
		scale := newScale(c.typ, boundsOf(zones))
		for i, want := range c.want {
			require.InDelta(t, want, scale.At(zones[i].Low), 1e-6, "%s %s, zone %d", c.typ, c.bounds, i)
		}
	}
	require.Zero(t, newScale(arrow.PrimitiveTypes.Int64, boundsOf(nil)).At([]byte{1, 2}))
}

// TestScaleKeepsTheOrder of values of every type, within 0 and 1.
func TestScaleKeepsTheOrder(t *testing.T) {
	for i, typ := range bounded() {
		rng := rand.New(rand.NewPCG(testrun.Seed(), uint64(i)))
		values := arrowtest.Random(rng, typ, 50, 0, memory.DefaultAllocator)
		var zones []Zone
		keys := keysOf(t, values)
		slices.SortFunc(keys, bytes.Compare)
		for _, key := range keys {
			zones = append(zones, Zone{Low: key, High: key})
		}
		for name, place := range map[string]func([]byte) float64{"scale": newScale(typ, boundsOf(zones)).At,
			"places": first(Places(typ, zones))} {
			last := 0.0
			for _, key := range keys {
				at := place(key)
				require.True(t, last <= at && at <= 1, "%s of %s: %v after %v, seed %d", name, typ, at, last,
					testrun.Seed())
				last = at
			}
			require.True(t, last == 1 || bytes.Equal(keys[0], keys[len(keys)-1]), "%s of %s", name, typ)
		}
	}
}

func first[A, B any](a A, _ B) A { return a }

// TestPlacesByNumber: where one value far away squeezes all others, bounds lie by their number.
func TestPlacesByNumber(t *testing.T) {
	typ := arrow.PrimitiveTypes.Int64
	zones := zonesFrom(t, typ, `[1, 2, 3, 4, 5, 6, 7, 99999999]`)
	place, ranked := Places(typ, zones)
	require.True(t, ranked)
	require.InDelta(t, 2./7, place(zones[1].Low), 1e-9)
	require.InDelta(t, 1, place(zones[3].High), 1e-9)
	_, ranked = Places(typ, zonesFrom(t, typ, `[1, 2, 3, 4, 5, 6, 7, 8]`))
	require.False(t, ranked)
	_, ranked = Places(typ, zonesFrom(t, typ, `[1, 1, 1, 1, 1, 1, 1, 1]`))
	require.False(t, ranked, "there is one value")
}
