package tablefile

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/writer"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// TestRoundTripOfEveryType writes every type in every container, in chunks that are slices at odd offsets, in several
// pages and row groups, and reads it again: type, nullability and values are what they were, or what inParquet says.
func TestRoundTripOfEveryType(t *testing.T) {
	require.NoError(t, arrow.RegisterExtensionType(arrowtest.NewExtension(arrow.PrimitiveTypes.Int32)))
	t.Cleanup(func() { require.NoError(t, arrow.UnregisterExtensionType("arrowtest")) })
	seed := uint64(0)
	for _, format := range binaryFormats {
		for _, box := range arrowtest.Containers() {
			for _, typ := range arrowtest.Flat() {
				for _, nullable := range []bool{true, false} {
					seed++
					if oneIn := map[bool]int{true: 3, false: 12}[format == Parquet]; !testrun.Share(oneIn, seed) {
						continue
					}
					value := arrow.Field{Name: "item", Type: typ, Nullable: nullable}
					field := arrow.Field{Name: "column", Type: box.Of(value), Nullable: nullable}
					t.Run(fmt.Sprintf("%s/%s/%s/nullable=%v", format, box.Name, typ, nullable), func(t *testing.T) {
						roundTrip(t, format, field, seed)
					})
				}
			}
		}
	}
}

func roundTrip(t *testing.T, format Format, field arrow.Field, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 12))
	nulls := 0.0
	if field.Nullable {
		nulls = 0.2
	}
	var chunks []arrow.Array
	for range 3 {
		a := arrowtest.RandomSlice(r, field.Type, 40+r.IntN(40), r.IntN(20), nulls, memory.DefaultAllocator)
		toWholeDays(a.Data())
		chunks = append(chunks, a)
	}
	column := arrow.NewColumn(field, arrow.NewChunked(field.Type, chunks))
	table := array.NewTable(arrow.NewSchema([]arrow.Field{field}, nil), []arrow.Column{*column}, -1)
	opts := WriteOptions{Format: format, RowGroupRows: rowGroups(format, 70), PageRows: rowGroups(format, 16),
		PageVersion: rowGroups(format, int(seed%3))}
	if _, unwritten := writer.Unsupported(field); format == Parquet && unwritten != nil {
		_, err := Write(t.Context(), filepath.Join(t.TempDir(), "t"), table, opts)
		require.ErrorIs(t, err, ErrUnsupported)
		require.ErrorContains(t, err, `column "column`)
		return
	}
	in := readInput(t, writeBytes(t, table, format, opts), ReadOptions{Format: format})
	want := field.Type
	if format == Parquet {
		want = inParquet(want)
	}
	got := in.Table.Schema().Field(0)
	require.Equal(t, want.String(), got.Type.String())
	require.Equal(t, field.Nullable, got.Nullable)
	var values []string
	for _, c := range chunks {
		if format == Parquet {
			c = asInParquet(c)
		}
		values = append(values, arrowtest.Values(arrow.NewChunked(c.DataType(), []arrow.Array{c}))...)
	}
	require.Equal(t, values, arrowtest.Values(in.Table.Column(0).Data()))
}

// inParquet is the type that a column has after it was written to Parquet and read: Parquet has no seconds, no days of
// 64 bits, and no views.
func inParquet(typ arrow.DataType) arrow.DataType {
	switch t := typ.(type) {
	case *arrow.Date64Type:
		return arrow.FixedWidthTypes.Date32
	case *arrow.Time32Type:
		return arrow.FixedWidthTypes.Time32ms
	case *arrow.TimestampType:
		if t.Unit == arrow.Second {
			return &arrow.TimestampType{Unit: arrow.Millisecond, TimeZone: t.TimeZone}
		}
	case *arrow.StringViewType:
		return arrow.BinaryTypes.String
	case *arrow.BinaryViewType:
		return arrow.BinaryTypes.Binary
	}
	return arraydata.MapTypes(typ, inParquet)
}

const millisOfDay = 24 * 60 * 60 * 1000

// toWholeDays rounds dates of 64 bits to the days that Parquet has.
func toWholeDays(d arrow.ArrayData) {
	if d.DataType().ID() == arrow.DATE64 {
		change(d, func(x arrow.Date64) arrow.Date64 { return x - x%millisOfDay })
	}
	for _, c := range d.Children() {
		toWholeDays(c)
	}
}

// toMillis changes seconds to the milliseconds that Parquet has.
func toMillis(d arrow.ArrayData) {
	switch t := d.DataType().(type) {
	case *arrow.Time32Type:
		if t.Unit == arrow.Second {
			change(d, func(x int32) int32 { return 1000 * x })
		}
	case *arrow.TimestampType:
		if t.Unit == arrow.Second {
			change(d, func(x int64) int64 { return 1000 * x })
		}
	}
	for _, c := range d.Children() {
		toMillis(c)
	}
}

// asInParquet is an array with the values that it has in Parquet; it changes the array.
func asInParquet(a arrow.Array) arrow.Array {
	toMillis(a.Data())
	return array.MakeFromData(inDays(a.Data(), daysFor(a.DataType())))
}

// daysFor is a type with dates of 32 bits in place of those of 64.
func daysFor(typ arrow.DataType) arrow.DataType {
	if typ.ID() == arrow.DATE64 {
		return arrow.FixedWidthTypes.Date32
	}
	return arraydata.MapTypes(typ, daysFor)
}

// inDays gives data a type that daysFor has.
func inDays(d arrow.ArrayData, typ arrow.DataType) arrow.ArrayData {
	if arrow.TypeEqual(d.DataType(), typ) {
		return d
	}
	buffers := slices.Clone(d.Buffers())
	if d.DataType().ID() == arrow.DATE64 {
		days := make([]int32, d.Offset()+d.Len())
		for i, x := range arrow.GetData[arrow.Date64](buffers[1].Bytes())[:len(days)] {
			days[i] = int32(x / millisOfDay)
		}
		buffers[1] = memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(days))
	}
	var children []arrow.ArrayData
	for i, c := range d.Children() {
		children = append(children, inDays(c, typ.(arrow.NestedType).Fields()[i].Type))
	}
	return array.NewData(typ, d.Len(), buffers, children, d.NullN(), d.Offset())
}

// change changes all values of an array.
func change[T arrow.Date64 | int32 | int64](d arrow.ArrayData, f func(T) T) {
	values := arrow.GetData[T](d.Buffers()[1].Bytes())
	for i := range values {
		values[i] = f(values[i])
	}
}
