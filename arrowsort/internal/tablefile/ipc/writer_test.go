package ipc

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/float16"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/allocators"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
)

func TestExtensionsOfDictionariesAreNotWritten(t *testing.T) {
	dictionary := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	extension := arrowtest.NewExtension(dictionary)
	for _, typ := range []arrow.DataType{extension, arrow.ListOf(extension)} {
		table := arrowtest.RandomTable(typ, 0, nil, 1)
		_, err := NewWriter(io.Discard, table.Schema(), Options{File: true})
		require.ErrorIs(t, err, errkind.ErrUnsupported)
		require.ErrorContains(t, err, `column "v": type `+typ.String())
	}
}

func TestAbortReleasesDictionaries(t *testing.T) {
	mem := arrowtest.Checked(t)
	typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	rows := arrowtest.Random(rand.New(rand.NewPCG(1, 1)), typ, 10, 0, mem)
	schema := arrow.NewSchema([]arrow.Field{{Name: "v", Type: typ}}, nil)
	record := array.NewRecord(schema, []arrow.Array{rows}, 10)
	rows.Release()
	defer record.Release()
	for _, file := range []bool{true, false} {
		for _, closed := range []bool{true, false} {
			w, err := NewWriter(io.Discard, schema, Options{File: file, Allocator: mem})
			require.NoError(t, err)
			require.NoError(t, w.Write(record))
			if closed {
				require.NoError(t, w.Close())
			}
			w.Abort()
		}
	}
}

// Float16 infinities are not equal to themselves where Arrow compares dictionaries by their values.
func TestBatchesOfOneDictionaryOfInfinities(t *testing.T) {
	typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.FixedWidthTypes.Float16}
	values := array.NewFloat16Builder(memory.DefaultAllocator)
	values.Append(float16.New(float32(math.Inf(1))))
	indices := array.NewInt8Builder(memory.DefaultAllocator)
	indices.AppendValues([]int8{0, 0}, nil)
	rows := array.NewDictionaryArray(typ, indices.NewArray(), values.NewArray())
	nested, err := array.NewStructArray([]arrow.Array{rows}, []string{"d"})
	require.NoError(t, err)
	schema := arrow.NewSchema([]arrow.Field{{Name: "s", Type: nested.DataType()}}, nil)
	w, err := NewWriter(io.Discard, schema, Options{File: true, Allocator: memory.DefaultAllocator})
	require.NoError(t, err)
	for row := range int64(2) {
		batch := array.NewSlice(nested, row, row+1)
		require.NoError(t, w.Write(array.NewRecord(schema, []arrow.Array{batch}, 1)))
	}
	require.NoError(t, w.Close())
}

// Arrow's writer makes the validity of rows that are all null of memory that it takes to be zero.
func TestNullsInMemoryThatIsNotZero(t *testing.T) {
	const n = 100_000
	mem := allocators.NewRecycler(nil, 0)
	defer mem.Release()
	used := mem.Allocate(n / 8)
	copy(used, bytes.Repeat([]byte{0xff}, n))
	mem.Free(used)
	nulls := arraydata.Nulls(memory.DefaultAllocator, arrow.PrimitiveTypes.Int64, n)
	defer nulls.Release()
	schema := arrow.NewSchema([]arrow.Field{{Name: "v", Type: nulls.DataType(), Nullable: true}}, nil)
	rec := array.NewRecord(schema, []arrow.Array{nulls}, n)
	defer rec.Release()
	table := array.NewTableFromRecords(schema, []arrow.Record{rec})
	defer table.Release()
	read, err := read(written(t, table, Options{Allocator: mem}), Options{})
	require.NoError(t, err)
	defer read.Release()
	require.EqualValues(t, n, read.Column(0).NullN())
}

