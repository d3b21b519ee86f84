package tablefile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
)

// TestPageIndexOfEveryType compares the index of every column chunk with the values that arrow/go's reader finds.
func TestPageIndexOfEveryType(t *testing.T) {
	mem := memory.DefaultAllocator
	for name, table := range map[string]arrow.Table{
		"flat": flatTable(t, mem, 3000, 1), "words": words(t, mem, 3000), "nested": nestedTable(t, mem),
		"pages": severalPages(t),
	} {
		for _, codec := range codecsFor(name) {
			t.Run(name+"/"+codec, func(t *testing.T) {
				rows := int(table.NumRows()+1)/2 + 1
				b := writeBytes(t, table, Parquet,
					WriteOptions{RowGroupRows: rows, Compression: Compression{Codec: codec}})
				r, err := file.NewParquetReader(bytes.NewReader(b))
				require.NoError(t, err)
				require.Equal(t, 2, r.NumRowGroups())
				for g := range 2 {
					for c := range r.MetaData().Schema.NumColumns() {
						requireIndex(t, b, r, g, c)
					}
				}
			})
		}
		table.Release()
	}
}

func codecsFor(table string) []string {
	if table == "pages" {
		return []string{"zstd"}
	}
	return []string{"none", "snappy", "zstd", "gzip"}
}

// severalPages has a sorted column, one that falls, one whose nulls fill pages, lists of which some pass a page, and
// long text.
func severalPages(t *testing.T) arrow.Table {
	const rows = 3*DefaultPageRows + 5
	r := rand.New(rand.NewPCG(5, 5))
	sc := arrow.NewSchema([]arrow.Field{
		{Name: "up", Type: arrow.PrimitiveTypes.Int64},
		{Name: "down", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
		{Name: "holes", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "list", Type: arrow.ListOf(arrow.PrimitiveTypes.Int16), Nullable: true},
		{Name: "long", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "word", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32,
			ValueType: arrow.BinaryTypes.String}, Nullable: true},
	}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, sc)
	defer b.Release()
	list := b.Field(3).(*array.ListBuilder)
	for i := range rows {
		b.Field(0).(*array.Int64Builder).Append(int64(i / 3))
		b.Field(1).(*array.Float64Builder).Append(float64(-i))
		if i < 2*DefaultPageRows {
			b.Field(2).AppendNull()
		} else {
			b.Field(2).(*array.Int64Builder).Append(r.Int64())
		}
		switch {
		case i%7 == 0:
			list.AppendNull()
		default:
			list.Append(true)
			n := i % 4
			if i == 1000 {
				n = 100_000
			}
			for range n {
				list.ValueBuilder().(*array.Int16Builder).Append(int16(r.Int32()))
			}
		}
		b.Field(4).(*array.StringBuilder).Append(fmt.Sprintf("%0*d", i%150, i%9))
		require.NoError(t, b.Field(5).(*array.BinaryDictionaryBuilder).AppendString(
			fmt.Sprintf("all start so %d", r.IntN(1+i%500))))
	}
	rec := b.NewRecord()
	defer rec.Release()
	return array.NewTableFromRecords(sc, []arrow.Record{rec})
}

// A leafValue is a value of a leaf column; nil bytes are a null.
type leafValue struct {
	row   int
	bytes []byte
}

