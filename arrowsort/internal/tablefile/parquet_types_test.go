package tablefile

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/writer"
	"github.com/arrowsort/arrowsort/internal/testrun"
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
		s := scanFile(t, path, 1<<20, ReadOptions{})
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
		in := readInput(t, foreignFile(t, name), ReadOptions{Format: Parquet})
		meta := in.Schema.Metadata()
		require.Equal(t, "tests", meta.Values()[meta.FindKey("owner")])
		require.Negative(t, meta.FindKey(writer.ArrowSchemaKey))
	}
}

// TestArrowAndParquetOfOneTableAreTheSame compares the two files that pyarrow has written of a table.
func TestArrowAndParquetOfOneTableAreTheSame(t *testing.T) {
	file := readInput(t, foreignFile(t, "pyarrow.arrow"), ReadOptions{Format: IPCFile})
	in := readInput(t, writeBytes(t, file.Table, Parquet, WriteOptions{}), ReadOptions{Format: Parquet})
	want := readInput(t, foreignFile(t, "pyarrow.parquet"), ReadOptions{Format: Parquet})
	requireTables(t, want.Table, in.Table)
	again := readInput(t, writeBytes(t, in.Table, IPCFile, WriteOptions{}), ReadOptions{Format: IPCFile})
	requireTables(t, want.Table, again.Table)
	for i := range int(in.Table.NumCols()) {
		a, b := in.Table.Column(i).Data(), again.Table.Column(i).Data()
		require.True(t, array.ChunkedEqual(a, b), in.Table.Column(i).Name())
	}
}

// foreignBytes is the table as pqarrow writes it.
func foreignBytes(t testing.TB, table arrow.Table, props ...parquet.WriterProperty) []byte {
	var b bytes.Buffer
	writer := parquet.NewWriterProperties(props...)
	require.NoError(t, pqarrow.WriteTable(toTable18(t, table), &b, 700, writer, pqarrow.DefaultWriterProps()))
	return b.Bytes()
}

// TestDirectColumns reads what pqarrow wrote with every codec, in pages of every kind, and counts the columns that are
// read without pqarrow: all of fixed width and all text, but none of unknown pages.
func TestDirectColumns(t *testing.T) {
	table := words(t, memory.DefaultAllocator, 2000)
	defer table.Release()
	for name, c := range map[string]struct {
		props  []parquet.WriterProperty
		direct int
	}{
		"none":        {nil, 20},
		"snappy":      {[]parquet.WriterProperty{parquet.WithCompression(compress.Codecs.Snappy)}, 20},
		"gzip":        {[]parquet.WriterProperty{parquet.WithCompression(compress.Codecs.Gzip)}, 20},
		"brotli":      {[]parquet.WriterProperty{parquet.WithCompression(compress.Codecs.Brotli)}, 20},
		"zstd":        {[]parquet.WriterProperty{parquet.WithCompression(compress.Codecs.Zstd)}, 20},
		"small pages": {[]parquet.WriterProperty{parquet.WithDataPageSize(100), parquet.WithBatchSize(64)}, 20},
		"small dictionary": {[]parquet.WriterProperty{parquet.WithDictionaryPageSizeLimit(2000),
			parquet.WithBatchSize(64)}, 20},
		"plain":          {[]parquet.WriterProperty{parquet.WithDictionaryDefault(false)}, 20},
		"second version": {[]parquet.WriterProperty{parquet.WithDataPageVersion(parquet.DataPageV2)}, 20},
		"delta": {[]parquet.WriterProperty{parquet.WithDictionaryFor("few int64", false),
			parquet.WithEncodingFor("few int64", parquet.Encodings.DeltaBinaryPacked)}, 20},
	} {
		t.Run(name, func(t *testing.T) {
			mem := arrowtest.Checked(t)
			b := foreignBytes(t, table, c.props...)
			opts := ReadOptions{Format: Parquet, Allocator: mem, Dictionaries: true}
			in := readInput(t, b, opts)
			require.Equal(t, textOf(t, table), textOf(t, in.Table))

			path := filepath.Join(t.TempDir(), "x.parquet")
			require.NoError(t, os.WriteFile(path, b, 0o600))
			s := scanFile(t, path, 1<<20, opts)
			require.Len(t, s.parquet.Decoded(), c.direct)
		})
	}
}

