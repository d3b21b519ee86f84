package tablefile

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
)

// rising is a value of a type that rises with a number, alike in its first bytes.
func rising(t *testing.T, b array.Builder, n int) {
	text := fmt.Sprint(n)
	switch b := b.(type) {
	case *array.StringBuilder:
		text = fmt.Sprintf("texts that begin alike, number %09d", n)
	case *array.BinaryBuilder:
		b.AppendString(fmt.Sprintf("bytes that begin alike, number %09d", n))
		return
	case *array.Int8Builder:
		text = fmt.Sprint(n/40 - 100)
	case *array.Uint8Builder:
		text = fmt.Sprint(n / 20)
	case *array.Decimal128Builder:
		b.Append(decimal128.FromI64(int64(n) * 1001))
		return
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(n) * 1e6)
		return
	}
	require.NoError(t, b.AppendValueFromString(text))
}

// risingColumn has n rows, of which some are null: values, or values in structs and lists.
func risingColumn(t *testing.T, typ arrow.DataType, n int) arrow.Array {
	b, rng := array.NewBuilder(memory.DefaultAllocator, typ), rand.New(rand.NewPCG(1, 1))
	defer b.Release()
	for i := range n {
		switch b := b.(type) {
		case *array.ListBuilder:
			b.Append(i%9 > 0)
			for j := range rng.IntN(3) * (i % 9) {
				rising(t, b.ValueBuilder(), min(i*2+j, 5000))
			}
		case *array.StructBuilder:
			b.Append(true)
			rising(t, b.FieldBuilder(0), i)
		default:
			if i%9 == 0 {
				b.AppendNull()
			} else {
				rising(t, b, i)
			}
		}
	}
	return b.NewArray()
}

// TestEncodingsByTrialOfEveryLeaf: values in lists, in structs and of few bits get the encodings that those of flat
// columns have, but for --encoding compatible, in pages of both versions. Whoever reads them finds the values.
func TestEncodingsByTrialOfEveryLeaf(t *testing.T) {
	text := []int{page.DeltaByteArray, page.DeltaLengthByteArray}
	for _, c := range []struct {
		typ arrow.DataType
		by  []int // one of these; nil: plain or a dictionary
	}{
		{arrow.PrimitiveTypes.Int8, []int{page.DeltaBinaryPacked}},
		{arrow.PrimitiveTypes.Int16, []int{page.DeltaBinaryPacked}},
		{arrow.PrimitiveTypes.Uint16, []int{page.DeltaBinaryPacked}},
		{arrow.ListOf(arrow.PrimitiveTypes.Int16), []int{page.DeltaBinaryPacked}},
		{arrow.ListOf(arrow.PrimitiveTypes.Uint32), []int{page.DeltaBinaryPacked}},
		{arrow.ListOf(arrow.PrimitiveTypes.Int64), []int{page.DeltaBinaryPacked}},
		{arrow.ListOf(arrow.FixedWidthTypes.Timestamp_us), []int{page.DeltaBinaryPacked}},
		{arrow.ListOf(arrow.BinaryTypes.String), text},
		{arrow.ListOf(arrow.BinaryTypes.Binary), text},
		{arrow.StructOf(arrow.Field{Name: "f", Type: arrow.PrimitiveTypes.Int32}), []int{page.DeltaBinaryPacked}},
		{arrow.StructOf(arrow.Field{Name: "f", Type: arrow.BinaryTypes.String, Nullable: true}), text},
		{arrow.ListOf(arrow.PrimitiveTypes.Float64), nil},
		{&arrow.Decimal128Type{Precision: 17, Scale: 2}, nil},
		{arrow.ListOf(&arrow.Decimal128Type{Precision: 9, Scale: 2}), nil},
	} {
		column := risingColumn(t, c.typ, 3000)
		field := arrow.Field{Name: "column", Type: c.typ, Nullable: c.typ.ID() != arrow.STRUCT}
		schema := arrow.NewSchema([]arrow.Field{field}, nil)
		table := array.NewTableFromRecords(schema, []arrow.Record{array.NewRecord(schema, []arrow.Array{column}, -1)})
		want := arrowtest.Values(table.Column(0).Data())
		for _, compatible := range []bool{false} {
			for version := 1; version <= 2; version++ {
				name := fmt.Sprintf("%s, compatible %v, version %d", c.typ, compatible, version)
				b := writeBytes(t, table, Parquet, WriteOptions{RowGroupRows: 1600, PageRows: 300, PageVersion: version,
					Encodings: Encodings{Compatible: compatible}})
				m := openBytes(t, b).MetaData().RowGroups[0].Columns[0].MetaData
				tried := false
				for _, e := range m.Encodings {
					tried = tried || slices.Contains(c.by, int(e))
				}
				require.Equal(t, c.by != nil && !compatible, tried, "%s: %v", name, m.Encodings)
				in, err := readBytes(t, b, ReadOptions{Format: Parquet})
				require.NoError(t, err, name)
				require.Equal(t, want, arrowtest.Values(in.Table.Column(0).Data()), name)
				in.Table.Release()
				require.Equal(t, want, pqarrowValues(t, b, c.typ), name)
			}
		}
	}
}