// requireIndex requires that a column chunk has the index that its values ask for.
func requireIndex(t *testing.T, b []byte, r *file.Reader, group, leaf int) {
	t.Helper()
	column := r.MetaData().Schema.Column(leaf)
	meta := r.MetaData().RowGroups[group].Columns[leaf]
	what := fmt.Sprintf("row group %d, column %s", group, column.Path())
	values := leafValues(t, r, group, leaf)
	at, sizes, firsts := readOffsetIndex(b[*meta.OffsetIndexOffset:][:*meta.OffsetIndexLength])
	require.Equal(t, meta.MetaData.DataPageOffset, at[0], what)
	firsts = append(firsts, int(r.MetaData().RowGroups[group].NumRows))
	type bounds struct{ low, high []byte }
	var pages []bounds
	var nulls []int64
	known := true
	for i := range at {
		var header page.Header
		header.Read(&page.CompactReader{Bytes: b[at[i]:]})
		require.Equal(t, page.Data, header.Kind, what)
		if i+1 < len(at) {
			require.Equal(t, at[i]+int64(sizes[i]), at[i+1], what)
		}
		require.LessOrEqual(t, firsts[i+1]-firsts[i], DefaultPageRows, what)
		var found bounds
		missing, odd := int64(0), 0
		for _, v := range values {
			switch {
			case v.row < firsts[i] || v.row >= firsts[i+1]:
			case v.bytes == nil:
				missing++
			case isNaN(column, v.bytes):
				odd++
			case found.low == nil:
				found = bounds{v.bytes, v.bytes}
			default:
				if compare := page.ValueOrder(column); compare != nil {
					if compare(v.bytes, found.low) < 0 {
						found.low = v.bytes
					}
					if compare(v.bytes, found.high) > 0 {
						found.high = v.bytes
					}
				}
			}
		}
		known = known && odd == 0
		pages, nulls = append(pages, found), append(nulls, missing)
	}
	if !known || page.ValueOrder(column) == nil && len(values) > 0 && column.SortOrder() == schema.SortUNKNOWN {
		require.Nil(t, meta.ColumnIndexOffset, what)
		require.Nil(t, meta.MetaData.Statistics.MinValue, what)
		require.Nil(t, meta.MetaData.Statistics.MaxValue, what)
		require.Nil(t, meta.MetaData.Statistics.Min, what)
		require.Nil(t, meta.MetaData.Statistics.Max, what)
		missing := int64(0)
		for _, n := range nulls {
			missing += n
		}
		require.Equal(t, missing, *meta.MetaData.Statistics.NullCount, what)
		return
	}
	require.NotNil(t, meta.ColumnIndexOffset, what)
	var all bounds
	missing, compare := int64(0), page.ValueOrder(column)
	for i, p := range pages {
		if missing += nulls[i]; p.low == nil {
			continue
		}
		if all.low == nil || compare(p.low, all.low) < 0 {
			all.low = p.low
		}
		if all.high == nil || compare(p.high, all.high) > 0 {
			all.high = p.high
		}
	}
	require.Equal(t, missing, *meta.MetaData.Statistics.NullCount, what)
	uneven := false // some row group has none
	for _, g := range r.MetaData().RowGroups {
		uneven = uneven || g.Columns[leaf].ColumnIndexOffset == nil
	}
	if uneven {
		require.Nil(t, meta.MetaData.Statistics.MinValue, what)
	} else if !isZero(all.low) && !isZero(all.high) {
		require.Equal(t, all.low, meta.MetaData.Statistics.MinValue, what)
		require.Equal(t, all.high, meta.MetaData.Statistics.MaxValue, what)
	}
	got := readColumnIndex(b[*meta.ColumnIndexOffset:][:*meta.ColumnIndexLength])
	require.Equal(t, nulls, got.nulls, what)
	for i, p := range pages {
		require.Equal(t, p.low == nil, got.empty[i], what)
		if p.low == nil {
			continue
		}
		require.LessOrEqual(t, compare(got.low[i], p.low), 0, what)
		require.GreaterOrEqual(t, compare(got.high[i], p.high), 0, what)
		if max(len(p.low), len(p.high)) <= 64 && !isZero(p.low) && !isZero(p.high) { // zeros are -0 and 0
			require.Equal(t, p.low, got.low[i], what)
			require.Equal(t, p.high, got.high[i], what)
		}
	}
	switch column.Name() {
	case "up":
		require.Equal(t, 1, got.order, "ascending")
	case "down":
		require.Equal(t, 2, got.order, "descending")
	}
}

func isZero(b []byte) bool { return bytes.Count(b, []byte{0}) >= len(b)-1 }

func isNaN(column *schema.Column, b []byte) bool {
	if _, half := column.LogicalType().(schema.Float16LogicalType); half {
		return binary.LittleEndian.Uint16(b)&0x7FFF > 0x7C00
	}
	switch column.PhysicalType() {
	case parquet.Types.Float:
		return math.IsNaN(float64(math.Float32frombits(binary.LittleEndian.Uint32(b))))
	case parquet.Types.Double:
		return math.IsNaN(math.Float64frombits(binary.LittleEndian.Uint64(b)))
	}
	return false
}

type columnIndex struct {
	empty     []bool
	low, high [][]byte
	order     int
	nulls     []int64
}

// nextBytesOf reads bytes with their length.
func nextBytesOf(r *page.CompactReader) []byte {
	start := r.At
	r.Skip(page.ThriftBinary)
	_, n := binary.Uvarint(r.Bytes[start:])
	return r.Bytes[start+n : r.At]
}