// TestListsInParquet writes lists of all kinds, some of them null, over values of every width: in several pages and row
// groups, from chunks that are slices. Null lists have values behind them, which are not written.
func TestListsInParquet(t *testing.T) {
	elements := []arrow.DataType{
		arrow.FixedWidthTypes.Boolean, arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Float64,
		arrow.BinaryTypes.String,
		&arrow.Decimal128Type{Precision: 20, Scale: 3}, &arrow.FixedSizeBinaryType{ByteWidth: 3},
	}
	field := func(typ arrow.DataType) arrow.Field { return arrow.Field{Name: "f", Type: typ, Nullable: true} }
	for i, elem := range elements {
		fixed := arrow.FixedSizeListOf(3, elem)
		for k, typ := range []arrow.DataType{
			arrow.StructOf(field(elem)), arrow.StructOf(field(arrow.StructOf(field(elem)))),
			arrow.ListOf(arrow.StructOf(field(elem))),
			arrow.LargeListOf(elem), arrow.ListOf(arrow.LargeListOf(fixed)),
			arrow.ListOf(elem), fixed, arrow.ListOf(fixed), arrow.FixedSizeListOf(2, fixed),
			arrow.StructOf(field(fixed)),
			arrow.FixedSizeListOf(2, arrow.StructOf(field(elem), field(arrow.ListOf(elem)))),
			arrow.ListOf(arrow.StructOf(field(fixed))),
			arrow.MapOf(arrow.BinaryTypes.String, elem), arrow.MapOf(arrow.PrimitiveTypes.Int16, fixed),
			arrow.FixedSizeListOf(1, arrow.ListOf(elem)),
			arrow.StructOf(field(arrow.StructOf(field(arrow.ListOf(elem))))),
		} {
			for _, nulls := range testrun.Sample(4, []float64{0, 0.03, 0.3, 1}) {
				t.Run(fmt.Sprintf("%s/nulls=%v", typ, nulls), func(t *testing.T) {
					r := rand.New(rand.NewPCG(uint64(i), uint64(k)))
					requireSameInParquet(t, r, typ, nulls, 50, WriteOptions{RowGroupRows: 70, PageRows: 16})
				})
			}
		}
	}
	t.Run("pages of the usual size", func(t *testing.T) {
		typ := arrow.FixedSizeListOf(3, arrow.PrimitiveTypes.Int32)
		requireSameInParquet(t, rand.New(rand.NewPCG(1, 1)), typ, 0.1, 20_000, WriteOptions{})
	})
}

// requireSameInParquet writes three chunks of random rows and reads them again.
func requireSameInParquet(t *testing.T, r *rand.Rand, typ arrow.DataType, nulls float64, rows int, opts WriteOptions) {
	mem := arrowtest.Checked(t)
	var chunks []arrow.Array
	for range 3 {
		chunks = append(chunks, arrowtest.RandomSlice(r, typ, rows+r.IntN(20), r.IntN(20), nulls, mem))
	}
	defer arraydata.Release(chunks)
	field := arrow.Field{Name: "c", Type: typ, Nullable: true}
	chunked := arrow.NewChunked(typ, chunks)
	defer chunked.Release()
	column := arrow.NewColumn(field, chunked)
	defer column.Release()
	table := array.NewTable(arrow.NewSchema([]arrow.Field{field}, nil), []arrow.Column{*column}, -1)
	defer table.Release()
	opts.Allocator = mem
	in := readInput(t, writeBytes(t, table, Parquet, opts), ReadOptions{Format: Parquet, Allocator: mem})
	require.Equal(t, valuesOf(chunked), valuesOf(in.Table.Column(0).Data()))
}
