package arrow18_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	v15 "github.com/apache/arrow/go/v15/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	convert "github.com/arrowsort/arrowsort/arrowsort/internal/arrow18"
)

// checked returns an allocator that fails the test when something stays allocated.
func checked(t testing.TB) *memory.CheckedAllocator {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	t.Cleanup(func() { mem.AssertSize(t, 0) })
	return mem
}

// fromJSON returns an array of a type, released with the test.
func fromJSON(t testing.TB, mem memory.Allocator, typ arrow.DataType, text string) arrow.Array {
	a, _, err := array.FromJSON(mem, typ, strings.NewReader(text))
	require.NoError(t, err)
	t.Cleanup(a.Release)
	return a
}

// record returns a record of arrays, released with the test.
func record(t testing.TB, names []string, columns ...arrow.Array) arrow.RecordBatch {
	fields := make([]arrow.Field, len(columns))
	for i, c := range columns {
		fields[i] = arrow.Field{Name: names[i], Type: c.DataType(), Nullable: true}
	}
	rec := array.NewRecordBatch(arrow.NewSchema(fields, nil), columns, int64(columns[0].Len()))
	t.Cleanup(rec.Release)
	return rec
}

// by returns one key.
func by(path string) []arrowsort.Key { return []arrowsort.Key{{Path: path}} }

// A tag is an extension type over any storage.
type tag struct{ arrow.ExtensionBase }

// tagged is exported by its methods only: Arrow makes it by reflection.
type tagged struct{ array.ExtensionArrayBase }

func newTag(storage arrow.DataType) *tag { return &tag{arrow.ExtensionBase{Storage: storage}} }

func (a *tagged) ValueStr(i int) string { return a.Storage().ValueStr(i) }

func (*tag) ArrayType() reflect.Type { return reflect.TypeFor[tagged]() }

func (*tag) ExtensionName() string { return "tag" }

func (t *tag) String() string { return "tag<" + t.Storage.String() + ">" }

func (*tag) Serialize() string { return "" }

func (*tag) Deserialize(storage arrow.DataType, _ string) (arrow.ExtensionType, error) {
	return newTag(storage), nil
}

func (t *tag) ExtensionEquals(other arrow.ExtensionType) bool {
	o, ok := other.(*tag)
	return ok && arrow.TypeEqual(t.Storage, o.Storage)
}

// modern returns a type of v18 with the layout of a type of v15: with decimals that only v18 has in the place of int32
// and int64, and with extension types, on all levels.
func modern(typ v15.DataType) arrow.DataType {
	switch t := typ.(type) {
	case v15.ExtensionType:
		return newTag(modern(t.StorageType()))
	case *v15.Int32Type:
		return &arrow.Decimal32Type{Precision: 9, Scale: 2}
	case *v15.Int64Type:
		return &arrow.Decimal64Type{Precision: 18, Scale: 4}
	case *v15.ListType:
		return arrow.ListOfField(modernFields(t)[0])
	case *v15.LargeListType:
		return arrow.LargeListOfField(modernFields(t)[0])
	case *v15.ListViewType:
		return arrow.ListViewOfField(modernFields(t)[0])
	case *v15.LargeListViewType:
		return arrow.LargeListViewOfField(modernFields(t)[0])
	case *v15.FixedSizeListType:
		return arrow.FixedSizeListOfField(t.Len(), modernFields(t)[0])
	case *v15.StructType:
		return arrow.StructOf(modernFields(t)...)
	case *v15.MapType:
		return arrow.MapOf(modern(t.KeyType()), modern(t.ItemType()))
	case *v15.SparseUnionType:
		return arrow.SparseUnionOf(modernFields(t), t.TypeCodes())
	case *v15.DenseUnionType:
		return arrow.DenseUnionOf(modernFields(t), t.TypeCodes())
	case *v15.DictionaryType:
		return &arrow.DictionaryType{IndexType: plain(t.IndexType), ValueType: modern(t.ValueType)}
	case *v15.RunEndEncodedType:
		return arrow.RunEndEncodedOf(plain(t.RunEnds()), modern(t.Encoded()))
	}
	return plain(typ)
}

func modernFields(typ v15.NestedType) []arrow.Field {
	fields := make([]arrow.Field, len(typ.Fields()))
	for i, f := range typ.Fields() {
		fields[i] = arrow.Field{Name: f.Name, Type: modern(f.Type), Nullable: f.Nullable}
	}
	return fields
}

// plain returns a type of v15 in v18.
func plain(typ v15.DataType) arrow.DataType {
	return convert.ToLayout(v15.NewSchema([]v15.Field{{Type: typ, Nullable: true}}, nil)).Field(0).Type
}
