package tablefile

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/valuetext"
)

// flatFields are columns of every flat type that all formats but CSV hold, with a generator of JSON values.
var flatFields = []struct {
	typ   arrow.DataType
	value func(r *rand.Rand) string
}{
	{arrow.FixedWidthTypes.Boolean, func(r *rand.Rand) string { return fmt.Sprint(r.IntN(2) == 0) }},
	{arrow.PrimitiveTypes.Int8, number(1 << 7)}, {arrow.PrimitiveTypes.Uint8, number(1 << 8)},
	{arrow.PrimitiveTypes.Int16, number(1 << 15)}, {arrow.PrimitiveTypes.Uint16, number(1 << 16)},
	{arrow.PrimitiveTypes.Int32, number(1 << 31)}, {arrow.PrimitiveTypes.Uint32, number(1 << 32)},
	{arrow.PrimitiveTypes.Int64, number(1 << 50)}, {arrow.PrimitiveTypes.Uint64, number(1 << 50)},
	{arrow.PrimitiveTypes.Float32, number(1 << 20)}, {arrow.PrimitiveTypes.Float64, number(1 << 40)},
	{arrow.FixedWidthTypes.Float16, number(1 << 10)},
	{arrow.PrimitiveTypes.Date32, text("2021-03-04", "1969-12-31")},
	{arrow.FixedWidthTypes.Time32ms, text("10:11:12.345", "00:00:00.001")},
	{arrow.FixedWidthTypes.Time64us, text("10:11:12.345678", "23:59:59.999999")},
	{arrow.FixedWidthTypes.Time64ns, text("10:11:12.345678901")},
	{arrow.FixedWidthTypes.Timestamp_ms, text("2021-03-04 10:11:12.345", "1950-01-01 00:00:00")},
	{arrow.FixedWidthTypes.Timestamp_us, text("2021-03-04 10:11:12.345678")},
	{arrow.FixedWidthTypes.Timestamp_ns, text("2021-03-04 10:11:12.345678901")},
	{&arrow.TimestampType{Unit: arrow.Microsecond}, text("2021-03-04 10:11:12.345678")},
	{&arrow.TimestampType{Unit: arrow.Millisecond, TimeZone: "America/New_York"}, text("2021-03-04 10:11:12.345")},
	{&arrow.Decimal128Type{Precision: 20, Scale: 3}, text("12345.678", "-1.500")},
	{&arrow.Decimal256Type{Precision: 60, Scale: 3}, text("12345.678", "-1.500")},
	{arrow.BinaryTypes.String, text("", "a", "bcd", "a string that is longer than twelve bytes")},
	{arrow.BinaryTypes.LargeString, text("", "x", "large")},
	{arrow.BinaryTypes.Binary, text("", "YQ==", "AAECAw==")},
	{arrow.BinaryTypes.LargeBinary, text("", "YQ==", "AAECAw==")},
	{&arrow.FixedSizeBinaryType{ByteWidth: 3}, text("YWJj", "AAEC")},
}

func number(below int64) func(r *rand.Rand) string {
	return func(r *rand.Rand) string { return fmt.Sprint(r.Int64N(below)) }
}

func text(values ...string) func(r *rand.Rand) string {
	return func(r *rand.Rand) string { return `"` + values[r.IntN(len(values))] + `"` }
}

// flatTable has a nullable and a required column of every flat type, in two chunks.
func flatTable(t testing.TB, mem memory.Allocator, rows int, seed uint64) arrow.Table {
	r := rand.New(rand.NewPCG(seed, 1))
	var fields []arrow.Field
	for i, f := range flatFields {
		fields = append(fields,
			arrow.Field{Name: fmt.Sprintf("n%d", i), Type: f.typ, Nullable: true},
			arrow.Field{Name: fmt.Sprintf("r%d", i), Type: f.typ})
	}
	meta := arrow.MetadataFrom(map[string]string{"owner": "tests"})
	schema := arrow.NewSchema(fields, &meta)
	var b strings.Builder
	for range rows {
		b.WriteString("{")
		for i, f := range flatFields {
			null := f.value(r)
			if r.IntN(4) == 0 {
				null = "null"
			}
			fmt.Fprintf(&b, `"n%d":%s,"r%d":%s,`, i, null, i, f.value(r))
		}
		b.WriteString("\"\":0}\n")
	}
	return tableOf(t, mem, schema, b.String(), rows/3)
}

// tableOf is a table of JSON rows, cut into two chunks after the row.
func tableOf(t testing.TB, mem memory.Allocator, schema *arrow.Schema, rows string, cut int) arrow.Table {
	b := array.NewRecordBuilder(mem, schema)
	defer b.Release()
	var records []arrow.Record
	flush := func() {
		rec := b.NewRecord()
		records = append(records, rec)
	}
	for i, row := range strings.Split(strings.TrimSpace(rows), "\n") {
		if i == cut && cut > 0 {
			flush()
		}
		if row != "" {
			require.NoError(t, b.UnmarshalJSON([]byte(row)), row)
		}
	}
	flush()
	table := array.NewTableFromRecords(schema, records)
	for _, rec := range records {
		rec.Release()
	}
	return table
}

