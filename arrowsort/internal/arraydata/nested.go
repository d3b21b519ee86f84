package arraydata

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// ConvertChunks returns a column of a type, whose chunks convert makes of those of another type. The caller releases
// it.
func ConvertChunks(column *arrow.Chunked, typ arrow.DataType,
	convert func(d arrow.ArrayData) (arrow.ArrayData, error)) (*arrow.Chunked, error) {
	if arrow.TypeEqual(column.DataType(), typ) {
		column.Retain()
		return column, nil
	}
	chunks := make([]arrow.Array, 0, len(column.Chunks()))
	defer func() { Release(chunks) }()
	for _, c := range column.Chunks() {
		data, err := convert(c.Data())
		if err != nil {
			return nil, err
		}
		chunks = append(chunks, array.MakeFromData(data))
		data.Release()
	}
	return arrow.NewChunked(typ, chunks), nil
}

// ConvertChildren returns an array of a nested type, whose children convert makes. They stay as long as they are: the
// rows of their parent find them by the same numbers. The caller releases it.
func ConvertChildren(d arrow.ArrayData, typ arrow.DataType,
	convert func(i int, child arrow.ArrayData) (arrow.ArrayData, error)) (arrow.ArrayData, error) {
	children := make([]arrow.ArrayData, 0, len(d.Children()))
	defer func() { Release(children) }()
	for i, c := range d.Children() {
		child, err := convert(i, c)
		if err != nil {
			return nil, err
		}
		children = append(children, child)
	}
	return array.NewData(typ, d.Len(), d.Buffers(), children, d.NullN(), d.Offset()), nil
}
