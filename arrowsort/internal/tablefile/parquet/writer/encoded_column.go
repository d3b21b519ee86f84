package writer

import (
	"encoding/binary"
	"fmt"

	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
)

// SetStatistics replaces the statistics of a column chunk by those of its pages, and returns its bounds. The counts are
// always there, 0 included. Bounds that are no values of the chunk are marked as such.
func SetStatistics(footer *metadata.FileMetaData, group, leaf int, x *page.Index) page.Bounds {
	all, m := x.Statistics(), footer.RowGroups[group].Columns[leaf].MetaData
	s := fresh(&m.Statistics)
	s.NullCount = &all.Nulls
	if x.Distinct > 0 {
		s.DistinctCount = &x.Distinct
	}
	if page.HoldsFloats(x.Column) {
		s.NanCount = &all.NaNs
	}
	if s.MinValue = all.Min; all.Min != nil {
		s.IsMinValueExact = new(!all.MinInexact)
	}
	if s.MaxValue = all.Max; all.Max != nil {
		s.IsMaxValueExact = new(!all.MaxInexact)
	}
	if all.Min != nil && all.Max != nil && x.Column.SortOrder() == schema.SortSIGNED {
		s.Min, s.Max = all.Min, all.Max // where old readers look
	}
	m.SizeStatistics = nil
	SetSizes(footer, group, leaf, x)
	return all.Bounds
}

// SetSizes sets those size statistics of a column chunk that its pages show.
func SetSizes(footer *metadata.FileMetaData, group, leaf int, x *page.Index) {
	all, m := x.Statistics(), footer.RowGroups[group].Columns[leaf].MetaData
	hasBytes := all.HasBytes(x.Column)
	if !hasBytes && all.Repetitions == nil && all.Definitions == nil {
		return
	}
	if m.SizeStatistics == nil {
		fresh(&m.SizeStatistics)
	}
	if hasBytes {
		m.SizeStatistics.UnencodedByteArrayDataBytes = &all.Bytes
	}
	m.SizeStatistics.RepetitionLevelHistogram = all.Repetitions
	m.SizeStatistics.DefinitionLevelHistogram = all.Definitions
}

// setPageVersion sets the kind of the data pages in the metadata of a column chunk.
func setPageVersion(footer *metadata.FileMetaData, leaf int, second bool) {
	for _, s := range footer.RowGroups[0].Columns[leaf].MetaData.EncodingStats {
		if second && s.PageType == page.Data {
			setEnum(&s.PageType, page.DataV2)
		}
	}
}

// setEncoding sets the encoding of the values of a column chunk that the metadata have as plain, and the place of its
// dictionary; 0: it has none.
func setEncoding(footer *metadata.FileMetaData, leaf, encoding int, dictionary int64) {
	m := footer.RowGroups[0].Columns[leaf].MetaData
	if encoding == page.Plain {
		return
	}
	for i := range m.Encodings {
		if m.Encodings[i] == page.Plain {
			setEnum(&m.Encodings[i], encoding)
		}
	}
	for _, s := range m.EncodingStats {
		setEnum(&s.Encoding, encoding)
	}
	if dictionary == 0 {
		return
	}
	m.DictionaryPageOffset = &dictionary
	m.Encodings = append(m.Encodings, page.Plain)
	if len(m.EncodingStats) > 0 {
		entries := *m.EncodingStats[0]
		setEnum(&entries.PageType, page.Dictionary)
		setEnum(&entries.Encoding, page.Plain)
		entries.Count = 1
		m.EncodingStats = append(m.EncodingStats, &entries)
	}
}

// fresh sets a field of the footer to a new struct, whose type is internal to Arrow.
func fresh[T any](field **T) *T {
	*field = new(T)
	return *field
}

// setEnum sets a field of the footer, whose type is internal to Arrow.
func setEnum[T ~int64, V ~int | ~int64](field *T, v V) { *field = T(v) }

// An EncodedColumn is a column of a row group, encoded as a Parquet file with nothing else.
type EncodedColumn struct {
	File    []byte // without the footer
	Footer  *metadata.FileMetaData
	Index   []page.Index // of its column chunks
	Filters [][]byte     // Bloom filters of its column chunks, which the receiver may keep; nil of those without
}

// parseEncoded splits a Parquet file in memory into pages and footer.
func parseEncoded(file []byte) (EncodedColumn, error) {
	tail := len(file) - 8 // length of the footer and magic
	length := int(binary.LittleEndian.Uint32(file[tail:]))
	footer, err := metadata.NewFileMetaData(file[tail-length:tail], nil)
	if err != nil {
		return EncodedColumn{}, fmt.Errorf("the encoded column cannot be read: %w", err)
	}
	return EncodedColumn{File: file[:tail-length], Footer: footer}, nil
}

// check makes sure that all rows were written: pqarrow skips arrays that it does not support.
func (p EncodedColumn) check(field arrow.Field, rows int64) error {
	for _, c := range p.Footer.RowGroups[0].Columns {
		if n := c.MetaData.NumValues; n < rows {
			return fmt.Errorf("column %q: Parquet cannot hold type %s, %d of %d rows were written", field.Name,
				field.Type, n, rows)
		}
	}
	return nil
}