// nestedTable has structs, lists, maps and their combinations, nulls at every level.
func nestedTable(t testing.TB, mem memory.Allocator) arrow.Table {
	pair := arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int32, Nullable: true},
		arrow.Field{Name: "s", Type: arrow.BinaryTypes.String, Nullable: true})
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "p", Type: pair, Nullable: true},
		{Name: "l", Type: arrow.ListOf(arrow.PrimitiveTypes.Int64), Nullable: true},
		{Name: "ll", Type: arrow.ListOf(arrow.ListOf(arrow.BinaryTypes.String)), Nullable: true},
		{Name: "lp", Type: arrow.ListOf(pair), Nullable: true},
		{Name: "pl", Type: arrow.StructOf(arrow.Field{Name: "l", Type: arrow.ListOf(arrow.PrimitiveTypes.Float64),
			Nullable: true}), Nullable: true},
		{Name: "m", Type: arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int32), Nullable: true},
	}, nil)
	rows := `{"p":{"x":1,"s":"a"},"l":[1,2],"ll":[["a"],[]],"lp":[{"x":1,"s":"u"},{"x":null,"s":"v"}],` +
		`"pl":{"l":[1.5]},"m":[{"key":"k","value":1}]}
{"p":{"x":null,"s":null},"l":[],"ll":[],"lp":[],"pl":{"l":null},"m":[]}
{"p":null,"l":null,"ll":null,"lp":null,"pl":null,"m":null}
{"p":{"x":4,"s":""},"l":[null,5],"ll":[["b",null],["c"]],"lp":[{"x":2,"s":null}],"pl":{"l":[]},` +
		`"m":[{"key":"a","value":null},{"key":"b","value":2}]}
{"p":{"x":5,"s":"e"},"l":[6],"ll":[[]],"lp":[{"x":3,"s":"w"}],"pl":{"l":[2.5,null]},"m":[{"key":"z","value":26}]}`
	return tableOf(t, mem, schema, rows, 2)
}

// dictionaryTable has dictionaries that differ between its chunks.
func dictionaryTable(t testing.TB, mem memory.Allocator) arrow.Table {
	typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
	schema := arrow.NewSchema([]arrow.Field{{Name: "d", Type: typ, Nullable: true},
		{Name: "i", Type: arrow.PrimitiveTypes.Int32}}, nil)
	var records []arrow.Record
	for _, rows := range []string{`[{"d":"b","i":1},{"d":"a","i":2},{"d":null,"i":3}]`,
		`[{"d":"c","i":4},{"d":"a","i":5}]`} {
		rec, _, err := array.RecordFromJSON(mem, schema, strings.NewReader(rows))
		require.NoError(t, err)
		records = append(records, rec)
	}
	defer func() {
		for _, rec := range records {
			rec.Release()
		}
	}()
	return array.NewTableFromRecords(schema, records)
}

// textOf prints the values of a table row by row, for comparison across chunks and dictionaries.
func textOf(t testing.TB, table arrow.Table) []string {
	rows := make([]string, table.NumRows())
	r := array.NewTableReader(table, -1)
	defer r.Release()
	i := 0
	for r.Next() {
		rec := r.Record()
		for k := range int(rec.NumRows()) {
			for _, c := range rec.Columns() {
				if c.IsNull(k) {
					rows[i] += "null|"
				} else {
					rows[i] += valuetext.Formatter(c)(k) + "|"
				}
			}
			i++
		}
	}
	require.Equal(t, int(table.NumRows()), i)
	return rows
}

// valuesOf is arrowtest.Values, for the tests of Parquet.
var valuesOf = arrowtest.Values

func requireTables(t testing.TB, want, got arrow.Table) {
	t.Helper()
	require.Equal(t, want.Schema().String(), got.Schema().String())
	require.Equal(t, want.NumRows(), got.NumRows())
	require.Equal(t, textOf(t, want), textOf(t, got))
}

// writeBytes writes a table and returns the file.
func writeBytes(t testing.TB, table arrow.Table, format Format, opts WriteOptions) []byte {
	t.Helper()
	opts.Format = format
	path := filepath.Join(t.TempDir(), "t")
	n, err := Write(context.Background(), path, table, opts)
	require.NoError(t, err)
	b := readFile(t, path)
	require.EqualValues(t, len(b), n)
	return b
}

// readBytes reads a table from bytes in a file.
func readBytes(t testing.TB, b []byte, opts ReadOptions) (*Input, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "input-file")
	require.NoError(t, os.WriteFile(path, b, 0o600))
	return Read(context.Background(), path, opts)
}

// readInput is readBytes without an error. The table is released with the test.
func readInput(t testing.TB, b []byte, opts ReadOptions) *Input {
	t.Helper()
	in, err := readBytes(t, b, opts)
	require.NoError(t, err)
	t.Cleanup(in.Table.Release)
	return in
}

// scanFile is Scan without an error. The scanner is closed with the test.
func scanFile(t testing.TB, path string, batchBytes int64, opts ReadOptions) *Scanner {
	t.Helper()
	s, err := Scan(path, batchBytes, opts)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	return s
}

// writeFile is Write without an error.
func writeFile(t testing.TB, path string, table arrow.Table, opts WriteOptions) {
	t.Helper()
	_, err := Write(t.Context(), path, table, opts)
	require.NoError(t, err)
}

var readFile = arrowtest.ReadFile
