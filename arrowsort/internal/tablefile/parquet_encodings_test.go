package tablefile

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	memory18 "github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	convert "github.com/arrowsort/arrowsort/arrowsort/internal/arrow18"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// encodedTypes are types of every physical type whose encoding can be named, and their encodings.
var encodedTypes = []struct {
	typ       arrow.DataType
	encodings []int
}{
	{arrow.PrimitiveTypes.Int32, []int{page.Plain, page.RLEDictionary, page.DeltaBinaryPacked, page.ByteStreamSplit}},
	{arrow.PrimitiveTypes.Uint32, []int{page.DeltaBinaryPacked}},
	{arrow.PrimitiveTypes.Int64, []int{page.Plain, page.RLEDictionary, page.DeltaBinaryPacked, page.ByteStreamSplit}},
	{arrow.PrimitiveTypes.Uint64, []int{page.DeltaBinaryPacked}},
	{arrow.PrimitiveTypes.Int8, []int{page.DeltaBinaryPacked}},
	{arrow.PrimitiveTypes.Uint16, []int{page.DeltaBinaryPacked}},
	{arrow.PrimitiveTypes.Date32, []int{page.DeltaBinaryPacked}},
	{arrow.FixedWidthTypes.Timestamp_us, []int{page.DeltaBinaryPacked}},
	{arrow.FixedWidthTypes.Time32ms, []int{page.DeltaBinaryPacked}},
	{arrow.PrimitiveTypes.Float32, []int{page.Plain, page.RLEDictionary, page.ByteStreamSplit}},
	{arrow.PrimitiveTypes.Float64, []int{page.Plain, page.RLEDictionary, page.ByteStreamSplit}},
	{arrow.BinaryTypes.String, []int{page.Plain, page.RLEDictionary, page.DeltaLengthByteArray, page.DeltaByteArray}},
	{arrow.BinaryTypes.LargeBinary, []int{page.DeltaLengthByteArray, page.DeltaByteArray}},
	{&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String},
		[]int{page.RLEDictionary, page.DeltaByteArray}},
}

// TestEncodingsOfEveryType writes slices at odd offsets, with nulls and without, in every encoding of their type, and
// some rows, none, or only nulls. The values, the encoding and the statistics are right, whoever reads the file.
func TestEncodingsOfEveryType(t *testing.T) {
	seed := uint64(0)
	for _, c := range encodedTypes {
		for _, e := range c.encodings {
			for version := 1; version <= 2; version++ {
				for _, nulls := range []float64{-1, 0, 0.2, 1} { // -1: of a column that has none
					if seed++; !testrun.Share(12, seed) {
						continue
					}
					name := fmt.Sprintf("%s/%s/version=%d/nulls=%v", c.typ, parquet.Encoding(e), version, nulls)
					t.Run(name, func(t *testing.T) {
						field := arrow.Field{Name: "column", Type: c.typ, Nullable: nulls >= 0}
						for _, rows := range []int{0, 1, 33, 300} {
							table := encodedSlices(rand.New(rand.NewPCG(seed, 5)), field, rows, max(nulls, 0))
							requireEncoded(t, table, e, WriteOptions{RowGroupRows: 200, PageRows: 70,
								PageVersion: version, Encodings: Encodings{Columns: map[string]int{"column": e}}})
							table.Release()
						}
					})
				}
			}
		}
	}
}

// encodedSlices returns a table of one column in two slices.
func encodedSlices(r *rand.Rand, f arrow.Field, rows int, nulls float64) arrow.Table {
	var chunks []arrow.Array
	for _, n := range []int{rows / 3, rows - rows/3} {
		chunks = append(chunks, arrowtest.RandomSlice(r, f.Type, n, 1+r.IntN(20), nulls, memory.DefaultAllocator))
	}
	column := arrow.NewColumn(f, arrow.NewChunked(f.Type, chunks))
	return array.NewTable(arrow.NewSchema([]arrow.Field{f}, nil), []arrow.Column{*column}, int64(rows))
}

// requireEncoded writes a table of one column in an encoding and reads it again, whole, in batches, and with pqarrow.
func requireEncoded(t *testing.T, table arrow.Table, encoding int, opts WriteOptions) {
	b, want := writeBytes(t, table, Parquet, opts), arrowtest.Values(table.Column(0).Data())
	in := readInput(t, b, ReadOptions{Format: Parquet})
	require.Equal(t, want, arrowtest.Values(in.Table.Column(0).Data()))

	path := filepath.Join(t.TempDir(), "x.parquet")
	require.NoError(t, os.WriteFile(path, b, 0o600))
	s := scanFile(t, path, 200, ReadOptions{})
	var got []string
	for len(got) < len(want) {
		batch, err := s.Next(t.Context())
		require.NoError(t, err)
		got = append(got, arrowtest.Values(batch.Column(0).Data())...)
		batch.Release()
	}
	require.Equal(t, want, got)
	require.Equal(t, want, pqarrowValues(t, b, in.Table.Schema().Field(0).Type))

	plain := opts
	plain.Encodings.Columns = map[string]int{"column": page.Plain}
	plainGroups := openBytes(t, writeBytes(t, table, Parquet, plain)).MetaData().RowGroups
	for i, g := range openBytes(t, b).MetaData().RowGroups {
		m := g.Columns[0].MetaData
		if encoding != page.RLEDictionary { // which is used where it pays
			require.EqualValues(t, encoding, m.Encodings[0])
			require.Len(t, m.EncodingStats, 1)
			require.EqualValues(t, map[int]int{1: page.Data, 2: page.DataV2}[opts.PageVersion],
				m.EncodingStats[0].PageType)
		}
		want, got := plainGroups[i].Columns[0].MetaData.Statistics, m.Statistics
		want.DistinctCount, got.DistinctCount = nil, nil // given where a dictionary shows it
		require.Equal(t, want, got)
	}
}

