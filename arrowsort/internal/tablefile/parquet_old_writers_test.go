package tablefile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	arrow18 "github.com/apache/arrow-go/v18/arrow"
	array18 "github.com/apache/arrow-go/v18/arrow/array"
	memory18 "github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
)

// changed is a file with another footer.
func changed(t testing.TB, b []byte, change func(meta *metadata.FileMetaData)) []byte {
	meta := openBytes(t, b).MetaData()
	change(meta)
	return withFooter(t, pagesOfFile(b), meta)
}

// TestFootersOfOldWriters: metadata that old writers left out, and that no value depends on.
func TestFootersOfOldWriters(t *testing.T) {
	table := words(t, memory.DefaultAllocator, 2000)
	defer table.Release()
	for name, dictionary := range map[string]bool{"dictionary": true, "plain": false} {
		whole := foreignBytes(t, table, parquet.WithDictionaryDefault(dictionary))
		for fault, change := range map[string]func(c *metadata.FileMetaData) (changes int){
			"no encodings": func(meta *metadata.FileMetaData) (changes int) {
				for _, group := range meta.RowGroups {
					for _, c := range group.Columns {
						c.MetaData.Encodings, c.MetaData.EncodingStats = nil, nil
						changes++
					}
				}
				return changes
			},
			"no rows": func(meta *metadata.FileMetaData) int {
				meta.NumRows = 0
				return 1
			},
			"short chunks": func(meta *metadata.FileMetaData) (changes int) { // PARQUET-816
				for _, group := range meta.RowGroups {
					for _, c := range group.Columns {
						at, typ := c.MetaData.DictionaryPageOffset, parquet.Type(c.MetaData.Type)
						if at != nil && *at > 0 && (typ == parquet.Types.Int64 || typ == parquet.Types.ByteArray) {
							c.MetaData.TotalCompressedSize -= headerBytes(whole[*at:])
							changes++
						}
					}
				}
				return changes
			},
		} {
			changes := 0
			b := changed(t, whole, func(meta *metadata.FileMetaData) { changes = change(meta) })
			require.Equal(t, dictionary || fault != "short chunks", changes > 0, "%s, %s", name, fault)
			in, err := readBytes(t, b, ReadOptions{Format: Parquet})
			require.NoError(t, err, "%s, %s", name, fault)
			require.Equal(t, textOf(t, table), textOf(t, in.Table), "%s, %s", name, fault)
			require.Equal(t, fault == "short chunks", len(in.Template.Remarks()) == 0)
			in.Table.Release()
			path := filepath.Join(t.TempDir(), "old.parquet")
			require.NoError(t, os.WriteFile(path, b, 0o600))
			require.NoError(t, scanToEnd(t, path, ReadOptions{Format: Parquet}))
		}
	}
}

// TestUnknownLogicalTypes: a logical type of a writer that is newer is left out, and the values are read and written. A
// remark names the column.
func TestUnknownLogicalTypes(t *testing.T) {
	b := fileOfRows(t, leafNode("k", required, nil), leafNode("j", required, schema.JSONLogicalType{}),
		groupNode("l", optional, schema.ListLogicalType{}, groupNode("list", repeated, nil,
			leafNode("element", optional, schema.JSONLogicalType{}))))
	footer := bytes.TrimPrefix(b, pagesOfFile(b))
	json, unknown := []byte{12<<4 | page.ThriftStruct, 0, 0}, []byte{page.ThriftStruct, 30 << 1, 0, 0}
	require.Equal(t, 2, bytes.Count(footer, json))
	footer = bytes.ReplaceAll(footer[:len(footer)-8], json, unknown)
	b = binary.LittleEndian.AppendUint32(append(pagesOfFile(b), footer...), uint32(len(footer)))
	in := readInput(t, append(b, page.Magic...), ReadOptions{Format: Parquet})
	require.Len(t, in.Template.Remarks(), 2)
	require.Contains(t, in.Template.Remarks()[0], `column "j" has a logical type that is unknown here`)
	require.Len(t, textOf(t, in.Table), 3)
	again := writeBytes(t, in.Table, Parquet, WriteOptions{Template: in.Template, Schema: in.Schema})
	out := readInput(t, again, ReadOptions{Format: Parquet})
	require.Equal(t, textOf(t, in.Table), textOf(t, out.Table))
	require.Empty(t, out.Template.Remarks())
}

