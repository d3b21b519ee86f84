package tablefile

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
)

// declaredWithoutNulls is a table of one column whose declared type is stricter than the one with which it was made.
func declaredWithoutNulls(t testing.TB, typ, strict arrow.DataType, nullable bool, rows string) arrow.Table {
	loose := tableOf(t, memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{{Name: "x", Type: typ, Nullable: true}},
		nil), rows, 0)
	defer loose.Release()
	d := loose.Column(0).Data().Chunk(0).Data()
	data := array.NewData(strict, d.Len(), d.Buffers(), d.Children(), d.NullN(), d.Offset())
	defer data.Release()
	a := array.MakeFromData(data)
	defer a.Release()
	sc := arrow.NewSchema([]arrow.Field{{Name: "x", Type: strict, Nullable: nullable}}, nil)
	rec := array.NewRecord(sc, []arrow.Array{a}, int64(a.Len()))
	defer rec.Release()
	return array.NewTableFromRecords(sc, []arrow.Record{rec})
}

// TestNullsThatTheSchemaDeniesAreAnError: Parquet would have zeros and empty text in their place.
func TestNullsThatTheSchemaDeniesAreAnError(t *testing.T) {
	pair := func(nullable bool) arrow.DataType {
		return arrow.StructOf(arrow.Field{Name: "c", Type: arrow.BinaryTypes.String, Nullable: nullable})
	}
	strictMap := arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int32)
	strictMap.SetItemNullable(false)
	for _, c := range []struct {
		typ, strict arrow.DataType
		rows, where string
	}{
		{arrow.PrimitiveTypes.Int64, nil, `{"x":1}` + "\n" + `{"x":null}`, `column "x": row 1 `},
		{arrow.BinaryTypes.String, nil, `{"x":"a"}` + "\n" + `{"x":null}`, `column "x": row 1 `},
		{arrow.FixedWidthTypes.Boolean, nil, `{"x":null}` + "\n" + `{"x":true}`, `column "x": row 0 `},
		{pair(true), nil, `{"x":{"c":"a"}}` + "\n" + `{"x":null}`, `column "x": row 1 `},
		{arrow.ListOf(arrow.PrimitiveTypes.Int64), nil, `{"x":[1]}` + "\n" + `{"x":null}`, `column "x": row 1 `},
		{pair(true), pair(false), `{"x":null}` + "\n" + `{"x":{"c":null}}`, `column "x.c": row 1 `},
		{arrow.ListOf(pair(true)), arrow.ListOf(pair(false)), `{"x":[{"c":"a"},{"c":"b"}]}` + "\n" +
			`{"x":[{"c":null}]}`, `column "x.item.c": row 1 `},
		{arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int32), strictMap,
			`{"x":[{"key":"k","value":1}]}` + "\n" + `{"x":[{"key":"k","value":null}]}`,
			`column "x.entries.value": row 1 `},
	} {
		nullable := c.strict != nil
		if !nullable {
			c.strict = c.typ
		}
		table := declaredWithoutNulls(t, c.typ, c.strict, nullable, c.rows)
		defer table.Release()
		path := filepath.Join(t.TempDir(), "t.parquet")
		_, err := Write(t.Context(), path, table, WriteOptions{})
		require.ErrorContains(t, err, c.where+"of the output holds a null")
		require.NoFileExists(t, path)
		_, err = Write(t.Context(), path, table, WriteOptions{Rows: []uint64{1, 0}})
		require.ErrorContains(t, err, c.where+"of the input holds a null")
		for _, format := range []Format{IPCFile, IPCStream} {
			in, err := readBytes(t, writeBytes(t, table, format, WriteOptions{}), ReadOptions{Format: format})
			require.NoError(t, err)
			requireTables(t, table, in.Table)
			in.Table.Release()
		}
	}
	table := declaredWithoutNulls(t, arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Int64, false,
		`{"x":1}`+"\n"+`{"x":null}`)
	defer table.Release()
	require.Equal(t, "x\n1\n\"\"\n", string(writeBytes(t, table, CSV, WriteOptions{})))
}

