// Package dictionary gives the chunks of columns the same dictionaries.
package dictionary

import (
	"context"
	"errors"
	"fmt"
	"math"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/take"
)

// MaxEntries is the largest dictionary that a column of text keeps in a Parquet file.
const MaxEntries = 1 << 16

// Expand returns rows of text without their dictionary. The caller releases them.
func Expand(data *arrow.Chunked, typ arrow.DataType, mem memory.Allocator) (*arrow.Chunked, error) {
	return expand(data, typ, math.MaxInt32, mem)
}

// expand is Expand to chunks of a number of bytes of text at most, unless typ has offsets of 64 bits.
func expand(data *arrow.Chunked, typ arrow.DataType, most int, mem memory.Allocator) (*arrow.Chunked, error) {
	b := array.NewBuilder(mem, typ)
	defer b.Release()
	text := textOf(b)
	if text == nil {
		return nil, errkind.Corrupt("a column of type %s is stored with a dictionary", typ)
	}
	if typ.ID() == arrow.LARGE_STRING || typ.ID() == arrow.LARGE_BINARY {
		most = math.MaxInt
	}
	var chunks []arrow.Array
	defer func() { arraydata.Release(chunks) }()
	for _, c := range data.Chunks() {
		a := c.(*array.Dictionary)
		b.Reserve(a.Len())
		bytes := EntryBytes(a.Dictionary())
		for i := range a.Len() {
			if a.IsNull(i) || a.Dictionary().IsNull(a.GetValueIndex(i)) {
				b.AppendNull()
				continue
			}
			value := bytes(a.GetValueIndex(i))
			if text.DataLen()+len(value) > most {
				chunks = append(chunks, b.NewArray())
			}
			text.Append(value)
		}
		chunks = append(chunks, b.NewArray())
	}
	return arrow.NewChunked(typ, chunks), nil
}

// textOf returns the builder of the bytes of text; nil for another type.
func textOf(b array.Builder) *array.BinaryBuilder {
	switch b := b.(type) {
	case *array.StringBuilder:
		return b.BinaryBuilder
	case *array.LargeStringBuilder:
		return b.BinaryBuilder
	case *array.BinaryBuilder:
		return b
	}
	return nil
}

// EntryBytes returns a function from the index of an entry of a dictionary of text to its bytes.
func EntryBytes(dictionary arrow.Array) func(i int) []byte {
	if d, ok := dictionary.(*array.String); ok {
		return func(i int) []byte {
			text := d.Value(i)
			return unsafe.Slice(unsafe.StringData(text), len(text)) // without a copy: nobody writes to it
		}
	}
	return dictionary.(*array.Binary).Value
}

// Unify gives all chunks of a column the same dictionary, at every level of its type, so that equal indices mean equal
// values. The caller releases the table.
func Unify(ctx context.Context, mem memory.Allocator, table arrow.Table) (arrow.Table, error) {
	return arraydata.NewTable(table.Schema(), table.NumRows(), func(i int) (*arrow.Chunked, error) {
		column := table.Column(i).Data()
		chunks, err := take.Unify(ctx, column.DataType(), column.Chunks(), take.Options{Allocator: mem})
		if err != nil {
			return nil, err
		}
		defer arraydata.Release(chunks)
		return arrow.NewChunked(column.DataType(), chunks), nil
	})
}

// Values returns the values of the rows of a dictionary array, in one array. The caller releases it.
func Values(ctx context.Context, a *array.Dictionary, opts take.Options) (arrow.Array, error) {
	entries := a.Dictionary()
	null := arraydata.Nulls(memory.NewGoAllocator(), entries.DataType(), 1)
	defer null.Release()
	rows := make([]uint32, a.Len())
	for i := range rows {
		rows[i] = uint32(entries.Len()) // the null
		if a.IsValid(i) {
			rows[i] = uint32(a.GetValueIndex(i))
		}
	}
	taken, err := take.Take(ctx, entries.DataType(), []arrow.Array{entries, null}, rows, opts)
	if err != nil {
		return nil, err
	}
	return taken[0], nil
}

// DecodedSchema returns the schema of the rows as they are sorted: with the values of dictionaries in their place,
// since each batch of an input has other dictionaries. Dictionaries inside extension types are ErrUnsupported.
func DecodedSchema(schema *arrow.Schema) (*arrow.Schema, error) {
	decoded := arraydata.WithTypes(schema, DecodedType)
	for _, f := range decoded.Fields() {
		if arraydata.HasDictionary(f.Type) {
			return nil, errkind.Unsupported("column %q: a dictionary inside type %s, read in pieces,", f.Name,
				f.Type)
		}
	}
	return decoded, nil
}

// DecodedType replaces dictionary types by the types of their values, also inside nested types.
func DecodedType(typ arrow.DataType) arrow.DataType {
	if !arraydata.HasDictionary(typ) {
		return typ
	}
	if t, ok := typ.(*arrow.DictionaryType); ok {
		return DecodedType(t.ValueType)
	}
	return arraydata.MapTypes(typ, DecodedType)
}

// WithType returns a column with a type that its type agrees with, or with the decoded type. The caller releases it.
func WithType(ctx context.Context, column *arrow.Chunked, typ arrow.DataType,
	opts take.Options) (*arrow.Chunked, error) {
	return arraydata.ConvertChunks(column, typ, func(d arrow.ArrayData) (arrow.ArrayData, error) {
		return DataWithType(ctx, d, typ, opts)
	})
}

// DataWithType is WithType of an array.
func DataWithType(ctx context.Context, d arrow.ArrayData, typ arrow.DataType,
	opts take.Options) (arrow.ArrayData, error) {
	if arrow.TypeEqual(d.DataType(), typ) {
		d.Retain()
		return d, nil
	}
	if _, ok := d.DataType().(*arrow.DictionaryType); ok {
		values, err := rowValues(ctx, d, opts)
		if err != nil {
			return nil, err
		}
		defer values.Release()
		return DataWithType(ctx, values.Data(), typ, opts)
	}
	var fields []arrow.Field
	if nested, ok := typ.(arrow.NestedType); ok {
		fields = nested.Fields()
	}
	return arraydata.ConvertChildren(d, typ, func(i int, child arrow.ArrayData) (arrow.ArrayData, error) {
		return DataWithType(ctx, child, fields[i].Type, opts)
	})
}

// rowValues returns the values of the rows of a dictionary array.
func rowValues(ctx context.Context, d arrow.ArrayData, opts take.Options) (arrow.Array, error) {
	a := array.NewDictionaryData(d)
	defer a.Release()
	values, err := Values(ctx, a, opts)
	if errors.Is(err, take.ErrOffsets) {
		return nil, fmt.Errorf("%w: a piece has %d rows of strings of more than 2 GiB", errkind.ErrBudget, a.Len())
	}
	return values, err
}
