package arrow18_test

import (
	"context"
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
	convert "github.com/arrowsort/arrowsort/arrowsort/internal/arrow18"
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
