package tablefile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
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

// valueBounds are what the values of a page or a column chunk ask for: NaNs are apart from the others.
type valueBounds struct {
	low, high    []byte
	nulls, nans  int64
	negativeNaNs bool
	bytes        int64
	levels       [2][]int64 // histograms of repetition and definition levels
	distinct     map[string]bool
}

// add takes a value of a column.
func (b *valueBounds) add(column *schema.Column, value leafValue) {
	if b.distinct == nil {
		b.distinct = map[string]bool{}
		b.levels[0] = make([]int64, column.MaxRepetitionLevel()+1)
		b.levels[1] = make([]int64, column.MaxDefinitionLevel()+1)
	}
	b.levels[0][value.rep]++
	b.levels[1][value.def]++
	v, compare := value.bytes, page.ValueOrder(column)
	if v != nil {
		b.bytes += int64(len(v))
		b.distinct[string(v)] = true
	}
	switch {
	case v == nil:
		b.nulls++
	case isNaN(column, v):
		b.nans++
		b.negativeNaNs = b.negativeNaNs || v[len(v)-1]&0x80 != 0
	default:
		if b.low == nil || compare != nil && compare(v, b.low) < 0 {
			b.low = v
		}
		if b.high == nil || compare != nil && compare(v, b.high) > 0 {
			b.high = v
		}
	}
}

// requireIndex requires that a column chunk has the index and the statistics that its values ask for. Long bounds are
// for other tests.
func requireIndex(t *testing.T, b []byte, r *file.Reader, group, leaf int) {
	t.Helper()
	column := r.MetaData().Schema.Column(leaf)
	meta := r.MetaData().RowGroups[group].Columns[leaf]
	what := fmt.Sprintf("row group %d, column %s", group, column.Path())
	values := leafValues(t, r, group, leaf)
	at, sizes, firsts, textBytes := readOffsetIndex(b[*meta.OffsetIndexOffset:][:*meta.OffsetIndexLength])
	require.Equal(t, meta.MetaData.DataPageOffset, at[0], what)
	firsts = append(firsts, int(r.MetaData().RowGroups[group].NumRows))
	pages, all := make([]valueBounds, len(at)), valueBounds{}
	for i := range at {
		var header page.Header
		header.Read(&page.CompactReader{Bytes: b[at[i]:]})
		require.Equal(t, page.Data, header.Kind, what)
		if i+1 < len(at) {
			require.Equal(t, at[i]+int64(sizes[i]), at[i+1], what)
		}
		require.LessOrEqual(t, firsts[i+1]-firsts[i], DefaultPageRows, what)
		for _, v := range values {
			if v.row >= firsts[i] && v.row < firsts[i+1] {
				pages[i].add(column, v)
				all.add(column, v)
			}
		}
	}
	ordered := page.ValueOrder(column) != nil || all.low == nil
	requireStatistics(t, r, group, leaf, all, ordered)
	requireSizes(t, r, group, leaf, all, pages, textBytes)
	require.Equal(t, ordered && all.nans == 0, meta.ColumnIndexOffset != nil, what)
	if meta.ColumnIndexOffset != nil {
		got := readColumnIndex(b[*meta.ColumnIndexOffset:][:*meta.ColumnIndexLength])
		requireColumnIndex(t, column, got, pages, what)
	}
}

// requireStatistics requires counts, and the bounds of ordered values. With NaN in any chunk of the column no chunk has
// an upper bound, and with one that has the sign bit no lower one.
func requireStatistics(t *testing.T, r *file.Reader, group, leaf int, all valueBounds, ordered bool) {
	t.Helper()
	column := r.MetaData().Schema.Column(leaf)
	s := r.MetaData().RowGroups[group].Columns[leaf].MetaData.Statistics
	what := fmt.Sprintf("row group %d, column %s", group, column.Path())
	require.Equal(t, all.nulls, *s.NullCount, what)
	var whole valueBounds
	if floats := page.HoldsFloats(column); floats {
		require.Equal(t, all.nans, *s.NanCount, what)
		for g := range r.NumRowGroups() {
			for _, v := range leafValues(t, r, g, leaf) {
				whole.add(column, v)
			}
		}
	} else {
		require.Nil(t, s.NanCount, what)
	}
	hasLow := ordered && all.low != nil && !whole.negativeNaNs
	hasHigh := ordered && all.high != nil && whole.nans == 0
	require.Equal(t, hasLow, s.MinValue != nil, what)
	require.Equal(t, hasHigh, s.MaxValue != nil, what)
	require.Equal(t, hasLow && hasHigh && column.SortOrder() == schema.SortSIGNED, s.Min != nil && s.Max != nil, what)
	if compare := page.ValueOrder(column); hasLow {
		require.LessOrEqual(t, compare(s.MinValue, all.low), 0, what)
		require.Equal(t, bytes.Equal(all.low, s.MinValue), *s.IsMinValueExact, what)
		require.Equal(t, *s.IsMinValueExact || isZero(all.low), len(all.low) <= 64 || isZero(all.low), what)
	}
	if compare := page.ValueOrder(column); hasHigh {
		require.GreaterOrEqual(t, compare(s.MaxValue, all.high), 0, what)
		require.Equal(t, bytes.Equal(all.high, s.MaxValue), *s.IsMaxValueExact, what)
		require.Equal(t, *s.IsMaxValueExact || isZero(all.high), len(all.high) <= 64 || isZero(all.high), what)
	}
}

