package tablefile

import (
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"
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

// columnsOf are the columns under the names that they have in a schema for writing, which may name what is in a list
// otherwise.
func (l *Layout) columnsOf(sc *schema.Schema) []columnLayout {
	columns := l.columns()
	if len(columns) == sc.NumColumns() {
		for i := range columns {
			columns[i].path = sc.Column(i).Path()
		}
	}
	return columns
}