// elementsOf reads a list.
func elementsOf(r *page.CompactReader, read func()) {
	for range r.ListOf(r.Bytes[r.At] & 15) {
		read()
	}
}

func readColumnIndex(b []byte) (x columnIndex) {
	r := &page.CompactReader{Bytes: b}
	r.Fields(func(field int, typ byte) {
		switch field {
		case 1:
			elementsOf(r, func() { x.empty = append(x.empty, r.Bytes[r.At] == page.ThriftTrue); r.At++ })
		case 2:
			elementsOf(r, func() { x.low = append(x.low, nextBytesOf(r)) })
		case 3:
			elementsOf(r, func() { x.high = append(x.high, nextBytesOf(r)) })
		case 4:
			x.order = r.Number()
		case 5:
			elementsOf(r, func() { x.nulls = append(x.nulls, int64(r.Number())) })
		}
	})
	return x
}

func readOffsetIndex(b []byte) (at []int64, sizes, rows []int) {
	r := &page.CompactReader{Bytes: b}
	r.Fields(func(int, byte) {
		elementsOf(r, func() {
			r.Fields(func(field int, typ byte) {
				switch v := r.Number(); field {
				case 1:
					at = append(at, int64(v))
				case 2:
					sizes = append(sizes, v)
				case 3:
					rows = append(rows, v)
				}
			})
		})
	})
	return at, sizes, rows
}

// leafValues reads all values of a column chunk with arrow/go.
func leafValues(t *testing.T, r *file.Reader, group, leaf int) (values []leafValue) {
	c, err := r.RowGroup(group).Column(leaf)
	require.NoError(t, err)
	column := c.Descriptor()
	most := r.MetaData().RowGroups[group].Columns[leaf].MetaData.NumValues
	def, rep := make([]int16, most), make([]int16, most)
	var raw [][]byte
	total := int64(0)
	for total < most { // a batch ends with its page
		n := most - total
		var levels int64
		var got int
		d, p := def[total:], rep[total:]
		switch c := c.(type) {
		case *file.BooleanColumnChunkReader:
			v := make([]bool, n)
			levels, got, err = c.ReadBatch(n, v, d, p)
			for _, x := range v[:got] {
				raw = append(raw, []byte{map[bool]byte{true: 1}[x]})
			}
		case *file.Int32ColumnChunkReader:
			v := make([]int32, n)
			levels, got, err = c.ReadBatch(n, v, d, p)
			for _, x := range v[:got] {
				raw = append(raw, binary.LittleEndian.AppendUint32(nil, uint32(x)))
			}
		case *file.Int64ColumnChunkReader:
			v := make([]int64, n)
			levels, got, err = c.ReadBatch(n, v, d, p)
			for _, x := range v[:got] {
				raw = append(raw, binary.LittleEndian.AppendUint64(nil, uint64(x)))
			}
		case *file.Float32ColumnChunkReader:
			v := make([]float32, n)
			levels, got, err = c.ReadBatch(n, v, d, p)
			for _, x := range v[:got] {
				raw = append(raw, binary.LittleEndian.AppendUint32(nil, math.Float32bits(x)))
			}
		case *file.Float64ColumnChunkReader:
			v := make([]float64, n)
			levels, got, err = c.ReadBatch(n, v, d, p)
			for _, x := range v[:got] {
				raw = append(raw, binary.LittleEndian.AppendUint64(nil, math.Float64bits(x)))
			}
		case *file.ByteArrayColumnChunkReader:
			v := make([]parquet.ByteArray, n)
			levels, got, err = c.ReadBatch(n, v, d, p)
			for _, x := range v[:got] {
				raw = append(raw, append([]byte{}, x...))
			}
		case *file.FixedLenByteArrayColumnChunkReader:
			v := make([]parquet.FixedLenByteArray, n)
			levels, got, err = c.ReadBatch(n, v, d, p)
			for _, x := range v[:got] {
				raw = append(raw, slices.Clone([]byte(x)))
			}
		default:
			require.Failf(t, "no such reader", "%T", c)
		}
		require.NoError(t, err)
		require.Positive(t, levels)
		total += levels
	}
	row := -1
	for i := range most {
		if rep[i] == 0 {
			row++
		}
		v := leafValue{row: row}
		if column.MaxDefinitionLevel() == 0 || def[i] == column.MaxDefinitionLevel() {
			v.bytes, raw = raw[0], raw[1:]
		}
		values = append(values, v)
	}
	require.Empty(t, raw)
	return values
}
