package dictionary

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/fileerror"
)

// MaxEntries is the largest dictionary that a column of text keeps in a Parquet file.
const MaxEntries = 1 << 16

// Expand returns rows of text without their dictionary. The caller releases them.
func Expand(data *arrow.Chunked, typ arrow.DataType, mem memory.Allocator) (*arrow.Chunked, error) {
	b := array.NewBuilder(mem, typ)
	defer b.Release()
	var chunks []arrow.Array
	defer func() { arraydata.Release(chunks) }()
	for _, c := range data.Chunks() {
		if err := appendEntries(b, c.(*array.Dictionary)); err != nil {
			return nil, err
		}
		chunks = append(chunks, b.NewArray())
	}
	return arrow.NewChunked(typ, chunks), nil
}

// appendEntries appends the entries that the rows of a dictionary array refer to.
func appendEntries(b array.Builder, a *array.Dictionary) error {
	b.Reserve(a.Len())
	bytes := EntryBytes(a.Dictionary())
	for i := range a.Len() {
		if a.IsNull(i) || a.Dictionary().IsNull(a.GetValueIndex(i)) {
			b.AppendNull()
			continue
		}
		value := bytes(a.GetValueIndex(i))
		switch b := b.(type) {
		case *array.StringBuilder:
			b.Append(string(value))
		case *array.LargeStringBuilder:
			b.Append(string(value))
		case *array.BinaryBuilder:
			b.Append(value)
		default:
			return fileerror.Corrupt("a column of type %s is stored with a dictionary", b.Type())
		}
	}
	return nil
}

// EntryBytes returns what returns an entry of a dictionary of text by its index.
func EntryBytes(dictionary arrow.Array) func(i int) []byte {
	if d, ok := dictionary.(*array.String); ok {
		return func(i int) []byte { return []byte(d.Value(i)) }
	}
	return dictionary.(*array.Binary).Value
}
