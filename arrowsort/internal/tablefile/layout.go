package tablefile

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/metadata"
)

// A Layout is how a Parquet file was laid out: what a copy of it in another order keeps.
type Layout struct {
	meta *metadata.FileMetaData
}

func newLayout(r *file.Reader) *Layout { return &Layout{meta: r.MetaData()} }

// A columnLayout is how a leaf column of the file was stored.
type columnLayout struct {
	path       string
	codec      compress.Compression
	dictionary bool
}

// Encodings of parquet.thrift.
const (
	plainEncoding   = 0
	plainDictionary = 2
	rleEncoding     = 3
	rleDictionary   = 8
)

// columns describes the leaf columns by their first row group; none when the file has no row group.
func (l *Layout) columns() []columnLayout {
	if len(l.meta.RowGroups) == 0 {
		return nil
	}
	var out []columnLayout
	for i, chunk := range l.meta.RowGroups[0].Columns {
		c := columnLayout{path: l.meta.Schema.Column(i).Path(), codec: compress.Compression(chunk.MetaData.Codec)}
		for _, e := range chunk.MetaData.Encodings {
			c.dictionary = c.dictionary || e == plainDictionary || e == rleDictionary
		}
		out = append(out, c)
	}
	return out
}

// fits says whether columns that were written with another footer read the same under the layout's schema: the same
// physical types at the same levels, under the same names.
func (l *Layout) fits(footer *metadata.FileMetaData) bool {
	from, to := l.meta.Schema, footer.Schema
	if from.NumColumns() != to.NumColumns() {
		return false
	}
	for i := range from.NumColumns() {
		a, b := from.Column(i), to.Column(i)
		if a.PhysicalType() != b.PhysicalType() || a.TypeLength() != b.TypeLength() || a.Path() != b.Path() ||
			a.MaxDefinitionLevel() != b.MaxDefinitionLevel() || a.MaxRepetitionLevel() != b.MaxRepetitionLevel() {
			return false
		}
	}
	return true
}

// copySchema puts the layout's schema and key-value metadata into a footer, to the letter.
func (l *Layout) copySchema(footer *metadata.FileMetaData) {
	footer.FileMetaData.Schema = l.meta.FileMetaData.Schema
	footer.FileMetaData.KeyValueMetadata = l.meta.FileMetaData.KeyValueMetadata
}

// markLocalTimes repairs the logical type of timestamps: pqarrow marks those without a time zone as UTC, and those with
// one as local.
func markLocalTimes(footer *metadata.FileMetaData, schema *arrow.Schema) {
	var types []arrow.DataType
	for _, f := range schema.Fields() {
		types = leafTypes(types, f.Type)
	}
	leaf := 0
	for _, element := range footer.FileMetaData.Schema[1:] {
		if element.GetNumChildren() > 0 {
			continue
		}
		if ts, ok := types[leaf].(*arrow.TimestampType); ok && element.LogicalType != nil && element.LogicalType.TIMESTAMP != nil {
			element.LogicalType.TIMESTAMP.IsAdjustedToUTC = ts.TimeZone != ""
		}
		leaf++
	}
}

// leafTypes appends the types of the leaf columns that Parquet stores for a type.
func leafTypes(types []arrow.DataType, typ arrow.DataType) []arrow.DataType {
	switch t := typ.(type) {
	case arrow.ExtensionType:
		return leafTypes(types, t.StorageType())
	case *arrow.DictionaryType:
		return leafTypes(types, t.ValueType)
	case arrow.NestedType:
		for _, f := range t.Fields() {
			types = leafTypes(types, f.Type)
		}
		return types
	}
	return append(types, typ)
}
