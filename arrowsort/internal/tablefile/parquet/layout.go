package tablefile

import (
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/metadata"
)

// A Layout is how a Parquet file was laid out: what a copy of it in another order keeps.
type Layout struct {
	meta *metadata.FileMetaData
}

// CreatedHere reports whether the file was written by this package.
func (l *Layout) CreatedHere() bool { return l.meta.GetCreatedBy() == creator }

// Rows is the number of rows of the file.
func (l *Layout) Rows() int64 { return l.meta.NumRows }

// columns describes the leaf columns by their first row group; none when the file has no row group.
func (l *Layout) columns() []columnLayout {
	if l == nil || len(l.meta.RowGroups) == 0 {
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
