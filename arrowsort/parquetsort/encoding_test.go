package parquetsort

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	arrow18 "github.com/apache/arrow-go/v18/arrow"
	array18 "github.com/apache/arrow-go/v18/arrow/array"
	memory18 "github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/stretchr/testify/require"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
)

// timesFile writes rows of rising times, and numbers in no order.
func timesFile(t *testing.T) string {
	in := filepath.Join(t.TempDir(), "in.parquet")
	sc := arrow.NewSchema([]arrow.Field{{Name: "time", Type: arrow.FixedWidthTypes.Timestamp_us},
		{Name: "number", Type: arrow.PrimitiveTypes.Float64}}, nil)
	generate(t, in, sc, 1, func(int) arrow.Record {
		b, r := array.NewRecordBuilder(memory.DefaultAllocator, sc), rand.New(rand.NewPCG(2, 3))
		defer b.Release()
		for i := range int64(30_000) {
			b.Field(0).(*array.TimestampBuilder).Append(arrow.Timestamp(i*60_000_000 + r.Int64N(1e6)))
			b.Field(1).(*array.Float64Builder).Append(r.Float64())
		}
		return b.NewRecord()
	})
	return in
}

// chunksOf returns the metadata of the columns of the first row group.
func chunksOf(t *testing.T, path string) (chunks []*metadata.ColumnChunkMetaData) {
	r, err := file.OpenParquetFile(path, false)
	require.NoError(t, err)
	defer r.Close()
	for i := range r.MetaData().Schema.NumColumns() {
		c, err := r.RowGroup(0).MetaData().ColumnChunk(i)
		require.NoError(t, err)
		chunks = append(chunks, c)
	}
	return chunks
}

// TestEncodings: the first encoding of a column is that of its pages. Rows in order are copied with their encodings
// unless others are asked for.
func TestEncodings(t *testing.T) {
	in, out := timesFile(t), filepath.Join(t.TempDir(), "out.parquet")
	plain, delta, split := parquet.Encodings.Plain, parquet.Encodings.DeltaBinaryPacked,
		parquet.Encodings.ByteStreamSplit
	for name, c := range map[string]struct {
		output Output
		want   [2]parquet.Encoding
	}{
		"auto":       {Output{RowGroupRows: 40_000}, [2]parquet.Encoding{delta, plain}},
		"compatible": {Output{Encoding: CompatibleEncoding}, [2]parquet.Encoding{plain, plain}},
		"named": {Output{Encodings: map[string]Encoding{"number": "byte_stream_split"}},
			[2]parquet.Encoding{delta, split}},
		"both": {Output{Encoding: CompatibleEncoding, Encodings: map[string]Encoding{"number": "BYTE_STREAM_SPLIT"}},
			[2]parquet.Encoding{plain, split}},
	} {
		t.Run(name, func(t *testing.T) {
			opts := Options{Keys: []arrowsort.Key{{Path: "time"}}, Output: c.output}
			result := sortFiles(t, []string{in}, out, opts)
			require.False(t, result.Copied)
			requireSorted(t, []string{in}, []string{out}, opts.Keys)
			for i, chunk := range chunksOf(t, out) {
				require.Equal(t, c.want[i], chunk.Encodings()[0])
			}
			again := sortFiles(t, []string{out}, filepath.Join(t.TempDir(), "copy.parquet"), Options{Keys: opts.Keys})
			require.True(t, again.Copied)
		})
	}
}

func TestVersionOfPages(t *testing.T) {
	in, out := timesFile(t), filepath.Join(t.TempDir(), "out.parquet")
	for version, want := range map[int]metadata.PageEncodingStats{
		0: {Encoding: parquet.Encodings.DeltaBinaryPacked, PageType: 0},
		1: {Encoding: parquet.Encodings.DeltaBinaryPacked, PageType: 0},
		2: {Encoding: parquet.Encodings.DeltaBinaryPacked, PageType: 3}} {
		opts := Options{Keys: []arrowsort.Key{{Path: "time"}},
			Output: Output{PageVersion: version, RowGroupRows: 20_000}}
		sortFiles(t, []string{in}, out, opts)
		requireSorted(t, []string{in}, []string{out}, opts.Keys)
		got := chunksOf(t, out)[0].EncodingStats()
		require.Len(t, got, 1)
		require.Equal(t, want, got[0], "version %d", version)
	}
}

