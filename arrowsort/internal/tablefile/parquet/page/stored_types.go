package page

import (
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow/go/v15/arrow"
)

// StoredWidth is the bytes of a value that Parquet stores as Arrow does, or of an index in place of text; 0 for all
// else.
func StoredWidth(typ arrow.DataType, physical parquet.Type) int {
	switch typ.ID() {
	case arrow.INT64, arrow.UINT64, arrow.TIMESTAMP, arrow.TIME64, arrow.DURATION:
		return widthIf(physical == parquet.Types.Int64, 8)
	case arrow.INT32, arrow.UINT32, arrow.DATE32, arrow.TIME32:
		return widthIf(physical == parquet.Types.Int32, 4)
	case arrow.FLOAT64:
		return widthIf(physical == parquet.Types.Double, 8)
	case arrow.FLOAT32:
		return widthIf(physical == parquet.Types.Float, 4)
	case arrow.DICTIONARY:
		d := typ.(*arrow.DictionaryType)
		text := d.ValueType.ID() == arrow.STRING || d.ValueType.ID() == arrow.BINARY
		return widthIf(physical == parquet.Types.ByteArray && text && d.IndexType.ID() == arrow.INT32, 4)
	}
	return 0
}

func widthIf(ok bool, width int) int {
	if ok {
		return width
	}
	return 0
}

// StoredText reports whether values are strings or bytes of any length.
func StoredText(typ arrow.DataType, physical parquet.Type) bool {
	switch typ.ID() {
	case arrow.STRING, arrow.BINARY, arrow.LARGE_STRING, arrow.LARGE_BINARY:
		return physical == parquet.Types.ByteArray
	}
	return false
}
