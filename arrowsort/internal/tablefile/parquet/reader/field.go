package tablefile

import (
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow/go/v15/arrow"
)

// A fileField is a column of a Parquet file, or what a nested column is made of. Leaves are at the bottom.
type fileField struct {
	Field     arrow.Field
	LevelInfo file.LevelInfo
	ColIndex  int // of a leaf: the number of its column
	Children  []fileField
}

// isLeaf reports whether the field is a column of the file.
func (f *fileField) isLeaf() bool { return len(f.Children) == 0 }
