package parquet

import (
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
)

// A LeafColumn is a leaf column in the footer of a file, with sums over all row groups.
type LeafColumn struct {
	Column            string // the name of the column of the table that it belongs to
	Path              string
	Codecs, Encodings []string // without repetition
	Bytes, Raw        int64    // of the pages, as they are in the file and without compression
	Nulls             int64    // -1: a row group does not have the number
	BloomFilters      int64    // row groups that have one
	Dictionaries      int64    // likewise
}

// CreatedBy returns the name of the program that wrote the file, as it has given it.
func (t *Template) CreatedBy() string { return t.meta.GetCreatedBy() }

// LeafColumns returns the leaf columns of the file.
func (t *Template) LeafColumns() []LeafColumn {
	columns := make([]LeafColumn, t.meta.Schema.NumColumns())
	for i := range columns {
		columns[i] = t.leafColumn(i)
	}
	return columns
}

// leafColumn describes a leaf column.
func (t *Template) leafColumn(leaf int) LeafColumn {
	c := LeafColumn{Column: t.meta.Schema.ColumnRoot(leaf).Name(), Path: t.meta.Schema.Column(leaf).Path()}
	for _, group := range t.meta.RowGroups {
		m := group.Columns[leaf].MetaData
		c.Codecs = withName(c.Codecs, codecName(compress.Compression(m.Codec)))
		for _, e := range m.Encodings {
			c.Encodings = withName(c.Encodings, parquet.Encoding(e).String())
		}
		c.Bytes, c.Raw = c.Bytes+m.TotalCompressedSize, c.Raw+m.TotalUncompressedSize
		if m.BloomFilterOffset != nil {
			c.BloomFilters++
		}
		if at := m.DictionaryPageOffset; at != nil && *at > 0 || page.NamesEncoding(m.Encodings, page.RLEDictionary) {
			c.Dictionaries++
		}
		if s := m.Statistics; c.Nulls < 0 || s == nil || s.NullCount == nil {
			c.Nulls = -1
		} else {
			c.Nulls += *s.NullCount
		}
	}
	return c
}

// withName appends a name that is not in a list yet.
func withName(names []string, name string) []string {
	if slices.Contains(names, name) {
		return names
	}
	return append(names, name)
}

// codecName returns a codec as options name it.
func codecName(codec compress.Compression) string {
	switch codec {
	case compress.Codecs.Uncompressed:
		return "none"
	case compress.Codecs.Lz4Raw:
		return "lz4"
	}
	return strings.ToLower(codec.String())
}