// TestUnknownEncodings are errors that name the column, before any page is read.
func TestUnknownEncodings(t *testing.T) {
	table := fewRows(t)
	defer table.Release()
	b := changed(t, foreignBytes(t, table), func(meta *metadata.FileMetaData) {
		meta.RowGroups[0].Columns[1].MetaData.Encodings[0] = 10
	})
	_, err := readBytes(t, b, ReadOptions{Format: Parquet})
	require.ErrorIs(t, err, ErrUnsupported)
	require.ErrorContains(t, err, `column "s": encoding 10 of a newer version of Parquet`)
}

// TestShortChunksOfOtherTypes: pages that pass the end of their chunk are an error where pqarrow reads them.
func TestShortChunksOfOtherTypes(t *testing.T) {
	lists := array.NewListBuilder(memory.DefaultAllocator, arrow.PrimitiveTypes.Int64)
	for range 500 {
		lists.Append(true)
		lists.ValueBuilder().(*array.Int64Builder).Append(7)
	}
	sc := arrow.NewSchema([]arrow.Field{{Name: "l", Type: lists.Type()}}, nil)
	record := array.NewRecord(sc, []arrow.Array{lists.NewArray()}, 500)
	whole := foreignBytes(t, array.NewTableFromRecords(sc, []arrow.Record{record}))
	b := changed(t, whole, func(meta *metadata.FileMetaData) {
		m := meta.RowGroups[0].Columns[0].MetaData
		m.TotalCompressedSize -= headerBytes(whole[*m.DictionaryPageOffset:])
	})
	_, err := readBytes(t, b, ReadOptions{Format: Parquet})
	require.ErrorIs(t, err, ErrCorrupt)
	require.ErrorContains(t, err, `column "l.list.element" of row group 0: corrupted file: its pages pass the end`)
}

// headerBytes is the length of a page header.
func headerBytes(b []byte) int64 {
	r := page.CompactReader{Bytes: b}
	new(page.Header).Read(&r)
	return int64(r.At)
}

// TestFootersThatEndEarly: whatever the length before the magic bytes is, no text of a panic comes through.
func TestFootersThatEndEarly(t *testing.T) {
	table := fewRows(t)
	defer table.Release()
	b := foreignBytes(t, table)
	whole := int(binary.LittleEndian.Uint32(b[len(b)-8:]))
	for length := range whole {
		binary.LittleEndian.PutUint32(b[len(b)-8:], uint32(length))
		_, err := readBytes(t, b, ReadOptions{Format: Parquet})
		require.ErrorIs(t, err, ErrCorrupt, length)
		require.NotContains(t, err.Error(), "runtime error", length)
	}
	binary.LittleEndian.PutUint32(b[len(b)-8:], 0)
	_, err := readBytes(t, b, ReadOptions{Format: Parquet})
	require.ErrorContains(t, err, "its footer has no bytes")
	panicked := fmt.Errorf("arrow/ipc: unknown error: %w", errors.New("runtime error: slice bounds out of range"))
	require.NotContains(t, nameFile("f", "", panicked).Error(), "runtime error")
}