// TestEveryTypeSurvivesArrowFilesAndStreams compares what is read with what was written, value by value.
func TestEveryTypeSurvivesArrowFilesAndStreams(t *testing.T) {
	require.NoError(t, arrow.RegisterExtensionType(arrowtest.NewExtension(arrow.PrimitiveTypes.Int32)))
	t.Cleanup(func() { require.NoError(t, arrow.UnregisterExtensionType("arrowtest")) })
	for i, typ := range arrowtest.Types() {
		if extendsDictionary(typ) {
			continue
		}
		for _, nulls := range []float64{0, 0.3, 1} {
			for _, rows := range [][]int{{}, {0}, {1}, {20, 0, 7, 33}} {
				t.Run(fmt.Sprintf("%s/nulls=%v/rows=%v", typ, nulls, rows), func(t *testing.T) {
					table := arrowtest.RandomTable(typ, nulls, rows, uint64(i))
					for _, codec := range []string{"none", "lz4"} {
						requireSurvives(t, table, Options{Codec: codec})
						requireSurvives(t, table, Options{Codec: codec, File: true})
					}
				})
			}
		}
	}
}

// TestSlicesOfEveryLengthSurvive writes slices from rows 0, 1 and 2 on, of lengths around a multiple of 64 bytes: of
// sparse unions the writer of Arrow took the padding from where there was none.
func TestSlicesOfEveryLengthSurvive(t *testing.T) {
	require.NoError(t, arrow.RegisterExtensionType(arrowtest.NewExtension(arrow.PrimitiveTypes.Int32)))
	t.Cleanup(func() { require.NoError(t, arrow.UnregisterExtensionType("arrowtest")) })
	for i, typ := range arrowtest.Types() {
		if extendsDictionary(typ) {
			continue
		}
		for n := 59; n < 68; n++ {
			table := arrowtest.RandomTable(typ, 0.2, []int{n, n, n}, uint64(i))
			requireSurvives(t, table, Options{})
			requireSurvives(t, table, Options{File: true})
		}
	}
}

func requireSurvives(t *testing.T, table arrow.Table, opts Options) {
	t.Helper()
	got, err := read(written(t, table, opts), opts)
	require.NoError(t, err)
	defer got.Release()
	require.Equal(t, table.Schema().String(), got.Schema().String())
	for c := range 2 {
		require.Equal(t, arrowtest.Values(table.Column(c).Data()), arrowtest.Values(got.Column(c).Data()), "%v", opts)
	}
}

// TestSlicesOfViewsHaveTheirValuesOnly: a record batch of a few rows of a large array is no larger than these rows.
func TestSlicesOfViewsHaveTheirValuesOnly(t *testing.T) {
	for _, typ := range []arrow.DataType{arrow.BinaryTypes.StringView, arrow.BinaryTypes.BinaryView} {
		table := arrowtest.RandomTable(typ, 0.2, []int{20_000}, 1)
		column := table.Column(0)
		piece := array.NewChunkedSlice(column.Data(), 9_001, 9_041)
		schema := arrow.NewSchema([]arrow.Field{column.Field()}, nil)
		rows := array.NewTable(schema, []arrow.Column{*arrow.NewColumn(column.Field(), piece)}, 40)
		file := written(t, rows, Options{})
		require.Less(t, len(file), 20_000)
		got, err := read(file, Options{})
		require.NoError(t, err)
		require.Equal(t, arrowtest.Values(piece), arrowtest.Values(got.Column(0).Data()))
		got.Release()
	}
}

// TestCopiedViewsOfNullsReferToNothing: readers such as Polars check the views of null rows, too.
func TestCopiedViewsOfNullsReferToNothing(t *testing.T) {
	text := arrowtest.FromJSON(t, arrow.BinaryTypes.StringView,
		`["a text alone in its buffer", "another text", "one more text"]`)
	buffers := slices.Clone(text.Data().Buffers())
	buffers[0] = memory.NewBufferBytes([]byte{0b100})
	d := array.NewData(text.DataType(), 3, buffers, nil, 2, 0)
	plain := compactViews(d, memory.DefaultAllocator)
	require.Less(t, plain.Buffers()[2].Len(), text.Data().Buffers()[2].Len())
	views := arrow.ViewHeaderTraits.CastFromBytes(plain.Buffers()[1].Bytes())
	require.Equal(t, []arrow.ViewHeader{{}, {}}, views[:2])
	require.Equal(t, "one more text", array.MakeFromData(plain).ValueStr(2))
}
