package tablefile

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// TestReadNeedsNoZeros reads all types into memory that is not zero.
func TestReadNeedsNoZeros(t *testing.T) {
	mem := memory.DefaultAllocator
	for _, table := range []arrow.Table{flatTable(t, mem, 500, 2), nestedTable(t, mem), dictionaryTable(t, mem)} {
		for _, format := range binaryFormats {
			b := writeBytes(t, table, format, WriteOptions{})
			in, err := readBytes(t, b, ReadOptions{Format: format, Allocator: used{mem}})
			require.NoError(t, err)
			require.Equal(t, textOf(t, table), textOf(t, in.Table), format)
			in.Table.Release()
		}
		table.Release()
	}
}

// used is an allocator of memory that holds something.
type used struct{ memory.Allocator }

func (u used) Allocate(size int) []byte {
	b := u.Allocator.Allocate(size)
	for i := range b {
		b[i] = 0xAA
	}
	return b
}

func (u used) Reallocate(size int, b []byte) []byte {
	if size <= cap(b) {
		return b[:size]
	}
	grown := u.Allocate(size)
	copy(grown, b)
	return grown
}

// impossibleTypes have parameters that no type of Arrow has.
func impossibleTypes() (types []arrow.DataType) {
	for _, digits := range []int32{math.MinInt32, -1, 0, 77, math.MaxInt32} {
		types = append(types, &arrow.Decimal128Type{Precision: digits},
			&arrow.Decimal256Type{Precision: digits, Scale: 38})
	}
	for _, unit := range []arrow.TimeUnit{-1, 4, 99} {
		types = append(types, &arrow.DurationType{Unit: unit}, &arrow.TimestampType{Unit: unit, TimeZone: "UTC"})
	}
	return append(types, &arrow.Decimal128Type{Precision: 39}, &arrow.FixedSizeBinaryType{ByteWidth: -1},
		&arrow.Time32Type{Unit: arrow.Nanosecond}, &arrow.Time64Type{Unit: arrow.Second})
}

// extremeTypes have parameters at the ends of what they may be.
func extremeTypes() (types []arrow.DataType) {
	for _, scale := range []int32{math.MinInt32, -1, 0, 1, 39, 77, math.MaxInt32} {
		types = append(types,
			&arrow.Decimal128Type{Precision: 1, Scale: scale}, &arrow.Decimal128Type{Precision: 38, Scale: scale},
			&arrow.Decimal256Type{Precision: 1, Scale: scale}, &arrow.Decimal256Type{Precision: 76, Scale: scale})
	}
	for _, zone := range []string{"", "Mars/Phobos", "+25:99", "-00:00", strings.Repeat("x", 300)} {
		types = append(types, &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: zone})
	}
	for _, width := range []int{0, 1, 1 << 12} {
		types = append(types, &arrow.FixedSizeBinaryType{ByteWidth: width})
	}
	return append(types, arrow.FixedWidthTypes.Time32s, &arrow.TimestampType{Unit: arrow.Second},
		arrow.FixedSizeListOf(1<<10, arrow.PrimitiveTypes.Int8), arrow.FixedSizeListOf(1, arrow.Null), arrow.StructOf(),
		arrow.ListOf(arrow.Null), arrow.StructOf(arrow.Field{Name: "a", Type: arrow.Null, Nullable: true}))
}

// extremeTable has rows of a type, by itself or in a struct.
func extremeTable(typ arrow.DataType, nested bool, rows int) arrow.Table {
	if nested {
		typ = arrow.StructOf(arrow.Field{Name: "inner", Type: typ, Nullable: true})
	}
	field := arrow.Field{Name: "column", Type: typ, Nullable: true}
	a := arrowtest.Random(rand.New(rand.NewPCG(testrun.Seed(), 1)), typ, rows, 0.2, memory.DefaultAllocator)
	column := arrow.NewColumn(field, arrow.NewChunked(typ, []arrow.Array{a}))
	return array.NewTable(arrow.NewSchema([]arrow.Field{field}, nil), []arrow.Column{*column}, int64(rows))
}

