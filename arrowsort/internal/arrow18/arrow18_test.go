package arrow18

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	v15 "github.com/apache/arrow/go/v15/arrow"
	array15 "github.com/apache/arrow/go/v15/arrow/array"
	ipc15 "github.com/apache/arrow/go/v15/arrow/ipc"
	memory15 "github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
)

// containers are types that have a type inside.
func containers(typ v15.DataType) []v15.DataType {
	meta := v15.NewMetadata([]string{"of"}, []string{"the element"})
	elem := v15.Field{Name: "odd name", Type: typ, Nullable: true, Metadata: meta}
	sorted := v15.MapOf(v15.BinaryTypes.String, typ)
	sorted.KeysSorted = true
	codes := []v15.UnionTypeCode{7}
	types := []v15.DataType{
		typ, v15.ListOfField(elem), v15.ListOfNonNullable(typ), v15.FixedSizeListOfField(2, elem), v15.StructOf(elem),
		v15.LargeListOf(typ), v15.ListViewOf(typ), v15.LargeListViewOf(typ),
		sorted, v15.SparseUnionOf([]v15.Field{elem}, codes), v15.DenseUnionOf([]v15.Field{elem}, codes),
	}
	if id := typ.ID(); id != v15.EXTENSION { // a message has no place for its name there
		types = append(types, v15.RunEndEncodedOf(v15.PrimitiveTypes.Int32, typ))
		if id != v15.DICTIONARY {
			index := v15.PrimitiveTypes.Uint8
			types = append(types, &v15.DictionaryType{IndexType: index, ValueType: typ, Ordered: true})
		}
	}
	return types
}

func forEveryType(t *testing.T, test func(t *testing.T, typ v15.DataType)) {
	require.NoError(t, v15.RegisterExtensionType(arrowtest.NewExtension(v15.Null)))
	t.Cleanup(func() { require.NoError(t, v15.UnregisterExtensionType("arrowtest")) })
	for _, typ := range arrowtest.Types() {
		if ext, ok := typ.(v15.ExtensionType); ok && ext.StorageType().ID() == v15.DICTIONARY {
			continue // v15 writes no message with it
		}
		for _, typ := range containers(typ) {
			t.Run(typ.String(), func(t *testing.T) { test(t, typ) })
		}
	}
}

// fromSchema converts a schema of v18 by a message. An extension type that is registered in v18 only becomes its
// storage type, with its name and parameters in the metadata of the field.
func fromSchema(t *testing.T, sc *arrow.Schema) *v15.Schema {
	var message bytes.Buffer
	require.NoError(t, ipc.NewWriter(&message, ipc.WithSchema(sc)).Close())
	r, err := ipc15.NewReader(&message)
	require.NoError(t, err)
	defer r.Release()
	return r.Schema()
}

func TestSchemasOfEveryTypeComeBackAsTheyWere(t *testing.T) {
	forEveryType(t, func(t *testing.T, typ v15.DataType) {
		meta := v15.NewMetadata([]string{"l", "k"}, []string{"v", ""})
		of := v15.NewMetadata([]string{"field"}, []string{"1"})
		fields := []v15.Field{{Name: "a", Type: typ, Nullable: true, Metadata: of}, {Name: "", Type: typ}}
		sc := v15.NewSchema(fields, &meta)
		there := ToSchema(sc)
		require.Equal(t, meta.Keys(), there.Metadata().Keys())
		back := fromSchema(t, there)
		require.Equal(t, sc.String(), back.String())
		require.True(t, sc.Equal(back))
		require.True(t, sc.Metadata().Equal(back.Metadata()))
	})
}

func TestArraysOfEveryTypeComeBackAsTheyWereFromTheSameMemory(t *testing.T) {
	forEveryType(t, func(t *testing.T, typ v15.DataType) {
		rng := rand.New(rand.NewPCG(1, 2))
		mem := memory15.NewCheckedAllocator(memory15.DefaultAllocator)
		defer mem.AssertSize(t, 0)
		field := ToSchema(v15.NewSchema([]v15.Field{{Name: "a", Type: typ, Nullable: true}}, nil)).Field(0)
		for _, a := range []v15.Array{
			arrowtest.Random(rng, typ, 0, 0, mem), arrowtest.Random(rng, typ, 50, 0, mem),
			arrowtest.RandomSlice(rng, typ, 50, 13, 0.3, mem),
		} {
			want := make([]string, a.Len())
			for i := range want {
				want[i] = arrowtest.Value(a, i)
			}
			held := mem.CurrentAlloc()
			there := ToArray(a, field.Type)
			a.Release()
			back := FromArray(there, typ)
			requireSameMemory(t, there.Data(), back.Data())
			require.Equal(t, held, mem.CurrentAlloc(), "nothing is copied, and all is held")
			there.Release()
			require.True(t, v15.TypeEqual(typ, back.DataType()))
			for i := range want {
				require.Equal(t, want[i], arrowtest.Value(back, i))
			}
			back.Release()
		}
	})
}

func requireSameMemory(t *testing.T, a arrow.ArrayData, b v15.ArrayData) {
	require.Len(t, a.Buffers(), len(b.Buffers()))
	for i, buffer := range a.Buffers() {
		if buffer == nil || buffer.Len() == 0 {
			continue
		}
		require.Same(t, &buffer.Bytes()[0], &b.Buffers()[i].Bytes()[0])
	}
	require.Len(t, a.Children(), len(b.Children()))
	for i, child := range a.Children() {
		requireSameMemory(t, child, b.Children()[i])
	}
}