// requireSizes requires the bytes of text, the levels of nested columns, and the number of different values where there
// is one.
func requireSizes(t *testing.T, r *file.Reader, group, leaf int, all valueBounds, pages []valueBounds,
	textBytes []int64) {
	t.Helper()
	column := r.MetaData().Schema.Column(leaf)
	m := r.MetaData().RowGroups[group].Columns[leaf].MetaData
	what := fmt.Sprintf("row group %d, column %s", group, column.Path())
	text := column.PhysicalType() == parquet.Types.ByteArray
	histogram := func(levels []int64, least int) []int64 {
		if len(levels) < least {
			return nil
		}
		return levels
	}
	repetitions, definitions := histogram(all.levels[0], 2), histogram(all.levels[1], 3)
	if s := m.SizeStatistics; s == nil {
		require.True(t, !text && repetitions == nil && definitions == nil, what)
	} else {
		require.Equal(t, repetitions, s.RepetitionLevelHistogram, what)
		require.Equal(t, definitions, s.DefinitionLevelHistogram, what)
		if require.Equal(t, text, s.UnencodedByteArrayDataBytes != nil, what); text {
			require.Equal(t, all.bytes, *s.UnencodedByteArrayDataBytes, what)
		}
	}
	require.Equal(t, text, textBytes != nil, what)
	for i := range textBytes {
		require.Equal(t, pages[i].bytes, textBytes[i], what)
	}
	if s := m.Statistics; s.DistinctCount != nil {
		require.EqualValues(t, len(all.distinct), *s.DistinctCount, what)
	}
}

// requireColumnIndex requires the bounds and counts of pages.
func requireColumnIndex(t *testing.T, column *schema.Column, got columnIndex, pages []valueBounds, what string) {
	t.Helper()
	compare := page.ValueOrder(column)
	var levels [2][]int64
	for _, p := range pages {
		levels[0], levels[1] = append(levels[0], p.levels[0]...), append(levels[1], p.levels[1]...)
	}
	if column.MaxRepetitionLevel() == 0 {
		levels[0] = nil
	}
	if column.MaxDefinitionLevel() <= 1 {
		levels[1] = nil
	}
	require.Equal(t, levels, got.levels, what)
	require.Len(t, got.nulls, len(pages), what)
	require.Equal(t, page.HoldsFloats(column), got.nans != nil, what)
	for i, p := range pages {
		require.Equal(t, p.nulls, got.nulls[i], what)
		require.Equal(t, p.low == nil, got.empty[i], what)
		if got.nans != nil {
			require.Zero(t, got.nans[i], what)
		}
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

type columnIndex struct {
	empty     []bool
	low, high [][]byte
	order     int
	nulls     []int64
	nans      []int64    // nil: none are counted
	levels    [2][]int64 // histograms of repetition and definition levels
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
		case 6, 7:
			elementsOf(r, func() { x.levels[field-6] = append(x.levels[field-6], int64(r.Number())) })
		case 8:
			elementsOf(r, func() { x.nans = append(x.nans, int64(r.Number())) })
		}
	})
	return x
}

func readOffsetIndex(b []byte) (at []int64, sizes, rows []int, textBytes []int64) {
	r := &page.CompactReader{Bytes: b}
	r.Fields(func(list int, _ byte) {
		elementsOf(r, func() {
			if list == 2 {
				textBytes = append(textBytes, int64(r.Number()))
				return
			}
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
	return at, sizes, rows, textBytes
}