// requireCalm makes sure that an error of writing names the column and what is wrong in words, and that no file is
// called corrupted: the data are.
func requireCalm(t *testing.T, err error, name string) {
	require.NotErrorIs(t, err, ErrCorrupt, name)
	require.ErrorContains(t, err, `column "column`, name)
	for _, text := range []string{"runtime", "out of range", "panic", "nil pointer", "conversion", "invalid"} {
		require.NotContains(t, err.Error(), text, name)
	}
}

func TestImpossibleTypesAreErrorsThatNameThem(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	for _, typ := range impossibleTypes() {
		for _, format := range []Format{Parquet, IPCFile, IPCStream, CSV} {
			for _, typ := range []arrow.DataType{typ, arrow.ListOf(typ),
				&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: typ}} {
				schema := arrow.NewSchema([]arrow.Field{{Name: "column", Type: typ}}, nil)
				err := CheckSchema(t.Context(), path, schema, WriteOptions{Format: format})
				require.ErrorIs(t, err, ErrUnsupported)
				requireCalm(t, err, typ.Name())
			}
		}
	}
}

// TestExtremeTypes writes them to every format: what is written is read again as it was, and what is not is an error
// in words before the first row, or names the row whose value does not fit.
func TestExtremeTypes(t *testing.T) {
	for _, typ := range extremeTypes() {
		for _, format := range []Format{Parquet, IPCFile, IPCStream, CSV} {
			for _, nested := range []bool{false, true} {
				table, path := extremeTable(typ, nested, 7), filepath.Join(t.TempDir(), "out")
				name := string(format) + " " + table.Schema().Field(0).Type.String()
				if _, err := Write(t.Context(), path, table, WriteOptions{Format: format}); err != nil {
					requireCalm(t, err, name)
					continue
				}
				in, err := Read(t.Context(), path, ReadOptions{Format: format})
				require.NoError(t, err, name)
				want := table.Schema().Field(0).Type
				if format != CSV && inParquet(want).String() == want.String() {
					require.Equal(t, want.String(), in.Schema.Field(0).Type.String(), name)
					values := arrowtest.Values(in.Table.Column(0).Data())
					require.Equal(t, arrowtest.Values(table.Column(0).Data()), values, name)
				}
				in.Table.Release()
			}
		}
	}
}

// TestValuesThatParquetCannotHoldAreErrors: their bytes would be cut off.
func TestValuesThatParquetCannotHoldAreErrors(t *testing.T) {
	least := make([]byte, 32)
	least[15], least[31] = 0x80, 0x80
	for _, c := range []struct {
		typ   arrow.DataType
		bytes []byte
	}{
		{&arrow.Decimal128Type{Precision: 2}, append([]byte{100}, make([]byte, 15)...)},
		{&arrow.Decimal128Type{Precision: 38}, least[:16]},
		{&arrow.Decimal256Type{Precision: 20}, least},
		{&arrow.TimestampType{Unit: arrow.Second}, []byte{0, 0, 0, 0, 0, 0, 0, 0x40}},
		{arrow.FixedWidthTypes.Time32s, []byte{0, 0, 0, 0x40}},
	} {
		width := c.typ.(arrow.FixedWidthDataType).Bytes()
		values := memory.NewBufferBytes(append(make([]byte, width), c.bytes...))
		for _, valid := range []byte{0b11, 0b01} {
			d := array.NewData(c.typ, 2, []*memory.Buffer{memory.NewBufferBytes([]byte{valid}), values}, nil, -1, 0)
			field := arrow.Field{Name: "column", Type: c.typ, Nullable: true}
			column := arrow.NewColumn(field, arrow.NewChunked(c.typ, []arrow.Array{array.MakeFromData(d)}))
			table := array.NewTable(arrow.NewSchema([]arrow.Field{field}, nil), []arrow.Column{*column}, 2)
			_, err := Write(t.Context(), filepath.Join(t.TempDir(), "out"), table, WriteOptions{Format: Parquet})
			if valid == 0b01 {
				require.NoError(t, err, "the value is null")
				continue
			}
			require.ErrorContains(t, err, `column "column": row 1 of the output holds a`)
			requireCalm(t, err, c.typ.String())
		}
	}
}
