package arrow18_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/compute"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	v15 "github.com/apache/arrow/go/v15/arrow"
	array15 "github.com/apache/arrow/go/v15/arrow/array"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/arrow18"
	"github.com/arrowsort/arrowsort/arrowsort/arrow18/internal/modern"
	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	convert "github.com/arrowsort/arrowsort/arrowsort/internal/arrow18"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

const (
	wideRows  = 10_000_000
	batchRows = 65_536
)

// BenchmarkSort sorts the same tables with this package and with the compute functions of v18: a random int64 key with
// two more columns, in one chunk and in chunks of 65,536 rows, and three million flights by origin, delay and date.
func BenchmarkSort(b *testing.B) {
	for _, data := range []struct {
		name string
		make func(testing.TB) (arrow.Table, compute.SortOptions)
	}{
		{"W", func(tb testing.TB) (arrow.Table, compute.SortOptions) { return w(tb, wideRows, wideRows) }},
		{"chunked", func(tb testing.TB) (arrow.Table, compute.SortOptions) { return w(tb, wideRows, batchRows) }},
		{"flights", func(tb testing.TB) (arrow.Table, compute.SortOptions) { return flights(tb, 3) }},
	} {
		tbl, keys := data.make(b)
		for _, engine := range []struct {
			name string
			sort func(context.Context, arrow.Table, []compute.SortKey) (arrow.Table, error)
		}{{"arrowsort", sorted}, {"compute", compute.SortTable}} {
			b.Run("data="+data.name+"/engine="+engine.name, func(b *testing.B) {
				for b.Loop() {
					out, err := engine.sort(b.Context(), tbl, keys)
					require.NoError(b, err)
					out.Release()
				}
				b.ReportMetric(float64(tbl.NumRows())*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrows/s")
			})
		}
		tbl.Release()
	}
}

func sorted(ctx context.Context, tbl arrow.Table, keys []compute.SortKey) (arrow.Table, error) {
	return arrow18.Sort(ctx, tbl, coreKeys(keys), arrow18.Options{})
}

// The two engines of the benchmark make the same tables.
func TestBenchmarkedTablesAreTheSame(t *testing.T) {
	tables := map[string]func(testing.TB) (arrow.Table, compute.SortOptions){
		"W":       func(tb testing.TB) (arrow.Table, compute.SortOptions) { return w(tb, 20_000, 20_000) },
		"chunked": func(tb testing.TB) (arrow.Table, compute.SortOptions) { return w(tb, 20_000, 3000) },
	}
	if testrun.Long() {
		tables["flights"] = func(tb testing.TB) (arrow.Table, compute.SortOptions) { return flights(tb, 1) }
	}
	for name, make := range tables {
		t.Run(name, func(t *testing.T) {
			tbl, keys := make(t)
			defer tbl.Release()
			want, err := compute.SortTable(t.Context(), tbl, keys)
			require.NoError(t, err)
			defer want.Release()
			got, err := sorted(t.Context(), tbl, keys)
			require.NoError(t, err)
			defer got.Release()
			require.True(t, array.TableEqual(want, got))
		})
	}
}

// w returns a table of a random int64 key, the number of the row and a float64, in chunks.
func w(tb testing.TB, rows, chunk int) (arrow.Table, compute.SortOptions) {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "key", Type: arrow.PrimitiveTypes.Int64}, {Name: "row", Type: arrow.PrimitiveTypes.Int64},
		{Name: "value", Type: arrow.PrimitiveTypes.Float64},
	}, nil)
	r := rand.New(rand.NewPCG(11, 12))
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	var batches []arrow.RecordBatch
	for row := range rows {
		b.Field(0).(*array.Int64Builder).Append(int64(r.Uint64()))
		b.Field(1).(*array.Int64Builder).Append(int64(row))
		b.Field(2).(*array.Float64Builder).Append(r.NormFloat64())
		if (row+1)%chunk == 0 || row+1 == rows {
			batches = append(batches, b.NewRecordBatch())
		}
	}
	return array.NewTableFromRecords(schema, batches), compute.SortOptions{{ColumnIndex: 0}}
}

// flights returns the flights of the examples several times, by origin, delay and date.
func flights(tb testing.TB, times int) (arrow.Table, compute.SortOptions) {
	file, err := os.Open("../../examples/data/flights.parquet")
	require.NoError(tb, err)
	defer file.Close()
	tbl, err := pqarrow.ReadTable(tb.Context(), file, nil, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
	require.NoError(tb, err)
	columns := make([][]arrow.Array, tbl.NumCols())
	for i := range columns {
		for range times {
			columns[i] = append(columns[i], tbl.Column(i).Data().Chunks()...)
		}
	}
	var keys compute.SortOptions
	for _, name := range []string{"origin", "delay", "date"} {
		keys = append(keys, compute.SortKey{ColumnIndex: tbl.Schema().FieldIndices(name)[0]})
	}
	return array.NewTableFromSlice(tbl.Schema(), columns), keys
}

// BenchmarkBridge sorts the row numbers of small and of chunked data in both versions: the difference is the price of
// passing data from one version to the other.
func BenchmarkBridge(b *testing.B) {
	for _, data := range []struct {
		name        string
		rows, chunk int
	}{{"rows=100/chunks=1", 100, 100}, {"rows=100000/chunks=1000", 100_000, 100}} {
		tbl, keys := w(b, data.rows, data.chunk)
		old := olden(tbl)
		b.Run(data.name+"/data=v18", func(b *testing.B) {
			for b.Loop() {
				rows, err := arrow18.SortIndices(b.Context(), tbl, coreKeys(keys), arrow18.Options{})
				require.NoError(b, err)
				rows.Release()
			}
		})
		b.Run(data.name+"/data=v15", func(b *testing.B) {
			for b.Loop() {
				rows, err := arrowsort.SortIndices(b.Context(), old, coreKeys(keys), arrowsort.Options{})
				require.NoError(b, err)
				rows.Release()
			}
		})
	}
}

// olden returns a table in v15.
func olden(tbl arrow.Table) v15.Table {
	var fields []v15.Field
	var chunks [][]v15.Array
	for i, f := range tbl.Schema().Fields() {
		typ, err := convert.FromLayout(f.Type)
		if err != nil {
			panic(err)
		}
		fields, chunks = append(fields, v15.Field{Name: f.Name, Type: typ}), append(chunks, nil)
		for _, c := range tbl.Column(i).Data().Chunks() {
			chunks[i] = append(chunks[i], convert.FromArray(c, typ))
		}
	}
	return array15.NewTableFromSlice(v15.NewSchema(fields, nil), chunks)
}

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
