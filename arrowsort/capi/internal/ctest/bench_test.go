//go:build capi

package ctest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/capi/internal/cdata"
)

// wide makes a table of random int64, float64 and int64.
func wide(rows int) arrow.Table {
	i64, f64 := arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Float64
	fields := []arrow.Field{{Name: "a", Type: i64}, {Name: "b", Type: f64}, {Name: "c", Type: i64}}
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema(fields, nil))
	defer b.Release()
	r := rand.New(rand.NewPCG(1, 2))
	for range rows {
		b.Field(0).(*array.Int64Builder).Append(int64(r.Uint64()))
		b.Field(1).(*array.Float64Builder).Append(r.Float64())
		b.Field(2).(*array.Int64Builder).Append(r.Int64N(1 << 31))
	}
	rec := b.NewRecord()
	defer rec.Release()
	return array.NewTableFromRecords(rec.Schema(), []arrow.Record{rec})
}

// BenchmarkSort compares a sort by Go with the same through C, with import and export: route=go and route=c.
func BenchmarkSort(b *testing.B) {
	for _, rows := range []int{1000, 10_000_000} {
		table := wide(rows)
		b.Run(fmt.Sprintf("route=go/rows=%d", rows), func(b *testing.B) {
			for b.Loop() {
				sorted, err := arrowsort.Sort(b.Context(), table, []arrowsort.Key{{Path: "a"}}, arrowsort.Options{})
				if err != nil {
					b.Fatal(err)
				}
				sorted.Release()
			}
		})
		b.Run(fmt.Sprintf("route=c/rows=%d", rows), func(b *testing.B) {
			for b.Loop() {
				if err := throughC(table); err != nil {
					b.Fatal(err)
				}
			}
		})
		table.Release()
	}
}

// throughC imports a table, sorts it, exports the result and releases it.
func throughC(table arrow.Table) error {
	var in, out cdata.Stream
	if err := cdata.Export(&records{array.NewTableReader(table, 0)}, &in); err != nil {
		return err
	}
	data, err := ImportStream(&in)
	if err != nil {
		return err
	}
	defer Free(data)
	sorted, err := Sort(data, []Key{{Path: "a"}}, Options{})
	if err != nil {
		return err
	}
	defer Free(sorted)
	if err := ExportStream(sorted, &out); err != nil {
		return err
	}
	reader, err := cdata.Import(&out)
	if err == nil {
		reader.Release()
	}
	return err
}