// TestNullsBelowNullsAreNone: what a null struct has in a field that has no nulls does not count.
func TestNullsBelowNullsAreNone(t *testing.T) {
	strict := arrow.StructOf(arrow.Field{Name: "c", Type: arrow.PrimitiveTypes.Int64})
	loose := arrow.StructOf(arrow.Field{Name: "c", Type: arrow.PrimitiveTypes.Int64, Nullable: true})
	table := declaredWithoutNulls(t, loose, strict, true, `{"x":{"c":1}}`+"\n"+`{"x":null}`)
	defer table.Release()
	in := readInput(t, writeBytes(t, table, Parquet, WriteOptions{}), ReadOptions{Format: Parquet})
	require.Equal(t, textOf(t, table), textOf(t, in.Table))
}

// TestNullEntriesOfDictionariesAreNulls, also where the indices are not null.
func TestNullEntriesOfDictionariesAreNulls(t *testing.T) {
	entries, _, err := array.FromJSON(memory.DefaultAllocator, arrow.BinaryTypes.String,
		strings.NewReader(`["a", null]`))
	require.NoError(t, err)
	defer entries.Release()
	indices, _, err := array.FromJSON(memory.DefaultAllocator, arrow.PrimitiveTypes.Int32,
		strings.NewReader(`[0, 0, 1]`))
	require.NoError(t, err)
	defer indices.Release()
	typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
	d := array.NewDictionaryArray(typ, indices, entries)
	defer d.Release()
	sc := arrow.NewSchema([]arrow.Field{{Name: "x", Type: typ}}, nil)
	rec := array.NewRecord(sc, []arrow.Array{d}, 3)
	defer rec.Release()
	table := array.NewTableFromRecords(sc, []arrow.Record{rec})
	defer table.Release()
	_, err = Write(t.Context(), filepath.Join(t.TempDir(), "t.parquet"), table, WriteOptions{})
	require.ErrorContains(t, err, `column "x": row 2 of the output holds a null`)
}

// TestDatesOf64BitsAreDays and must be whole ones.
func TestDatesOf64BitsAreDays(t *testing.T) {
	mem := arrowtest.Checked(t)
	sc := arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.FixedWidthTypes.Date64, Nullable: true},
		{Name: "l", Type: arrow.ListOf(arrow.FixedWidthTypes.Date64), Nullable: true}}, nil)
	rows := `{"x":"2021-03-04","l":["1969-12-31",null]}` + "\n" + `{"x":null,"l":null}` + "\n"
	table := tableOf(t, mem, sc, rows+`{"x":"1900-01-01","l":[]}`, 2)
	defer table.Release()
	in := readInput(t, writeBytes(t, table, Parquet, WriteOptions{Allocator: mem, Rows: []uint64{2, 0, 1}}),
		ReadOptions{Format: Parquet})
	require.Equal(t, []string{`1900-01-01|[]|`, `2021-03-04|["1969-12-31",null]|`, `null|null|`}, textOf(t, in.Table))

	for date, fault := range map[arrow.Date64]string{
		millisOfDay + 1:                   "is not a whole day",
		millisOfDay * (math.MaxInt32 + 1): "is too far from 1970",
		millisOfDay * (math.MinInt32 - 1): "is too far from 1970",
	} {
		_, err := Write(t.Context(), filepath.Join(t.TempDir(), "t.parquet"), datesOf64Bits(millisOfDay, date),
			WriteOptions{})
		require.ErrorContains(t, err, `column "x": row 1 of the output holds a date64 that `+fault)
	}
	far := datesOf64Bits(millisOfDay*math.MaxInt32, millisOfDay*math.MinInt32)
	writeFile(t, filepath.Join(t.TempDir(), "t.parquet"), far, WriteOptions{})
}

