package tablefile

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/writer"
)

var zoned = &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "America/New_York"}

// TestTypesOfOtherWriters: the types of Parquet files become those that Arrow C++ reads, read at once and in pieces.
func TestTypesOfOtherWriters(t *testing.T) {
	local := func(unit arrow.TimeUnit) arrow.DataType { return &arrow.TimestampType{Unit: unit} }
	for name, want := range map[string]map[string]arrow.DataType{
		"pyarrow.parquet": {
			"t32": arrow.FixedWidthTypes.Time32ms, "t64": arrow.FixedWidthTypes.Time64us,
			"t64n": arrow.FixedWidthTypes.Time64ns,
			"d64":  arrow.FixedWidthTypes.Date32, "dur": arrow.FixedWidthTypes.Duration_us,
			"lts": arrow.ListOf(local(arrow.Microsecond)), "ltz": arrow.ListOf(zoned),
			"sd": arrow.StructOf(arrow.Field{Name: "a", Type: arrow.FixedWidthTypes.Duration_ms, Nullable: true},
				arrow.Field{Name: "b", Type: local(arrow.Millisecond), Nullable: true}),
			"j": arrow.BinaryTypes.String, "u": &arrow.FixedSizeBinaryType{ByteWidth: 16},
			"ts": &arrow.TimestampType{Unit: arrow.Millisecond, TimeZone: "America/New_York"},
			"md": arrow.MapOf(arrow.BinaryTypes.Binary, arrow.FixedWidthTypes.Date32),
		},
		"duckdb.parquet": {
			"u": &arrow.FixedSizeBinaryType{ByteWidth: 16}, "j": arrow.BinaryTypes.String,
			"t":  arrow.FixedWidthTypes.Time64us,
			"ts": local(arrow.Microsecond), "tz": arrow.FixedWidthTypes.Timestamp_us,
			"l": arrow.ListOf(local(arrow.Microsecond)),
		},
		"polars.parquet": {"dur": arrow.FixedWidthTypes.Duration_us, "l": arrow.LargeListOf(local(arrow.Microsecond))},
	} {
		path := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(path, foreignFile(t, name), 0o600))
		whole, err := Read(t.Context(), path, ReadOptions{})
		require.NoError(t, err)
		defer whole.Table.Release()
		s, err := Scan(path, 1<<20, ReadOptions{})
		require.NoError(t, err)
		defer s.Close()
		piece, err := s.Next(t.Context())
		require.NoError(t, err)
		defer piece.Release()
		for column, typ := range want {
			for _, table := range []arrow.Table{whole.Table, piece} {
				i := table.Schema().FieldIndices(column)[0]
				data := table.Column(i).Data()
				require.True(t, arrow.TypeEqual(typ, data.DataType()), "%s: %s", column, data.DataType())
				require.True(t, arrow.TypeEqual(typ, data.Chunk(0).DataType()), "%s: %s", column,
					data.Chunk(0).DataType())
				requireChildTypes(t, data.Chunk(0).Data())
			}
		}
		require.Equal(t, textOf(t, whole.Table), textOf(t, piece))
	}
}

// requireChildTypes requires that the children of an array have the types that its own type says.
func requireChildTypes(t testing.TB, d arrow.ArrayData) {
	for i, c := range d.Children() {
		require.True(t, arrow.TypeEqual(d.DataType().(arrow.NestedType).Fields()[i].Type, c.DataType()), "%s: %s",
			d.DataType(), c.DataType())
		requireChildTypes(t, c)
	}
}

// TestMetadataOfParquetBecomesThatOfTheSchema, also when there is no Arrow schema.
func TestMetadataOfParquetBecomesThatOfTheSchema(t *testing.T) {
	for _, name := range []string{"duckdb.parquet", "pyarrow.parquet"} {
		in, err := readBytes(t, foreignFile(t, name), ReadOptions{Format: Parquet})
		require.NoError(t, err)
		defer in.Table.Release()
		meta := in.Schema.Metadata()
		require.Equal(t, "tests", meta.Values()[meta.FindKey("owner")])
		require.Negative(t, meta.FindKey(writer.ArrowSchemaKey))
	}
}

// TestArrowAndParquetOfOneTableAreTheSame compares the two files that pyarrow has written of a table.
func TestArrowAndParquetOfOneTableAreTheSame(t *testing.T) {
	file, err := readBytes(t, foreignFile(t, "pyarrow.arrow"), ReadOptions{Format: IPCFile})
	require.NoError(t, err)
	defer file.Table.Release()
	in, err := readBytes(t, writeBytes(t, file.Table, Parquet, WriteOptions{}), ReadOptions{Format: Parquet})
	require.NoError(t, err)
	defer in.Table.Release()
	want, err := readBytes(t, foreignFile(t, "pyarrow.parquet"), ReadOptions{Format: Parquet})
	require.NoError(t, err)
	defer want.Table.Release()
	requireTables(t, want.Table, in.Table)
	again, err := readBytes(t, writeBytes(t, in.Table, IPCFile, WriteOptions{}), ReadOptions{Format: IPCFile})
	require.NoError(t, err)
	defer again.Table.Release()
	requireTables(t, want.Table, again.Table)
	for i := range int(in.Table.NumCols()) {
		a, b := in.Table.Column(i).Data(), again.Table.Column(i).Data()
		require.True(t, array.ChunkedEqual(a, b), in.Table.Column(i).Name())
	}
}
