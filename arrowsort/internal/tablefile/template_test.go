package tablefile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
)

func TestLayoutOfTheInputIsKept(t *testing.T) {
	table := flatTable(t, memory.DefaultAllocator, 50, 9)
	defer table.Release()
	for _, codec := range []string{"snappy", "gzip", "none", "zstd"} {
		first := writeBytes(t, table, Parquet, WriteOptions{Compression: Compression{Codec: codec}})
		in, err := readBytes(t, first, ReadOptions{Format: Parquet})
		require.NoError(t, err)
		second := writeBytes(t, in.Table, Parquet, WriteOptions{Template: in.Template, Schema: in.Schema})
		in.Table.Release()
		a, b := openBytes(t, first), openBytes(t, second)
		require.True(t, a.MetaData().Schema.Equals(b.MetaData().Schema))
		require.True(t, a.MetaData().KeyValueMetadata().Equals(b.MetaData().KeyValueMetadata()))
		requireCodecs(t, codec, b)
		third := writeBytes(t, table, Parquet,
			WriteOptions{Template: templateOf(t, first), Compression: Compression{Codec: "brotli"}})
		requireCodecs(t, "brotli", openBytes(t, third)) // what is asked for goes first
	}
}

func requireCodecs(t *testing.T, codec string, r *file.Reader) {
	for i, c := range r.MetaData().RowGroups[0].Columns {
		require.Equal(t, page.Codecs[codec], compress.Compression(c.MetaData.Codec), i)
	}
}

// templateOf is the template of a file.
func templateOf(t testing.TB, b []byte) *Template {
	in, err := readBytes(t, b, ReadOptions{Format: Parquet})
	require.NoError(t, err)
	in.Table.Release()
	return in.Template
}

func openBytes(t testing.TB, b []byte) *file.Reader {
	r, err := file.NewParquetReader(bytes.NewReader(b))
	require.NoError(t, err)
	return r
}

// withFooter is the file with the pages of another and a footer.
func withFooter(t testing.TB, pages []byte, footer *metadata.FileMetaData) []byte {
	var b bytes.Buffer
	_, err := footer.WriteTo(&b, nil)
	require.NoError(t, err)
	file := binary.LittleEndian.AppendUint32(slices.Concat(pages, b.Bytes()), uint32(b.Len()))
	return append(file, "PAR1"...)
}

// pagesOfFile is a file without its footer.
func pagesOfFile(b []byte) []byte {
	tail := len(b) - 8
	return b[:tail-int(binary.LittleEndian.Uint32(b[tail:]))]
}

// foreignFile is a file by another writer, see testdata/foreign/README.md.
func foreignFile(t testing.TB, name string) []byte {
	b := readFile(t, filepath.Join("testdata", "foreign", name))
	return b
}

// rewritten is a Parquet file that was read and written as it was.
func rewritten(t *testing.T, b []byte) *file.Reader {
	in := readInput(t, b, ReadOptions{Format: Parquet})
	return openBytes(t, writeBytes(t, in.Table, Parquet, WriteOptions{Template: in.Template, Schema: in.Schema}))
}

// requireSchema requires that two files have the same schema, but for some columns, and the same key-value metadata.
func requireSchema(t testing.TB, a, b *file.Reader, but string) {
	t.Helper()
	from, to := columnElements(a.MetaData()), columnElements(b.MetaData())
	require.Len(t, to, len(from))
	for name, elements := range from {
		if !strings.Contains(but, name+" ") {
			require.Equal(t, elements, to[name])
		}
	}
	require.True(t, a.MetaData().KeyValueMetadata().Equals(b.MetaData().KeyValueMetadata()))
	for _, group := range b.MetaData().RowGroups {
		for i, c := range group.Columns {
			require.EqualValues(t, b.MetaData().Schema.Column(i).ColumnPath(), c.MetaData.PathInSchema)
		}
	}
}

// columnElements are the elements of the schema by column of the table: the column itself, and those below it.
func columnElements(meta *metadata.FileMetaData) map[string][]any {
	columns := map[string][]any{}
	name, open := "", int32(0) // elements of the column that are still to come
	for _, element := range meta.FileMetaData.Schema[1:] {
		if open == 0 {
			name, open = element.Name, 1
		}
		columns[name] = append(columns[name], element)
		open += element.GetNumChildren() - 1
	}
	return columns
}

func TestSchemaAndMetadataOfOtherWritersAreKept(t *testing.T) {
	for name, but := range map[string]string{"duckdb": "d4 d8 d16 ", "pyarrow": "", "polars": ""} {
		b := foreignFile(t, name+".parquet")
		a, c := openBytes(t, b), rewritten(t, b)
		requireSchema(t, a, c, but)
		for i := range a.MetaData().Schema.NumColumns() {
			want, got := a.MetaData().Schema.Column(i), c.MetaData().Schema.Column(i)
			require.True(t, want.LogicalType().Equals(got.LogicalType()), "%s: %s, %s", name, want, got)
		}
	}
}

