package tablefile

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"
)

// TestIndexOfCopiedChunks copies what pqarrow wrote and compares rows, metadata and page index.
func TestIndexOfCopiedChunks(t *testing.T) {
	table := words(t, memory.DefaultAllocator, 2000)
	defer table.Release()
	for name, props := range map[string][]parquet.WriterProperty{
		"none":   {parquet.WithDictionaryDefault(false)},
		"snappy": {parquet.WithCompression(compress.Codecs.Snappy), parquet.WithCreatedBy("somebody")},
		"small pages": {parquet.WithDataPageSize(100), parquet.WithBatchSize(64),
			parquet.WithDictionaryPageSizeLimit(2000)},
	} {
		t.Run(name, func(t *testing.T) {
			from, to := filepath.Join(t.TempDir(), "from.parquet"), filepath.Join(t.TempDir(), "to.parquet")
			first := foreignBytes(t, table, props...)
			require.NoError(t, os.WriteFile(from, first, 0o644))
			order := []SortingColumn{{Path: "few int64", Descending: true}}
			require.NoError(t, copied(t.Context(), from, to, order))
			b, err := os.ReadFile(to)
			require.NoError(t, err)
			in, err := readBytes(t, b, ReadOptions{Format: Parquet})
			require.NoError(t, err)
			defer in.Table.Release()
			require.Equal(t, textOf(t, table), textOf(t, in.Table))
			require.Equal(t, order, in.Template.Sorting())
			r, err := file.NewParquetReader(bytes.NewReader(b))
			require.NoError(t, err)
			before, err := file.NewParquetReader(bytes.NewReader(first))
			require.NoError(t, err)
			require.Equal(t, before.MetaData().KeyValueMetadata(), r.MetaData().KeyValueMetadata())
			require.Equal(t, 3, r.NumRowGroups())
			for group := range r.NumRowGroups() {
				for leaf := range r.MetaData().Schema.NumColumns() {
					requireIndex(t, b, r, group, leaf)
				}
			}
			again := filepath.Join(t.TempDir(), "again.parquet")
			require.NoError(t, copied(t.Context(), to, again, order))
			c, err := os.ReadFile(again)
			require.NoError(t, err)
			require.True(t, bytes.Equal(b, c), "the copy of a copy differs: an index is there twice")
		})
	}
}

// TestCopiedStatisticsAreMadeAnew: null counts that are missing and bounds that are wrong are not copied, of columns of
// any type, flat and nested. Those of encodings that are not decoded here are copied while they may be right.
func TestCopiedStatisticsAreMadeAnew(t *testing.T) {
	sc := arrow.NewSchema([]arrow.Field{
		{Name: "n", Type: arrow.PrimitiveTypes.Int64}, {Name: "i8", Type: arrow.PrimitiveTypes.Int8, Nullable: true},
		{Name: "b", Type: arrow.FixedWidthTypes.Boolean, Nullable: true},
		{Name: "d", Type: &arrow.Decimal128Type{Precision: 20, Scale: 2}, Nullable: true},
		{Name: "l", Type: arrow.ListOf(arrow.PrimitiveTypes.Int32), Nullable: true},
		{Name: "s", Type: arrow.StructOf(arrow.Field{Name: "x", Type: arrow.BinaryTypes.String, Nullable: true})},
	}, nil)
	table := tableOf(t, memory.DefaultAllocator, sc, `{"n":1,"i8":-5,"b":true,"d":"-7.25","l":[3,null],"s":{"x":"b"}}
{"n":2,"i8":null,"b":null,"d":null,"l":[],"s":{"x":null}}
{"n":3,"i8":4,"b":true,"d":"1.00","l":[-1],"s":{"x":"a"}}`, 0)
	defer table.Release()
	for name, c := range map[string]struct {
		props []parquet.WriterProperty
		wrong bool
	}{
		"dictionaries": {nil, true}, "plain": {[]parquet.WriterProperty{parquet.WithDictionaryDefault(false)}, true},
		"second version": {[]parquet.WriterProperty{parquet.WithDataPageVersion(parquet.DataPageV2)}, true},
		"delta": {[]parquet.WriterProperty{parquet.WithDictionaryDefault(false),
			parquet.WithEncodingFor("l.list.element", parquet.Encodings.DeltaBinaryPacked)}, true},
		"split": {[]parquet.WriterProperty{parquet.WithDictionaryDefault(false),
			parquet.WithEncodingFor("d", parquet.Encodings.ByteStreamSplit)}, false},
		"wrong split": {[]parquet.WriterProperty{parquet.WithDictionaryDefault(false),
			parquet.WithEncodingFor("d", parquet.Encodings.ByteStreamSplit)}, true},
	} {
		t.Run(name, func(t *testing.T) {
			first := foreignBytes(t, table, c.props...)
			right := openBytes(t, first).MetaData().RowGroups[0]
			b := changed(t, first, func(meta *metadata.FileMetaData) {
				for _, c1 := range meta.RowGroups[0].Columns {
					s := c1.MetaData.Statistics
					if s.NullCount = nil; c.wrong {
						s.MinValue, s.MaxValue = s.MaxValue, s.MinValue
						s.Min, s.Max = s.Max, s.Min
					}
				}
			})
			from, to := filepath.Join(t.TempDir(), "from.parquet"), filepath.Join(t.TempDir(), "to.parquet")
			require.NoError(t, os.WriteFile(from, b, 0o644))
			require.NoError(t, copied(t.Context(), from, to, []SortingColumn{{Path: "n"}}))
			out, err := os.ReadFile(to)
			require.NoError(t, err)
			for i, got := range openBytes(t, out).MetaData().RowGroups[0].Columns {
				want := right.Columns[i].MetaData.Statistics
				require.EqualValues(t, *want.NullCount, *got.MetaData.Statistics.NullCount, i)
				if name == "wrong split" && i == 3 {
					require.Nil(t, got.MetaData.Statistics.MinValue)
					continue
				}
				require.Equal(t, want.MinValue, got.MetaData.Statistics.MinValue, i)
				require.Equal(t, want.MaxValue, got.MetaData.Statistics.MaxValue, i)
			}
		})
	}
}
