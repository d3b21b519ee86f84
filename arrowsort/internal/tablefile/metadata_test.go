package tablefile

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
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

// describedFields are fields with and without metadata, names of extension types among them: such as are registered in
// no version of Arrow, in both, and in one that refuses what is stored.
func describedFields() (fields []arrow.Field) {
	str, bin := arrow.DataType(arrow.BinaryTypes.String), arrow.DataType(arrow.BinaryTypes.Binary)
	words := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: str}
	named := func(typ arrow.DataType, name string) {
		keys := []string{"z", "ARROW:extension:name", "ARROW:extension:metadata", "a"}
		fields = append(fields, arrow.Field{Type: typ, Metadata: arrow.NewMetadata(keys, []string{"1", name, "", "2"})})
	}
	for _, typ := range []arrow.DataType{str, words, arrowtest.NewExtension(arrow.PrimitiveTypes.Int32),
		&arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "Asia/Tokyo"}} {
		plain := arrow.NewMetadata([]string{"z", "a"}, []string{"1", ""})
		fields = append(fields, arrow.Field{Type: typ}, arrow.Field{Type: typ, Metadata: plain})
	}
	named(str, "unheard.of")
	named(words, "unheard.of")
	named(str, "arrow.json")
	named(bin, "arrow.json")
	named(words, "arrow.json")
	named(str, "arrow.uuid")
	named(&arrow.FixedSizeBinaryType{ByteWidth: 16}, "arrow.uuid")
	pair := arrow.StructOf(arrow.Field{Name: "metadata", Type: bin}, arrow.Field{Name: "value", Type: bin})
	named(pair, "arrow.parquet.variant")
	named(arrow.StructOf(arrow.Field{Name: "value", Type: bin, Nullable: true}), "parquet.variant")
	named(arrow.StructOf(
		arrow.Field{Name: "timestamp", Type: &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}},
		arrow.Field{Name: "offset_minutes", Type: arrow.PrimitiveTypes.Int16}), "arrow.timestamp_with_offset")
	return fields
}

// describedContainers are the containers with a place for the metadata of what is inside.
func describedContainers() []arrowtest.Container {
	key, index := arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int8
	codes := []arrow.UnionTypeCode{4, 2}
	either := func(value arrow.Field) []arrow.Field {
		meta := arrow.NewMetadata([]string{"b"}, []string{"c"})
		return []arrow.Field{value, {Name: "else", Type: key, Metadata: meta}}
	}
	itemOf := func(value arrow.Field) arrow.DataType {
		return arrow.MapOfWithMetadata(key, arrow.Metadata{}, value.Type, value.Metadata)
	}
	return append(arrowtest.Containers(), []arrowtest.Container{
		{Name: "key of a map", Of: func(value arrow.Field) arrow.DataType {
			return arrow.MapOfWithMetadata(value.Type, value.Metadata, key, arrow.Metadata{})
		}},
		{Name: "list view", Of: func(value arrow.Field) arrow.DataType { return arrow.ListViewOfField(value) }},
		{Name: "large list view", Of: func(value arrow.Field) arrow.DataType {
			return arrow.LargeListViewOfField(value)
		}},
		{Name: "sparse union", Of: func(value arrow.Field) arrow.DataType {
			return arrow.SparseUnionOf(either(value), codes)
		}},
		{Name: "dense union", Of: func(value arrow.Field) arrow.DataType {
			return arrow.DenseUnionOf(either(value), codes)
		}},
		{Name: "large list of maps", Of: func(value arrow.Field) arrow.DataType {
			return arrow.LargeListOf(itemOf(value))
		}},
		{Name: "sorted map of maps", Of: func(value arrow.Field) arrow.DataType {
			typ := arrow.MapOf(key, itemOf(value))
			typ.KeysSorted = true
			return typ
		}},
		{Name: "runs of maps", Of: func(value arrow.Field) arrow.DataType {
			runs := arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int16, itemOf(value))
			runs.ValueNullable = value.Nullable
			return runs
		}},
		{Name: "dictionary of maps", Of: func(value arrow.Field) arrow.DataType {
			return &arrow.DictionaryType{IndexType: index, ValueType: itemOf(value)}
		}},
	}...)
}

// TestFieldsKeepWhatDescribesThem in every container, from every format to every other: type, name, nullability and
// metadata.
func TestFieldsKeepWhatDescribesThem(t *testing.T) {
	require.NoError(t, arrow.RegisterExtensionType(arrowtest.NewExtension(arrow.PrimitiveTypes.Int32)))
	t.Cleanup(func() { require.NoError(t, arrow.UnregisterExtensionType("arrowtest")) })
	for _, box := range describedContainers() {
		for _, nullable := range []bool{true, false} {
			if !testrun.Share(3, box.Name, nullable) {
				continue
			}
			var fields []arrow.Field
			var columns []arrow.Array
			for i, f := range describedFields() {
				f.Name, f.Nullable = "item", nullable
				column := arrow.Field{Name: fmt.Sprintf("column %d", i), Type: box.Of(f), Nullable: nullable}
				if box.Name == "itself" {
					column.Metadata = f.Metadata
				}
				random := rand.New(rand.NewPCG(1, uint64(i)))
				fields = append(fields, column)
				columns = append(columns, arrowtest.Random(random, column.Type, 3, 0, memory.DefaultAllocator))
			}
			rows := array.NewRecord(arrow.NewSchema(fields, nil), columns, 3)
			table := array.NewTableFromRecords(rows.Schema(), []arrow.Record{rows})
			for _, from := range binaryFormats {
				t.Run(fmt.Sprintf("%s/nullable=%v/%s", box.Name, nullable, from), func(t *testing.T) {
					requireDescribed(t, table, from)
				})
			}
		}
	}
}