// TestDecimalsOfFilesWithoutRowGroupsAreKept: a file without rows may be the first of several, and decimals of another
// form are no longer those of a shredded variant.
func TestDecimalsOfFilesWithoutRowGroupsAreKept(t *testing.T) {
	whole := foreignFile(t, "duckdb.parquet")
	meta := openBytes(t, whole).MetaData()
	meta.RowGroups, meta.NumRows = nil, 0
	b := withFooter(t, pagesOfFile(whole), meta)
	want, got := openBytes(t, b).MetaData().Schema, rewritten(t, b).MetaData().Schema
	types := make(map[parquet.Type]bool)
	for i := range want.NumColumns() {
		if _, decimal := want.Column(i).LogicalType().(schema.DecimalLogicalType); decimal {
			require.Equal(t, want.Column(i).PhysicalType(), got.Column(i).PhysicalType(), want.Column(i).Path())
			types[want.Column(i).PhysicalType()] = true
		}
	}
	require.Len(t, types, 3, "numbers of 32 and 64 bits, and bytes")
}

// TestConvertedTypesAloneAreKept reads columns that have a converted type and no logical one, as older writers leave
// them.
func TestConvertedTypesAloneAreKept(t *testing.T) {
	table := convertible(t)
	defer table.Release()
	whole := writeBytes(t, table, Parquet, WriteOptions{})
	meta := openBytes(t, whole).MetaData()
	for _, element := range meta.FileMetaData.Schema[1:] {
		element.LogicalType = nil
		if at := slices.IndexFunc(converted,
			func(c convertedType) bool { return c.typ.String() == element.Name }); at >= 0 {
			setConverted(&element.ConvertedType, converted[at].typ)
		}
	}
	meta.FileMetaData.KeyValueMetadata[0].Key = "owner" // in place of the Arrow schema
	b := withFooter(t, pagesOfFile(whole), meta)
	a := openBytes(t, b)
	requireSchema(t, a, rewritten(t, b), "")
	require.Len(t, a.MetaData().KeyValueMetadata(), 1)
}

// setConverted sets a converted type, whose type has no name outside of its package.
func setConverted[T ~int64](field **T, typ schema.ConvertedType) {
	value := T(typ)
	*field = &value
}

// A convertedType is a converted type of leaf columns, and what Arrow has for it.
type convertedType struct {
	typ  schema.ConvertedType
	data arrow.DataType
}

// converted are the converted types of leaf columns, and what Arrow has for them.
var converted = []convertedType{
	{schema.ConvertedTypes.UTF8, arrow.BinaryTypes.String},
	{schema.ConvertedTypes.Enum, arrow.BinaryTypes.Binary},
	{schema.ConvertedTypes.JSON, arrow.BinaryTypes.Binary},
	{schema.ConvertedTypes.BSON, arrow.BinaryTypes.Binary},
	{schema.ConvertedTypes.Decimal, &arrow.Decimal128Type{Precision: 9, Scale: 2}},
	{schema.ConvertedTypes.Date, arrow.FixedWidthTypes.Date32},
	{schema.ConvertedTypes.TimeMillis, arrow.FixedWidthTypes.Time32ms},
	{schema.ConvertedTypes.TimeMicros, arrow.FixedWidthTypes.Time64us},
	{schema.ConvertedTypes.TimestampMillis, arrow.FixedWidthTypes.Timestamp_ms},
	{schema.ConvertedTypes.TimestampMicros, arrow.FixedWidthTypes.Timestamp_us},
	{schema.ConvertedTypes.Int8, arrow.PrimitiveTypes.Int8},
	{schema.ConvertedTypes.Int16, arrow.PrimitiveTypes.Int16},
	{schema.ConvertedTypes.Int32, arrow.PrimitiveTypes.Int32},
	{schema.ConvertedTypes.Int64, arrow.PrimitiveTypes.Int64},
	{schema.ConvertedTypes.Uint8, arrow.PrimitiveTypes.Uint8},
	{schema.ConvertedTypes.Uint16, arrow.PrimitiveTypes.Uint16},
	{schema.ConvertedTypes.Uint32, arrow.PrimitiveTypes.Uint32},
	{schema.ConvertedTypes.Uint64, arrow.PrimitiveTypes.Uint64},
	{schema.ConvertedTypes.Interval, &arrow.FixedSizeBinaryType{ByteWidth: 12}},
}