func datesOf64Bits(dates ...arrow.Date64) arrow.Table {
	b := array.NewDate64Builder(memory.DefaultAllocator)
	b.AppendValues(dates, nil)
	a := b.NewArray()
	sc := arrow.NewSchema([]arrow.Field{{Name: "x", Type: a.DataType()}}, nil)
	return array.NewTableFromRecords(sc, []arrow.Record{array.NewRecord(sc, []arrow.Array{a}, int64(a.Len()))})
}

// TestValuesOfAnyKindOfStorageAreWhatIsRead: of extension types, and of dictionaries with null and empty entries, in
// columns and inside of others.
func TestValuesOfAnyKindOfStorageAreWhatIsRead(t *testing.T) {
	for _, c := range []struct {
		storage arrow.DataType
		entries string
	}{
		{arrow.FixedWidthTypes.Date64, `["2021-03-04", null, "1969-12-31"]`},
		{arrow.BinaryTypes.StringView, `["a text that is not in the view", null, ""]`},
		{arrow.BinaryTypes.LargeString, `["a", null, ""]`},
		{arrow.BinaryTypes.String, `["a", null, ""]`},
		{arrow.FixedWidthTypes.Boolean, `[true, null, false]`},
		{arrow.FixedWidthTypes.Duration_ms, `[1, null, 3]`},
		{arrow.PrimitiveTypes.Float64, `[1.5, null, 3]`},
		{arrow.PrimitiveTypes.Uint64, `[18446744073709551615, null, 0]`},
		{&arrow.Decimal128Type{Precision: 20, Scale: 2}, `["1.25", null, "-3.00"]`},
		{&arrow.FixedSizeBinaryType{ByteWidth: 2}, `["AAE=", null, "AAA="]`},
	} {
		t.Run(c.storage.String(), func(t *testing.T) {
			mem := arrowtest.Checked(t)
			entries := arrowtest.FromJSON(t, c.storage, c.entries)
			dictionary := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: c.storage}
			indices := arrowtest.FromJSON(t, arrow.PrimitiveTypes.Int8, `[2, null, 1, 0, 2]`)
			codes := array.NewDictionaryArray(dictionary, indices, entries)
			for _, a := range []arrow.Array{
				array.NewExtensionArrayWithStorage(arrowtest.NewExtension(c.storage), entries), codes} {
				require.Equal(t, valueTexts(a), valueTexts(storedAndRead(t, mem, a)))
				pair, err := array.NewStructArray([]arrow.Array{array.NewSlice(a, 1, int64(a.Len()))}, []string{"f"})
				require.NoError(t, err)
				require.Equal(t, valueTexts(a)[1:], valueTexts(storedAndRead(t, mem, pair).(*array.Struct).Field(0)))
			}
		})
	}
}

func valueTexts(a arrow.Array) (all []string) {
	for i := range a.Len() {
		all = append(all, a.ValueStr(i))
	}
	return all
}

// storedAndRead is what is read from a Parquet file of an array.
func storedAndRead(t *testing.T, mem memory.Allocator, a arrow.Array) arrow.Array {
	sc := arrow.NewSchema([]arrow.Field{{Name: "x", Type: a.DataType(), Nullable: true}}, nil)
	table := array.NewTableFromRecords(sc, []arrow.Record{array.NewRecord(sc, []arrow.Array{a}, int64(a.Len()))})
	in, err := readBytes(t, writeBytes(t, table, Parquet, WriteOptions{Allocator: mem}), ReadOptions{Format: Parquet})
	require.NoError(t, err)
	return in.Table.Column(0).Data().Chunk(0)
}

// TestNullsWithoutBuffersAreWritten: what is read from an Arrow file has none.
func TestNullsWithoutBuffersAreWritten(t *testing.T) {
	nulls := array.MakeFromData(array.NewData(arrow.Null, 3, nil, nil, 3, 0))
	pair, err := array.NewStructArray([]arrow.Array{nulls}, []string{"f"})
	require.NoError(t, err)
	for _, a := range []arrow.Array{nulls, pair} {
		require.Equal(t, valueTexts(a), valueTexts(storedAndRead(t, memory.DefaultAllocator, a)))
	}
}

