package tablefile

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
)

var binaryFormats = []Format{Parquet, IPCFile, IPCStream}

func TestRoundTripOfEveryFlatType(t *testing.T) {
	for _, format := range binaryFormats {
		for _, rows := range []int{1, 2, 33, 500} {
			t.Run(fmt.Sprintf("%s/rows=%d", format, rows), func(t *testing.T) {
				mem := arrowtest.Checked(t)
				table := flatTable(t, mem, rows, uint64(rows))
				defer table.Release()
				b := writeBytes(t, table, format, WriteOptions{Allocator: mem})
				in := readInput(t, b, ReadOptions{Format: format, Allocator: mem})
				require.EqualValues(t, len(b), in.Bytes)
				requireTables(t, table, in.Table)
			})
		}
	}
}

func TestRoundTripOfNestedTypes(t *testing.T) {
	for _, format := range binaryFormats {
		t.Run(format.String(), func(t *testing.T) {
			mem := arrowtest.Checked(t)
			table := nestedTable(t, mem)
			defer table.Release()
			in := readInput(t, writeBytes(t, table, format,
				WriteOptions{Allocator: mem, RowGroupRows: rowGroups(format, 2)}),
				ReadOptions{Format: format, Allocator: mem})
			require.Equal(t, textOf(t, table), textOf(t, in.Table))
		})
	}
}

func rowGroups(format Format, rows int) int {
	if format == Parquet {
		return rows
	}
	return 0
}

func TestRoundTripUnifiesDictionaries(t *testing.T) {
	for _, format := range binaryFormats {
		t.Run(format.String(), func(t *testing.T) {
			mem := arrowtest.Checked(t)
			table := dictionaryTable(t, mem)
			defer table.Release()
			// Arrow's file writer never gives back the dictionary that it compares with, so it gets another allocator.
			b := writeBytes(t, table, format, WriteOptions{})
			in := readInput(t, b, ReadOptions{Format: format, Allocator: mem})
			requireTables(t, table, in.Table)
			chunks := in.Table.Column(0).Data().Chunks()
			for _, c := range chunks {
				require.True(t, array.Equal(chunks[0].(*array.Dictionary).Dictionary(),
					c.(*array.Dictionary).Dictionary()))
			}
		})
	}
}

func TestRoundTripOfEmptyTables(t *testing.T) {
	for _, format := range append(binaryFormats, CSV) {
		t.Run(format.String(), func(t *testing.T) {
			schema := arrow.NewSchema([]arrow.Field{{Name: "s", Type: arrow.BinaryTypes.String, Nullable: true}}, nil)
			table := array.NewTableFromRecords(schema, nil)
			defer table.Release()
			in := readInput(t, writeBytes(t, table, format, WriteOptions{}), ReadOptions{Format: format})
			requireTables(t, table, in.Table)
		})
	}
}

func TestRoundTripThroughPipes(t *testing.T) {
	table := flatTable(t, memory.DefaultAllocator, 100, 7)
	defer table.Release()
	for _, format := range append(binaryFormats, Auto) {
		t.Run(format.String(), func(t *testing.T) {
			var pipe bytes.Buffer
			n, err := Write(context.Background(), Pipe, table, WriteOptions{Format: format, Stdout: &pipe})
			require.NoError(t, err)
			require.EqualValues(t, pipe.Len(), n)
			in, err := Read(context.Background(), Pipe, ReadOptions{Format: format, Stdin: &pipe})
			require.NoError(t, err)
			defer in.Table.Release()
			require.Equal(t, n, in.Bytes)
			requireTables(t, table, in.Table)
		})
	}
}

func TestRoundTripCompressed(t *testing.T) {
	table := flatTable(t, memory.DefaultAllocator, 300, 3)
	defer table.Release()
	for _, c := range []struct {
		format Format
		codecs []string
	}{
		{Parquet, []string{"none", "snappy", "gzip", "gzip:9", "brotli", "brotli:2", "zstd", "zstd:1", "lz4"}},
		{IPCFile, []string{"none", "zstd", "lz4"}},
		{IPCStream, []string{"none", "zstd", "lz4"}},
	} {
		for _, codec := range c.codecs {
			t.Run(c.format.String()+"/"+codec, func(t *testing.T) {
				compression, err := ParseCompression(codec)
				require.NoError(t, err)
				in := readInput(t, writeBytes(t, table, c.format, WriteOptions{Compression: compression}),
					ReadOptions{Format: c.format})
				requireTables(t, table, in.Table)
			})
		}
	}
}

func TestRoundTripOfCSV(t *testing.T) {
	const text = "id,x,ok,day,at,zone,name,empty\n" +
		"1,1.5,true,2021-03-04,2021-03-04T10:11:12.5,2021-03-04T10:11:12Z,plain,\n" +
		",,,,,,,\n" +
		"-7,2.0,false,1969-12-31,1969-12-31T00:00:00,2021-03-04T10:11:12.000001Z,\"with \"\"quotes\"\", comma\nand " +
		"line\",\n"
	in := readInput(t, []byte(text), ReadOptions{Format: CSV})
	var types []string
	for _, f := range in.Table.Schema().Fields() {
		types = append(types, f.Type.String())
	}
	require.Equal(t, []string{"int64", "float64", "bool", "date32", "timestamp[us]", "timestamp[us, tz=UTC]", "utf8",
		"utf8"}, types)
	require.Equal(t, text, string(writeBytes(t, in.Table, CSV, WriteOptions{})))
}