// convertible has a column for every converted type, flat and in a struct, and one null in each.
func convertible(_ testing.TB) arrow.Table {
	var fields []arrow.Field
	for _, c := range converted {
		f := arrow.Field{Name: c.typ.String(), Type: c.data, Nullable: true}
		fields = append(fields, f, arrow.Field{Name: "in " + f.Name, Type: arrow.StructOf(f), Nullable: true},
			arrow.Field{Name: "list " + f.Name, Type: arrow.ListOf(c.data), Nullable: true})
	}
	sc := arrow.NewSchema(fields, nil)
	columns := make([]arrow.Array, len(fields))
	for i, f := range fields {
		columns[i] = array.MakeArrayOfNull(memory.DefaultAllocator, f.Type, 1)
		defer columns[i].Release()
	}
	rec := array.NewRecord(sc, columns, 1)
	defer rec.Release()
	return array.NewTableFromRecords(sc, []arrow.Record{rec})
}

// TestTimesOfDayAreLocal: UTC in Parquet's sense would be a time with a time zone, of which Arrow has none.
func TestTimesOfDayAreLocal(t *testing.T) {
	table := convertible(t)
	defer table.Release()
	sc := openBytes(t, writeBytes(t, table, Parquet, WriteOptions{})).MetaData().Schema
	found := 0
	for i := range sc.NumColumns() {
		if logical, ok := sc.Column(i).LogicalType().(schema.TimeLogicalType); ok {
			require.False(t, logical.IsAdjustedToUTC(), sc.Column(i).Path())
			require.Equal(t, schema.ConvertedTypes.None, sc.Column(i).ConvertedType(), sc.Column(i).Path())
			found++
		}
	}
	require.Equal(t, 6, found)
}

// TestColumnsThatDifferKeepTheOthersSchema: one column that is stored in another way does not cost the others theirs.
func TestColumnsThatDifferKeepTheOthersSchema(t *testing.T) {
	b := foreignFile(t, "pyarrow.parquet")
	in := readInput(t, b, ReadOptions{Format: Parquet})
	first := openBytes(t, b)
	fields := append([]arrow.Field(nil), in.Schema.Fields()...)
	fields[0].Nullable = false
	columns := make([]arrow.Column, len(fields))
	for i, f := range fields {
		columns[i] = *arrow.NewColumn(f, in.Table.Column(i).Data())
		defer columns[i].Release()
	}
	sc := arrow.NewSchema(fields, nil)
	table := array.NewTable(sc, columns, in.Table.NumRows())
	defer table.Release()
	got := openBytes(t, writeBytes(t, table, Parquet, WriteOptions{Template: in.Template}))
	require.Zero(t, got.MetaData().Schema.Column(0).MaxDefinitionLevel())
	require.Equal(t, "tests", *got.MetaData().KeyValueMetadata().FindValue("owner"))
	require.NotEqual(t, first.MetaData().KeyValueMetadata().FindValue("ARROW:schema"),
		got.MetaData().KeyValueMetadata().FindValue("ARROW:schema"))
	for i, c := range first.MetaData().RowGroups[0].Columns {
		require.Equal(t, c.MetaData.Codec, got.MetaData().RowGroups[0].Columns[i].MetaData.Codec, i)
		logical := got.MetaData().Schema.Column(i).LogicalType()
		require.True(t, i == 0 || logical.Equals(first.MetaData().Schema.Column(i).LogicalType()), i)
	}
}

// TestSchemaIsToldFirst: Parquet and Arrow files are not read before their schema is accepted.
func TestSchemaIsToldFirst(t *testing.T) {
	table := dictionaryTable(t, memory.DefaultAllocator)
	defer table.Release()
	refused := errors.New("refused")
	for _, format := range append(binaryFormats, CSV) {
		for _, answer := range []error{nil, refused} {
			var calls []string
			opts := ReadOptions{
				Format: format,
				Schema: func(schema *arrow.Schema) ([]int, error) {
					calls = append(calls, "schema "+schema.Field(0).Name)
					return nil, answer
				},
				Start:    func() { calls = append(calls, "start") },
				Progress: func(done, total int) { require.Contains(t, calls, "start") },
			}
			b := writeBytes(t, table, format, WriteOptions{})
			in, err := readBytes(t, b, opts)
			require.ErrorIs(t, err, answer)
			if answer == nil {
				in.Table.Release()
			}
			switch {
			case format == CSV:
				require.Equal(t, []string{"start", "schema d"}, calls)
			case answer == nil:
				require.Equal(t, []string{"schema d", "start"}, calls, format)
			default:
				require.Equal(t, []string{"schema d"}, calls, format)
			}
			calls = nil
			opts.Stdin = bytes.NewReader(b)
			in, err = Read(t.Context(), Pipe, opts)
			require.ErrorIs(t, err, answer)
			require.Equal(t, []string{"start", "schema d"}, calls, "a pipe may keep one waiting")
			if answer == nil {
				in.Table.Release()
			}
		}
	}
}