// words has strings and integers with few and with many values, with and without nulls, over several batches and row
// groups of the writer.
func words(t *testing.T, mem memory.Allocator, rows int) arrow.Table {
	r := rand.New(rand.NewPCG(5, 6))
	var fields []arrow.Field
	for _, typ := range []arrow.DataType{arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString,
		arrow.PrimitiveTypes.Int64, arrow.FixedWidthTypes.Timestamp_us} {
		for _, name := range []string{"few", "few nulls", "many", "many nulls", "all nulls"} {
			fields = append(fields, arrow.Field{Name: name + " " + typ.String(), Type: typ,
				Nullable: strings.HasSuffix(name, "nulls")})
		}
	}
	b := array.NewRecordBuilder(mem, arrow.NewSchema(fields, nil))
	defer b.Release()
	for range rows {
		for i, f := range fields {
			n := int64(r.IntN(50))
			if strings.HasPrefix(f.Name, "many") {
				n = r.Int64N(1 << 40)
			}
			if f.Nullable && (r.IntN(5) == 0 || strings.HasPrefix(f.Name, "all")) {
				b.Field(i).AppendNull()
				continue
			}
			switch b := b.Field(i).(type) {
			case *array.StringBuilder:
				b.Append(fmt.Sprint("value ", n))
			case *array.LargeStringBuilder:
				b.Append(fmt.Sprint("value ", n))
			case *array.Int64Builder:
				b.Append(n)
			case *array.TimestampBuilder:
				b.Append(arrow.Timestamp(n))
			}
		}
	}
	rec := b.NewRecord()
	defer rec.Release()
	return array.NewTableFromRecords(rec.Schema(), []arrow.Record{rec})
}

func TestDictionariesAreCarriedThroughParquet(t *testing.T) {
	mem := arrowtest.Checked(t)
	table := words(t, mem, 5000)
	defer table.Release()
	first := writeBytes(t, table, Parquet, WriteOptions{Allocator: mem, RowGroupRows: 2100})
	in := readInput(t, first, ReadOptions{Format: Parquet, Allocator: mem, Dictionaries: true})
	for i, f := range in.Table.Schema().Fields() {
		dictionary := !strings.HasPrefix(f.Name, "many") && strings.Contains(f.Name, "utf8")
		require.Equal(t, dictionary, f.Type.ID() == arrow.DICTIONARY, f.Name)
		require.Equal(t, table.Schema().Field(i).String(), in.Schema.Field(i).String())
	}
	require.Equal(t, textOf(t, table), textOf(t, in.Table))
	second := writeBytes(t, in.Table, Parquet,
		WriteOptions{Allocator: mem, RowGroupRows: 1700, Template: in.Template, Schema: in.Schema})
	again := readInput(t, second, ReadOptions{Format: Parquet, Allocator: mem})
	requireTables(t, table, again.Table)
}

func TestNullEntriesOfDictionariesAreWrittenAsNull(t *testing.T) {
	typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	a, err := array.DictArrayFromJSON(memory.DefaultAllocator, typ, `[0, 1, 2, null, 1]`, `["a", null, ""]`)
	require.NoError(t, err)
	defer a.Release()
	schema := arrow.NewSchema([]arrow.Field{{Name: "d", Type: typ, Nullable: true}}, nil)
	rec := array.NewRecord(schema, []arrow.Array{a}, 5)
	defer rec.Release()
	table := array.NewTableFromRecords(schema, []arrow.Record{rec})
	defer table.Release()
	in := readInput(t, writeBytes(t, table, Parquet, WriteOptions{}), ReadOptions{Format: Parquet})
	require.Equal(t, []string{"a|", "null|", "|", "null|", "null|"}, textOf(t, in.Table))
}
