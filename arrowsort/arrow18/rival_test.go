package arrow18_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/compute"
	"github.com/apache/arrow-go/v18/arrow/memory"
	v15 "github.com/apache/arrow/go/v15/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/arrow18"
	"github.com/arrowsort/arrowsort/arrowsort/arrow18/internal/modern"
	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	convert "github.com/arrowsort/arrowsort/arrowsort/internal/arrow18"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
)

// bothSort reports whether v18 sorts by a type of column too. It has no order for null, dictionaries, views, runs,
// structs, lists and unions, of extension types only for those of binary values of fixed width, and orders intervals of
// days.
func bothSort(typ v15.DataType) bool {
	switch typ.ID() {
	case v15.NULL, v15.DICTIONARY, v15.STRING_VIEW, v15.BINARY_VIEW, v15.RUN_END_ENCODED, v15.STRUCT, v15.EXTENSION:
		return false
	}
	return !adapter.Nested(typ) && isSortable(typ)
}

// Random records of one to three keys sort as with the compute functions of v18.
func TestSameOrderAsV18(t *testing.T) {
	var types []v15.DataType
	for _, typ := range arrowtest.Types() {
		if bothSort(typ) {
			types = append(types, typ)
		}
	}
	ctx := withFunctions(t, memory.DefaultAllocator)
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 20))
		rows := 1 + r.IntN(200)
		var fields []arrow.Field
		var columns []arrow.Array
		var keys compute.SortOptions
		text := fmt.Sprintf("seed %d, %d rows", seed, rows)
		taken := true // v18 has no rows of decimal32 and decimal64 by number
		for i := range 1 + r.IntN(3) {
			typ := types[r.IntN(len(types))]
			if i == 0 {
				typ = types[seed%uint64(len(types))]
			}
			a := withNaNs(r, convert.ToArray(
				arrowtest.RandomSlice(r, typ, rows, r.IntN(12), []float64{0, 0.2}[r.IntN(2)], memory.DefaultAllocator),
				[]func(v15.DataType) arrow.DataType{modern.Plain, modern.Type}[r.IntN(2)](typ)))
			columns, taken = append(columns, a), taken && arrow.TypeEqual(a.DataType(), modern.Plain(typ))
			fields = append(fields, arrow.Field{Name: fmt.Sprint("c", i), Type: a.DataType(), Nullable: true})
			key := compute.SortKey{ColumnIndex: i, Order: compute.SortOrderAscending}
			if r.IntN(2) == 1 {
				key.Order = compute.SortOrderDescending
			}
			if r.IntN(2) == 1 {
				key.NullPlacement = compute.SortNullsAtStart
			}
			keys = append(keys, key)
			text += fmt.Sprintf(", %v %+v", a.DataType(), key)
		}
		rec := array.NewRecordBatch(arrow.NewSchema(fields, nil), columns, int64(rows))
		datum := compute.NewDatumWithoutOwning(rec)
		require.Equal(t, rowsOf(t, ctx, "sort_indices", keys, datum),
			rowsOf(t, ctx, "arrowsort.sort_indices", keys, datum), text)
		if taken {
			want, err := compute.SortRecordBatch(t.Context(), rec, keys)
			require.NoError(t, err)
			got, err := arrow18.Sort(t.Context(), rec, coreKeys(keys), arrow18.Options{})
			require.NoError(t, err)
			for i, c := range want.Columns() {
				require.True(t, array.ApproxEqual(c, got.Column(i), array.WithNaNsEqual(true)), text)
			}
		}
	}
}

func coreKeys(keys compute.SortOptions) []arrowsort.Key {
	converted := make([]arrowsort.Key, len(keys))
	for i, key := range keys {
		converted[i] = arrowsort.Key{At: arrowsort.Column(key.ColumnIndex), Order: arrowsort.Order(key.Order),
			Nulls: arrowsort.NullPlacement(key.NullPlacement)}
	}
	return converted
}

// withNaNs makes values of an array of float64 NaN or a zero of either sign.
func withNaNs(r *rand.Rand, a arrow.Array) arrow.Array {
	f, ok := a.(*array.Float64)
	if !ok {
		return a
	}
	for i := range f.Len() {
		switch r.IntN(8) {
		case 0:
			f.Float64Values()[i] = math.NaN()
		case 1:
			f.Float64Values()[i] = math.Copysign(0, float64(r.IntN(2))-0.5)
		}
	}
	return a
}