// TestWrongEncodings are errors before anything is written.
func TestWrongEncodings(t *testing.T) {
	in, folder := timesFile(t), t.TempDir()
	for name, c := range map[string]struct {
		output Output
		to     string
		kind   error
		want   string
	}{
		"a way that is none": {Output{Encoding: "best"}, "out.parquet", ErrOption,
			`Encoding is "best": use auto or compatible, and Encodings for one column`},
		"a name that is none": {Output{Encodings: map[string]Encoding{"time": "DELTA"}}, "out.parquet", ErrOption,
			`Encodings of column "time": there is no encoding "DELTA": use PLAIN, `},
		"of another type": {Output{Encodings: map[string]Encoding{"number": "DELTA_BINARY_PACKED"}}, "out.parquet",
			ErrUnsupported, "--encoding number=DELTA_BINARY_PACKED: values of type float64 are stored as DOUBLE: use " +
				"PLAIN, RLE_DICTIONARY or BYTE_STREAM_SPLIT"},
		"of no column": {Output{Encodings: map[string]Encoding{"x": "PLAIN"}}, "out.parquet", ErrUnsupported,
			`--encoding x=PLAIN: the output has no column "x"`},
		"of Arrow":        {Output{Encoding: CompatibleEncoding}, "out.arrow", ErrOption, "only Parquet has encodings"},
		"a third version": {Output{PageVersion: 3}, "out.parquet", ErrOption, "PageVersion is 3: use 1 or 2"},
		"pages of CSV":    {Output{PageVersion: 2}, "out.csv", ErrOption, "PageVersion is 2, and only Parquet has"},
	} {
		_, err := Sort(t.Context(), []string{in}, filepath.Join(folder, c.to),
			Options{Keys: []arrowsort.Key{{Path: "time"}}, Output: c.output})
		require.ErrorIs(t, err, c.kind, name)
		require.ErrorContains(t, err, c.want, name)
		requireEmpty(t, folder)
	}
}

// TestCodecsAreThoseOfTheFirstRowGroup: an input without row groups comes first, as writers leave them for no rows; the
// columns of the output have the codecs of the first input that has some, in whatever order, and the schema and the
// metadata of the first input.
func TestCodecsAreThoseOfTheFirstRowGroup(t *testing.T) {
	folder, codecs := t.TempDir(), compress.Codecs
	empty, first, second := filepath.Join(folder, "empty.parquet"), filepath.Join(folder, "first.parquet"),
		filepath.Join(folder, "second.parquet")
	writeForeign(t, empty, "empty", []string{"a", "b", "c"}, "")
	writeForeign(t, first, "first", []string{"c", "a", "b"}, `{"a": 2, "b": 3, "c": 4}`,
		parquet.WithCompressionFor("a", codecs.Gzip), parquet.WithCompressionFor("b", codecs.Snappy))
	writeForeign(t, second, "second", []string{"a", "b", "c"}, `{"a": 1, "b": 3, "c": 4}`,
		parquet.WithCompression(codecs.Brotli))
	out := filepath.Join(folder, "out.parquet")
	for _, c := range []struct {
		inputs, columns []string
		want            []compress.Compression
	}{
		{[]string{empty, first, second}, nil, []compress.Compression{codecs.Gzip, codecs.Snappy, codecs.Uncompressed}},
		{[]string{empty, first, second}, []string{"c", "a"}, []compress.Compression{codecs.Uncompressed, codecs.Gzip}},
		{[]string{empty, empty, second}, []string{"b"}, []compress.Compression{codecs.Brotli}},
		{[]string{empty, second, first}, []string{"a"}, []compress.Compression{codecs.Brotli}},
	} {
		sortFiles(t, c.inputs, out, Options{Keys: []arrowsort.Key{{Path: "a"}}, Columns: c.columns})
		var got []compress.Compression
		for _, chunk := range chunksOf(t, out) {
			got = append(got, chunk.Compression())
		}
		require.Equal(t, c.want, got, "%v", c)
		require.Equal(t, map[string]string{"writer": "empty"}, readTable(t, out).Schema.Metadata().ToMap())
	}
}

// writeForeign writes a Parquet file of rows in JSON, of integers, as Arrow Go does.
func writeForeign(t *testing.T, path, writer string, columns []string, rows string, props ...parquet.WriterProperty) {
	fields := make([]arrow18.Field, len(columns))
	for i, name := range columns {
		fields[i] = arrow18.Field{Name: name, Type: arrow18.PrimitiveTypes.Int64}
	}
	meta := arrow18.MetadataFrom(map[string]string{"writer": writer})
	schema := arrow18.NewSchema(fields, &meta)
	table, err := array18.TableFromJSON(memory18.DefaultAllocator, schema, []string{"[" + rows + "]"})
	require.NoError(t, err)
	defer table.Release()
	f, err := os.Create(path)
	require.NoError(t, err)
	w, err := pqarrow.NewFileWriter(schema, f, parquet.NewWriterProperties(props...), pqarrow.DefaultWriterProps())
	require.NoError(t, err)
	if table.NumRows() > 0 {
		require.NoError(t, w.WriteTable(table, table.NumRows()))
	}
	require.NoError(t, w.Close())
}
