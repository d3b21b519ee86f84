package reader

import (
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow/go/v15/arrow"
)

// A SchemaField is a column of a Parquet file, or what a nested column is made of. Leaves are at the bottom.
type SchemaField struct {
	Field     arrow.Field
	LevelInfo file.LevelInfo
	ColIndex  int // of a leaf: the number of its column
	Children  []SchemaField
}

// IsLeaf reports whether the field is a column of the file.
func (f *SchemaField) IsLeaf() bool { return len(f.Children) == 0 }