// int96File is a file of timestamps of 96 bits, in a column and in lists of one.
func int96File(t testing.TB, dictionary bool, times ...time.Time) []byte {
	optional := parquet.Repetitions.Optional
	root := schema.MustGroup(schema.NewGroupNode("root", parquet.Repetitions.Required, schema.FieldList{
		schema.NewInt96Node("t", optional, -1),
		groupNode("l", 1, schema.ListLogicalType{}, groupNode("list", repeated, nil,
			schema.NewInt96Node("element", optional, -1))),
	}, -1))
	var values []parquet.Int96
	for _, at := range times {
		days := at.Unix() / 86400
		midnight := time.Unix(days*86400, 0)
		if at.Before(midnight) {
			days, midnight = days-1, midnight.Add(-24*time.Hour)
		}
		var v parquet.Int96
		v.SetNanoSeconds(at.Sub(midnight).Nanoseconds())
		binary.LittleEndian.PutUint32(v[8:], uint32(days+2440588))
		values = append(values, v)
	}
	var b bytes.Buffer
	w := file.NewParquetWriter(&b, root, file.WithWriterProps(parquet.NewWriterProperties(
		parquet.WithDictionaryDefault(dictionary))))
	group, err := w.AppendBufferedRowGroupChecked()
	require.NoError(t, err)
	for i, most := range []int16{1, 3} {
		def, rep := []int16{0}, []int16{0}
		for range values {
			def, rep = append(def, most), append(rep, 0)
		}
		if i == 0 {
			rep = nil
		}
		c, err := group.Column(i)
		require.NoError(t, err)
		_, err = c.(*file.Int96ColumnChunkWriter).WriteBatch(values, def, rep)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

// TestTimestampsOf96Bits are nanoseconds where all of a column fit in 64 bits of them, microseconds where they do, or
// where Spark wrote them, and else an error that names the column.
func TestTimestampsOf96Bits(t *testing.T) {
	date := func(year int, nanos int) time.Time { return time.Date(year, 12, 31, 23, 59, 59, nanos, time.UTC) }
	for _, dictionary := range []bool{false, true} {
		for _, c := range []struct {
			times []time.Time
			spark bool
			unit  arrow.TimeUnit
		}{
			{[]time.Time{date(1678, 1), date(1969, 5), date(2261, 999_999_999)}, false, arrow.Nanosecond},
			{[]time.Time{date(0, 0), date(1969, 1000), date(9999, 999_999_000)}, false, arrow.Microsecond},
			{[]time.Time{date(2020, 1000)}, true, arrow.Microsecond},
		} {
			b := int96File(t, dictionary, c.times...)
			if c.spark {
				b = changed(t, b, func(meta *metadata.FileMetaData) {
					pairs := metadata.NewKeyValueMetadata()
					require.NoError(t, pairs.Append("org.apache.spark.version", "3.5.0"))
					meta.FileMetaData.KeyValueMetadata = pairs
				})
			}
			in, err := readBytes(t, b, ReadOptions{Format: Parquet})
			require.NoError(t, err)
			typ := &arrow.TimestampType{Unit: c.unit}
			require.True(t, arrow.TypeEqual(typ, in.Schema.Field(0).Type))
			want := []string{"(null)"}
			for _, at := range c.times {
				want = append(want, at.Format("2006-01-02 15:04:05.999999999Z07:00"))
			}
			require.Equal(t, want, columnTexts(in.Table.Column(0).Data()))
			again := writeBytes(t, in.Table, Parquet, WriteOptions{Template: in.Template, Schema: in.Schema})
			out, err := readBytes(t, again, ReadOptions{Format: Parquet})
			require.NoError(t, err)
			require.Equal(t, textOf(t, in.Table), textOf(t, out.Table))
			in.Table.Release()
			out.Table.Release()
		}
		_, err := readBytes(t, int96File(t, dictionary, date(9999, 1)), ReadOptions{Format: Parquet})
		require.ErrorIs(t, err, ErrUnsupported)
		require.ErrorContains(t, err, `": a timestamp of 96 bits, day 2932896 and nanosecond 86399000000001`)
	}
}

func columnTexts(column *arrow.Chunked) (texts []string) {
	for _, a := range column.Chunks() {
		for i := range a.Len() {
			texts = append(texts, a.ValueStr(i))
		}
	}
	return texts
}

// TestRareEncodingsAndCodecs reads files with BYTE_STREAM_SPLIT and LZ4_RAW, and keeps the codec when it writes them.
func TestRareEncodingsAndCodecs(t *testing.T) {
	want := []string{
		"id: 3 1 2", "f32: 1.5 (null) -2.25", "f64: 0.1 -1e+300 3", "i32: 7 (null) -7", "half: 0.5 (null) 2",
		"bytes: YWJjZGU= (null) ZmdoaWo=", "dec: 1.25 (null) -77.25", "list: [1,null] (null) [2.5]",
	}
	for _, name := range []string{"pyarrow-split.parquet", "pyarrow-lz4.parquet"} {
		in := readInput(t, foreignFile(t, name), ReadOptions{Format: Parquet})
		again := writeBytes(t, in.Table, Parquet, WriteOptions{Template: in.Template, Schema: in.Schema})
		column := openBytes(t, again).MetaData().RowGroups[0].Columns[1].MetaData
		require.EqualValues(t, compress.Codecs.Lz4Raw, column.Codec)
		out := readInput(t, again, ReadOptions{Format: Parquet})
		for i, text := range want {
			for _, table := range []*Input{in, out} {
				got := table.Schema.Field(i).Name + ":"
				for row := range 3 {
					got += " " + table.Table.Column(i).Data().Chunk(0).ValueStr(row)
				}
				require.Equal(t, text, got, name)
			}
		}
	}
}

// TestUnsignedStatisticsOfArrowGoAreRight: those of nullable unsigned integers were not, up to a version that Copies is
// on its guard against. The bytes of nulls are less and greater than all values.
func TestUnsignedStatisticsOfArrowGoAreRight(t *testing.T) {
	for _, dictionary := range []bool{false, true} {
		props := parquet.NewWriterProperties(parquet.WithDictionaryDefault(dictionary))
		types := []arrow18.FixedWidthDataType{&arrow18.Uint8Type{}, &arrow18.Uint32Type{}, &arrow18.Uint64Type{}}
		for _, typ := range types {
			n := typ.Bytes()
			low, high := make([]byte, n), bytes.Repeat([]byte{0xF0}, n)
			low[0] = 5
			values := bytes.Join([][]byte{low, make([]byte, n), high, bytes.Repeat([]byte{0xFF}, n)}, nil)
			buffers := []*memory18.Buffer{memory18.NewBufferBytes([]byte{0b0101}), memory18.NewBufferBytes(values)}
			a := array18.MakeFromData(array18.NewData(typ, 4, buffers, nil, 2, 0))
			sc := arrow18.NewSchema([]arrow18.Field{{Name: "n", Type: typ, Nullable: true}}, nil)
			var b bytes.Buffer
			w, err := pqarrow.NewFileWriter(sc, &b, props, pqarrow.DefaultWriterProps())
			require.NoError(t, err)
			require.NoError(t, w.Write(array18.NewRecordBatch(sc, []arrow18.Array{a}, 4)))
			require.NoError(t, w.Close())
			meta := openBytes(t, b.Bytes()).MetaData()
			require.True(t, meta.WriterVersion().Equal(metadata.NewAppVersionExplicit("parquet-go", 18, 8, 0)),
				"the one that is trusted, see misjudges")
			found := meta.RowGroups[0].Columns[0].MetaData.Statistics
			require.Equal(t, low, found.MinValue[:n])
			require.Equal(t, high, found.MaxValue[:n])
			require.EqualValues(t, 2, *found.NullCount)
		}
	}
}

// TestTimestampsOfConvertedTypes: a converted type means UTC, as in Arrow C++.
func TestTimestampsOfConvertedTypes(t *testing.T) {
	required := parquet.Repetitions.Required
	micros := schema.MustPrimitive(schema.NewPrimitiveNodeConverted("t", required, parquet.Types.Int64,
		schema.ConvertedTypes.TimestampMicros, 0, 0, 0, -1))
	root := schema.MustGroup(schema.NewGroupNode("", required, schema.FieldList{micros}, -1))
	var b bytes.Buffer
	w := file.NewParquetWriter(&b, root)
	group, err := w.AppendRowGroupChecked()
	require.NoError(t, err)
	column, err := group.NextColumn()
	require.NoError(t, err)
	_, err = column.(*file.Int64ColumnChunkWriter).WriteBatch([]int64{2, 1}, nil, nil)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.Nil(t, openBytes(t, b.Bytes()).MetaData().FileMetaData.Schema[1].LogicalType)
	in := readInput(t, b.Bytes(), ReadOptions{Format: Parquet})
	require.True(t, arrow.TypeEqual(arrow.FixedWidthTypes.Timestamp_us, in.Schema.Field(0).Type))
}

// TestDecimalsOfEveryWidth: decimals of 256 bits with few digits lost those that passed the bytes of their precision.
func TestDecimalsOfEveryWidth(t *testing.T) {
	for _, typ := range []arrow.DataType{
		&arrow.Decimal128Type{Precision: 1}, &arrow.Decimal128Type{Precision: 10}, &arrow.Decimal128Type{Precision: 38},
		&arrow.Decimal256Type{Precision: 1}, &arrow.Decimal256Type{Precision: 10}, &arrow.Decimal256Type{Precision: 39},
		&arrow.Decimal256Type{Precision: 76},
	} {
		const rows = `["7", "-7", null, "0", "-9", "9"]`
		a, _, err := array.FromJSON(memory.DefaultAllocator, typ, strings.NewReader(rows))
		require.NoError(t, err)
		defer a.Release()
		sc := arrow.NewSchema([]arrow.Field{{Name: "d", Type: typ, Nullable: true}}, nil)
		rec := array.NewRecord(sc, []arrow.Array{a}, int64(a.Len()))
		table := array.NewTableFromRecords(sc, []arrow.Record{rec})
		in := readInput(t, writeBytes(t, table, Parquet, WriteOptions{}), ReadOptions{Format: Parquet})
		got := in.Table.Column(0).Data().Chunk(0)
		require.True(t, array.Equal(a, got), "%s: %s", typ, got)
	}
}
