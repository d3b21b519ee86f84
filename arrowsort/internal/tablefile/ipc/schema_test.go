package ipc

import (
	"bytes"
	"encoding/binary"
	"reflect"
	"slices"
	"testing"

	arrow18 "github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	arrowipc18 "github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
)

// TestFootersNameSchemaAndMessages: the footer of a file lists its messages, and its schema becomes a message again.
func TestFootersNameSchemaAndMessages(t *testing.T) {
	for n := range 4 {
		typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
		file := written(t, arrowtest.RandomTable(typ, 0, slices.Repeat([]int{3}, n), 1), Options{File: true})
		limit := len(file) - len(Magic) - 4
		limit -= int(binary.LittleEndian.Uint32(file[limit:]))
		footer := file[limit : len(file)-len(Magic)-4]
		f, err := checkFooter(footer, int64(limit))
		require.NoError(t, err)
		require.Len(t, f.batches, n)
		for _, b := range append(f.dictionaries, f.batches...) {
			body, err := checkMessage(file[b.offset+8 : b.offset+b.meta])
			require.NoError(t, err)
			require.Equal(t, b.body, body)
		}
		message := schemaMessage(footer, f.schema)
		body, err := checkMessage(message[8:])
		require.NoError(t, err)
		require.Zero(t, body)
		c := newFlatChecker(message[8:])
		name, err := c.text(fieldAt(t, c), fieldName)
		require.NoError(t, err)
		require.Equal(t, "v", name)
	}
}

// fieldAt is the place of the first column in the schema of a message.
func fieldAt(t *testing.T, c *flatChecker) (first int) {
	schema := c.table(c.root(), messageHeader)
	require.NoError(t, c.each(schema, schemaFields, func(field int) error {
		if first == 0 {
			first = field
		}
		return nil
	}))
	return first
}

// schemaOf reads a stream of v18 without rows.
func schemaOf(t *testing.T, typ arrow18.DataType) (*arrow.Schema, error) {
	return schemaWith(t, arrow18.Field{Name: "column", Type: typ})
}

func schemaWith(t *testing.T, f arrow18.Field) (*arrow.Schema, error) {
	var b bytes.Buffer
	sc := arrow18.NewSchema([]arrow18.Field{f}, nil)
	require.NoError(t, arrowipc18.NewWriter(&b, arrowipc18.WithSchema(sc)).Close())
	r, err := OpenStream(&b, -1, memory.DefaultAllocator)
	if err != nil {
		return nil, err
	}
	defer r.Release()
	return r.Schema(), nil
}

func TestRunsDeclareWhetherTheirValuesCanBeNull(t *testing.T) {
	for _, nullable := range []bool{true, false} {
		runs := arrow18.RunEndEncodedOf(arrow18.PrimitiveTypes.Int32, arrow18.BinaryTypes.String)
		runs.ValueNullable = nullable
		sc, err := schemaOf(t, arrow18.ListOf(runs))
		require.NoError(t, err)
		require.Equal(t, nullable, sc.Field(0).Type.(*arrow.ListType).Elem().(*arrow.RunEndEncodedType).ValueNullable)
	}
}

// TestMetadataOfTheValuesOfRunsIsAnError: Arrow's types have no place for it.
func TestMetadataOfTheValuesOfRunsIsAnError(t *testing.T) {
	runs := arrow18.RunEndEncodedOf(arrow18.PrimitiveTypes.Int32, extensions.NewUUIDType())
	_, err := schemaOf(t, arrow18.StructOf(arrow18.Field{Name: "runs", Type: runs}))
	require.ErrorIs(t, err, errkind.ErrUnsupported)
	require.ErrorContains(t, err, `column "column.runs": `)
}

// sharing is an extension type whose types have one storage type.
type sharing struct{ arrow.ExtensionBase }

func (*sharing) ArrayType() reflect.Type                    { return nil }
func (*sharing) ExtensionName() string                      { return "sharing" }
func (*sharing) ExtensionEquals(e arrow.ExtensionType) bool { return e.ExtensionName() == "sharing" }
func (*sharing) Serialize() string                          { return "" }

func (s *sharing) Deserialize(arrow.DataType, string) (arrow.ExtensionType, error) {
	return s, nil
}

// TestTypesInsideExtensionTypesStay: those that a program registers may have their storage types in common.
func TestTypesInsideExtensionTypesStay(t *testing.T) {
	inside := arrow.MapOf(arrow.BinaryTypes.String, arrow.BinaryTypes.String)
	typ := &sharing{arrow.ExtensionBase{Storage: arrow.StructOf(arrow.Field{Name: "map", Type: inside})}}
	require.NoError(t, arrow.RegisterExtensionType(typ))
	t.Cleanup(func() { require.NoError(t, arrow.UnregisterExtensionType("sharing")) })
	note := arrow18.NewMetadata([]string{"note"}, []string{"1"})
	item := arrow18.Field{Name: "value", Type: arrow18.BinaryTypes.String, Metadata: note}
	storage := arrow18.MapOfFields(arrow18.Field{Name: "key", Type: item.Type}, item)
	field := arrow18.Field{Name: "column", Type: arrow18.StructOf(arrow18.Field{Name: "map", Type: storage}),
		Metadata: arrow18.NewMetadata([]string{"ARROW:extension:name"}, []string{"sharing"})}
	sc, err := schemaWith(t, field)
	require.NoError(t, err)
	require.Equal(t, typ, sc.Field(0).Type)
	require.Zero(t, inside.ItemField().Metadata.Len())
}

// TestMetadataOfTheEntriesOfMapsIsAnError, but for the number of a Parquet column, which gets lost.
func TestMetadataOfTheEntriesOfMapsIsAnError(t *testing.T) {
	for key, want := range map[string]error{FieldIDKey: nil, "note": errkind.ErrUnsupported} {
		meta := arrow18.NewMetadata([]string{key}, []string{"2"})
		entry := arrow18.StructOf(arrow18.Field{Name: "key", Type: arrow18.BinaryTypes.String},
			arrow18.Field{Name: "value", Type: arrow18.BinaryTypes.String})
		list := arrow18.ListOfField(arrow18.Field{Name: "entries", Type: entry, Metadata: meta})
		var b bytes.Buffer
		sc := arrow18.NewSchema([]arrow18.Field{{Name: "column", Type: list}}, nil)
		require.NoError(t, arrowipc18.NewWriter(&b, arrowipc18.WithSchema(sc)).Close())
		c := newFlatChecker(b.Bytes()[8:])
		column := c.at(c.tables(c.table(c.root(), messageHeader), schemaFields)[0])
		c.b[column.Pos+flatbuffers.UOffsetT(column.Offset(field(fieldTypeType)))] = typeMap // no writer has such a map
		r, err := OpenStream(&b, -1, memory.DefaultAllocator)
		require.ErrorIs(t, err, want)
		if want == nil {
			require.Equal(t, "map<utf8, utf8, items_non_nullable>", r.Schema().Field(0).Type.String())
			r.Release()
		}
	}
}
