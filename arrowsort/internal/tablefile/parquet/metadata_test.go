package parquet

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"os"
	"runtime"
	"testing"

	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/writer"
)

// manyGroups is a file of row groups of one row.
func manyGroups(t *testing.T, columns, groups int) []byte {
	var fields []arrow.Field
	for i := range columns {
		typ := []arrow.DataType{arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String}[i%2]
		fields = append(fields, arrow.Field{Name: fmt.Sprint("column ", i), Type: typ, Nullable: true})
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema(fields, nil))
	for row := range groups {
		for _, f := range b.Fields() {
			require.NoError(t, f.AppendValueFromString(fmt.Sprint(row)))
		}
	}
	rec := b.NewRecord()
	table := array.NewTableFromRecords(rec.Schema(), []arrow.Record{rec})
	var out bytes.Buffer
	opts := WriteOptions{EncodeOptions: EncodeOptions{Allocator: memory.DefaultAllocator, RowGroupRows: 1}}
	w, err := NewWriter(&out, rec.Schema(), opts)
	require.NoError(t, err)
	require.NoError(t, w.Write(t.Context(), table))
	require.NoError(t, w.Finish())
	return out.Bytes()
}

// TestMetadataAreParsedAsTheyAre compares metadata that are parsed some row groups at a time with those of Arrow, and
// the memory that they take with what is counted.
func TestMetadataAreParsedAsTheyAre(t *testing.T) {
	for _, c := range []struct{ columns, groups int }{{1, 0}, {3, 1}, {20, 14}, {20, 15}, {20, 400}, {1000, 3}} {
		data := manyGroups(t, c.columns, c.groups)
		src := bytes.NewReader(data)
		whole, err := file.NewParquetReader(src)
		require.NoError(t, err)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		meta, _, counted, err := readMetadata(src, src.Size(), 0)
		require.NoError(t, err)
		runtime.GC()
		runtime.ReadMemStats(&after)
		require.Less(t, int64(after.HeapAlloc)-int64(before.HeapAlloc), counted+1<<16, c)
		require.Equal(t, whole.MetaData().FileMetaData, meta.FileMetaData, c)
		require.True(t, whole.MetaData().Schema.Equals(meta.Schema))
		_, _, _, err = readMetadata(src, src.Size(), counted-1)
		require.ErrorIs(t, err, errkind.ErrLimit)
		require.ErrorContains(t, err, fmt.Sprintf("%d columns in %d row groups", c.columns, c.groups))
		_, _, _, err = readMetadata(src, src.Size(), counted)
		require.NoError(t, err)
	}
}

// TestMetadataThatAreCut ends in an error, wherever they are cut.
func TestMetadataThatAreCut(t *testing.T) {
	data := manyGroups(t, 3, 40)
	footer, err := footerOf(bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	for n := range len(footer) - 1 {
		err := errkind.Contain(func() error {
			_, _, err := parseMetadata(footer[:n], 0)
			return err
		})
		require.ErrorIs(t, err, errkind.ErrCorrupt, n)
	}
}

func TestTypesOfTheArrowSchemaThatAreNotSupportedAreNamed(t *testing.T) {
	stream, err := os.ReadFile("../ipc/testdata/unsupported_decimal32.arrows")
	require.NoError(t, err)
	meta := metadata.NewKeyValueMetadata()
	require.NoError(t, meta.Append(writer.ArrowSchemaKey, base64.StdEncoding.EncodeToString(stream)))
	_, err = arrowSchemaOfWriter(meta, 1, memory.DefaultAllocator)
	require.ErrorIs(t, err, errkind.ErrUnsupported)
	require.NotErrorIs(t, err, errkind.ErrCorrupt)
	require.ErrorContains(t, err, "type decimal32")
}
