package parquet

import (
	"slices"

	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/metadata"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/writer"
)

// A Layout is how a Parquet file was laid out: what a copy of it in another order keeps.
type Layout struct {
	meta    *metadata.FileMetaData
	remarks []string
}

// Remarks are lines about what the footer leaves out or has that is unknown, though the file is read.
func (l *Layout) Remarks() []string { return l.remarks }

// Outline is what an output needs of the layout: that of the columns, by the first row group. It does not hold the
// other row groups.
func (l *Layout) Outline() *Layout {
	if l == nil || len(l.meta.RowGroups) == 0 {
		return l
	}
	outline, footer := *l.meta, *l.meta.FileMetaData
	footer.RowGroups = slices.Clone(footer.RowGroups[:1])
	outline.FileMetaData = &footer
	return &Layout{meta: &outline, remarks: l.remarks}
}

// CreatedHere reports whether the file was written by this package.
func (l *Layout) CreatedHere() bool { return l.meta.GetCreatedBy() == writer.Creator }

// Rows is the number of rows of the file.
func (l *Layout) Rows() int64 { return l.meta.NumRows }

// columns describes the leaf columns by their first row group; none when the file has no row group.
func (l *Layout) columns() []writer.StoredColumn {
	if l == nil || len(l.meta.RowGroups) == 0 {
		return nil
	}
	var out []writer.StoredColumn
	for i, chunk := range l.meta.RowGroups[0].Columns {
		column, at := l.meta.Schema.Column(i), chunk.MetaData.DictionaryPageOffset
		out = append(out, writer.StoredColumn{Path: column.Path(), Codec: compress.Compression(chunk.MetaData.Codec),
			Logical: column.LogicalType(), Type: column.PhysicalType(), Length: column.TypeLength(),
			Dictionary: at != nil && *at > 0 || page.NamesEncoding(chunk.MetaData.Encodings, page.RLEDictionary)})
	}
	return out
}