// requireDescribed requires fields to stay as they are when they are read from a format and written to each.
func requireDescribed(t *testing.T, table arrow.Table, from Format) {
	if !writes(from, table) {
		return
	}
	in, err := readBytes(t, writeBytes(t, table, from, WriteOptions{}), ReadOptions{Format: from})
	require.NoError(t, err)
	for _, to := range binaryFormats {
		if !writes(to, table) {
			continue
		}
		out, err := readBytes(t, writeBytes(t, in.Table, to, WriteOptions{}), ReadOptions{Format: to})
		require.NoError(t, err)
		for i, f := range table.Schema().Fields() {
			require.Equal(t, described(f), described(in.Table.Schema().Field(i)), "in %s", from)
			require.Equal(t, described(f), described(out.Table.Schema().Field(i)), "to %s", to)
			want, got := table.Column(i).Data(), out.Table.Column(i).Data()
			require.Equal(t, arrowtest.Values(want), arrowtest.Values(got), "to %s", to)
		}
	}
}

// writes reports whether a format has the types of a table, which all have the same container. Parquet has the values
// of dictionaries of nested types only.
func writes(format Format, table arrow.Table) bool {
	field := table.Schema().Field(0)
	_, unwritten := writer.Unsupported(field)
	typ, ok := field.Type.(*arrow.DictionaryType)
	return format != Parquet || unwritten == nil && (!ok || !arraydata.IsNested(typ.ValueType))
}

func TestDictionariesOfNestedValuesAreTheirValuesInParquet(t *testing.T) {
	values := arrow.StructOf(arrow.Field{Name: "view", Type: arrow.BinaryTypes.StringView, Nullable: true},
		arrow.Field{Name: "list", Type: arrow.ListOf(arrow.PrimitiveTypes.Int8), Nullable: true})
	typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16, ValueType: values}
	field := arrow.Field{Name: "column", Type: arrow.ListOf(typ), Nullable: true}
	random := rand.New(rand.NewPCG(3, 4))
	var chunks []arrow.Array
	for range 3 { // with other dictionaries
		chunks = append(chunks, arrowtest.RandomSlice(random, field.Type, 300, 7, 0.2, memory.DefaultAllocator))
	}
	column := arrow.NewColumn(field, arrow.NewChunked(field.Type, chunks))
	table := array.NewTable(arrow.NewSchema([]arrow.Field{field}, nil), []arrow.Column{*column}, -1)
	b := writeBytes(t, table, Parquet, WriteOptions{RowGroupRows: 500, PageRows: 100})
	in, err := readBytes(t, b, ReadOptions{Format: Parquet})
	require.NoError(t, err)
	require.Equal(t, "list<item: struct<view: utf8, list: list<item: int8, nullable>>, nullable>",
		in.Table.Schema().Field(0).Type.String())
	require.Equal(t, arrowtest.Values(column.Data()), arrowtest.Values(in.Table.Column(0).Data()))
}

func TestADictionaryOfNullsThatIsNotNullableIsNotWritten(t *testing.T) {
	typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.Null}
	inside := arrow.StructOf(arrow.Field{Name: "nulls", Type: typ})
	for name, field := range map[string]arrow.Field{
		`"column"`:       {Name: "column", Type: typ},
		`"column.nulls"`: {Name: "column", Type: inside, Nullable: true},
	} {
		table := array.NewTableFromRecords(arrow.NewSchema([]arrow.Field{field}, nil), nil)
		_, err := Write(t.Context(), filepath.Join(t.TempDir(), "t"), table, WriteOptions{Format: Parquet})
		require.ErrorIs(t, err, ErrUnsupported)
		require.ErrorContains(t, err, name)
	}
}

// described is all that a schema has about a field.
func described(f arrow.Field) string {
	text := fmt.Sprintf("%s: %s nullable=%v %v", f.Name, f.Type.Name(), f.Nullable, f.Metadata)
	switch typ := f.Type.(type) {
	case *arrow.DictionaryType:
		return text + fmt.Sprintf(" of %s (%s)", typ.IndexType, described(arrow.Field{Type: typ.ValueType}))
	case *arrow.MapType:
		text += fmt.Sprintf(" sorted=%v", typ.KeysSorted)
	case arrow.NestedType:
	default:
		return text + " " + typ.String()
	}
	for _, child := range f.Type.(arrow.NestedType).Fields() {
		text += " (" + described(child) + ")"
	}
	return text
}