// pqarrowValues reads the values of the only column with Arrow's own reader.
func pqarrowValues(t *testing.T, b []byte, typ arrow.DataType) (values []string) {
	props := pqarrow.ArrowReadProperties{}
	table, err := pqarrow.ReadTable(context.Background(), bytes.NewReader(b),
		parquet.NewReaderProperties(memory18.DefaultAllocator), props, memory18.DefaultAllocator)
	require.NoError(t, err)
	defer table.Release()
	for _, c := range table.Column(0).Data().Chunks() {
		typ, err := convert.FromLayout(c.DataType())
		require.NoError(t, err)
		chunk := arrow.NewChunked(typ, []arrow.Array{convert.FromArray(c, typ)})
		values = append(values, arrowtest.Values(chunk)...)
	}
	return values
}

// TestEncodingsThatColumnsCannotHave are errors before anything is written.
func TestEncodingsThatColumnsCannotHave(t *testing.T) {
	sc := arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int32},
		{Name: "s", Type: arrow.BinaryTypes.String}, {Name: "b", Type: arrow.FixedWidthTypes.Boolean},
		{Name: "l", Type: arrow.ListOf(arrow.PrimitiveTypes.Int32)}}, nil)
	for column, c := range map[string]struct {
		encoding int
		want     string
	}{
		"n": {page.DeltaByteArray, "--encoding n=DELTA_BYTE_ARRAY: values of type int32 are stored as INT32: use " +
			"PLAIN, RLE_DICTIONARY, DELTA_BINARY_PACKED or BYTE_STREAM_SPLIT"},
		"s": {page.ByteStreamSplit, "--encoding s=BYTE_STREAM_SPLIT: values of type utf8 are stored as BYTE_ARRAY: " +
			"use PLAIN, RLE_DICTIONARY, DELTA_LENGTH_BYTE_ARRAY or DELTA_BYTE_ARRAY"},
		"b": {page.Plain, "--encoding b=PLAIN: encodings of columns of type bool cannot be named: leave it out"},
		"l": {page.DeltaBinaryPacked, "--encoding l=DELTA_BINARY_PACKED: encodings of columns of type " +
			"list<item: int32, nullable> cannot be named: leave it out"},
		"x": {page.Plain, `--encoding x=PLAIN: the output has no column "x"; there are "n", "s", "b", "l"`},
	} {
		opts := WriteOptions{Encodings: Encodings{Columns: map[string]int{column: c.encoding}}}
		err := CheckSchema(t.Context(), "out.parquet", sc, opts)
		require.ErrorIs(t, err, errkind.ErrUnsupported, column)
		require.ErrorContains(t, err, c.want)
	}
}

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

// TestColumnChunksOfSeveralPages has nulls in the last page only, in integers with a dictionary and without and in
// text.
func TestColumnChunksOfSeveralPages(t *testing.T) {
	mem := arrowtest.Checked(t)
	const rows = 2*DefaultPageRows + 77
	r := rand.New(rand.NewPCG(3, 9))
	text := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "few", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "many", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "text", Type: text, Nullable: true},
	}, nil)
	b := array.NewRecordBuilder(mem, schema)
	defer b.Release()
	for i := range rows {
		if i > rows-40 && i%3 == 0 {
			for _, f := range b.Fields() {
				f.AppendNull()
			}
			continue
		}
		b.Field(0).(*array.Int64Builder).Append(r.Int64N(700))
		b.Field(1).(*array.Int64Builder).Append(r.Int64())
		require.NoError(t, b.Field(2).(*array.BinaryDictionaryBuilder).AppendString([]string{"", "a", "bc"}[r.IntN(3)]))
	}
	rec := b.NewRecord()
	defer rec.Release()
	table := array.NewTableFromRecords(schema, []arrow.Record{rec})
	defer table.Release()
	opts := WriteOptions{Allocator: mem, RowGroupRows: rows}
	in := readInput(t, writeBytes(t, table, Parquet, opts), ReadOptions{Format: Parquet, Allocator: mem})
	for i := range schema.Fields() {
		want, got := rec.Column(i), in.Table.Column(i).Data().Chunk(0)
		require.Equal(t, rows, got.Len())
		require.Equal(t, want.NullN(), got.NullN())
		for row := range rows {
			if want.IsNull(row) != got.IsNull(row) || want.IsValid(row) && want.ValueStr(row) != got.ValueStr(row) {
				require.Failf(t, "rows differ", "column %s, row %d: %s, %s", schema.Field(i).Name, row,
					want.ValueStr(row), got.ValueStr(row))
			}
		}
	}
}