func TestRowsOfV18AreThoseOfV15(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, typ := range []v15.DataType{
		v15.PrimitiveTypes.Int64, v15.BinaryTypes.String, v15.FixedWidthTypes.Boolean,
		v15.ListOf(v15.BinaryTypes.String), &v15.Decimal128Type{Precision: 20},
		v15.FixedSizeListOf(3, v15.PrimitiveTypes.Int8), v15.BinaryTypes.StringView,
		v15.StructOf(v15.Field{Name: "a", Type: v15.PrimitiveTypes.Uint16, Nullable: true}),
		&v15.DictionaryType{IndexType: v15.PrimitiveTypes.Int8, ValueType: v15.BinaryTypes.String},
	} {
		a := arrowtest.RandomSlice(rng, typ, 100, 7, 0.2, memory15.DefaultAllocator)
		field := ToSchema(v15.NewSchema([]v15.Field{{Name: "a", Type: typ, Nullable: true}}, nil)).Field(0)
		there := ToArray(a, field.Type)
		for i := range a.Len() {
			require.Equal(t, a.IsNull(i), there.IsNull(i))
			require.Equal(t, a.ValueStr(i), there.ValueStr(i), "%s", typ)
		}
	}
}

func TestAnExtensionTypeOfOneVersionIsItsStorageInTheOther(t *testing.T) {
	b := array.NewFixedSizeBinaryBuilder(memory.DefaultAllocator, &arrow.FixedSizeBinaryType{ByteWidth: 16})
	b.Append([]byte("0123456789abcdef"))
	uuid := array.NewExtensionArrayWithStorage(extensions.NewUUIDType(), b.NewArray())
	f := fromSchema(t, arrow.NewSchema([]arrow.Field{{Name: "u", Type: uuid.DataType()}}, nil)).Field(0)
	require.Equal(t, &v15.FixedSizeBinaryType{ByteWidth: 16}, f.Type)
	name, _ := f.Metadata.GetValue("ARROW:extension:name")
	require.Equal(t, "arrow.uuid", name)
	require.Equal(t, "0123456789abcdef", string(FromArray(uuid, f.Type).(*array15.FixedSizeBinary).Value(0)))
	require.True(t, arrow.TypeEqual(uuid.DataType(), ToParquetSchema(v15.NewSchema([]v15.Field{f}, nil)).Field(0).Type))
}

func TestChunksOfAColumn(t *testing.T) {
	b := array15.NewInt32Builder(memory15.DefaultAllocator)
	b.AppendValues([]int32{1, 2}, nil)
	one := b.NewArray()
	b.Append(3)
	rows := v15.NewChunked(v15.PrimitiveTypes.Int32, []v15.Array{one, b.NewArray()})
	there := ToChunked(rows, arrow.PrimitiveTypes.Int32)
	require.Equal(t, 3, there.Len())
	require.Equal(t, "[1 2]", there.Chunk(0).String())
	require.Equal(t, "[3]", there.Chunk(1).String())
}

// The names are those of types that v18 has registered, and that it would refuse or rename.
func TestSchemasKeepMetadataOfNestedFieldsAsItIs(t *testing.T) {
	named := func(name, parameters string, typ v15.DataType) v15.Field {
		meta := v15.NewMetadata([]string{"z", "ARROW:extension:name", "ARROW:extension:metadata"},
			[]string{"", name, parameters})
		return v15.Field{Name: "f", Type: typ, Metadata: meta}
	}
	for _, f := range []v15.Field{
		named("arrow.json", "{ }", v15.BinaryTypes.Binary), named("arrow.uuid", "text", v15.BinaryTypes.String),
		named("parquet.variant", "", v15.StructOf(v15.Field{Name: "x", Type: v15.PrimitiveTypes.Int8, Nullable: true})),
	} {
		storage := ToSchema(v15.NewSchema([]v15.Field{{Name: "s", Type: v15.StructOf(f)}, f}, nil))
		for _, got := range []arrow.Field{storage.Field(0).Type.(*arrow.StructType).Field(0), storage.Field(1)} {
			require.Equal(t, f.Metadata.Keys(), got.Metadata.Keys())
			require.Equal(t, f.Metadata.Values(), got.Metadata.Values())
			require.Equal(t, f.Type.ID().String(), got.Type.ID().String())
		}
	}
}

func TestDictionariesThatAreOneStayOne(t *testing.T) {
	mem := memory15.NewCheckedAllocator(memory15.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	rng := rand.New(rand.NewPCG(5, 6))
	typ := v15.StructOf(v15.Field{Name: "d", Nullable: true,
		Type: &v15.DictionaryType{IndexType: v15.PrimitiveTypes.Int8, ValueType: v15.FixedWidthTypes.Float16}})
	storage := ToSchema(v15.NewSchema([]v15.Field{{Name: "s", Type: typ}}, nil)).Field(0).Type
	rows := arrowtest.Random(rng, typ, 20, 0, mem)
	other := arrowtest.Random(rng, typ, 20, 0, mem)
	dictionaryOf := func(a arrow.Array) arrow.ArrayData { return a.Data().Children()[0].Dictionary() }

	var dicts Dictionaries
	var last arrow.ArrayData
	for from := range int64(3) { // batches of one array
		slice := array15.NewSlice(rows, from, from+5)
		there := dicts.ToArray(slice, storage)
		require.True(t, last == nil || last == dictionaryOf(there))
		last = dictionaryOf(there)
		there.Release()
		slice.Release()
		dicts.Forget()
	}
	there := dicts.ToArray(other, storage)
	require.NotEqual(t, last, dictionaryOf(there))
	there.Release()
	dicts.Forget()
	rows.Release()
	dicts.Forget()
	other.Release()
	dicts.Release()
}
