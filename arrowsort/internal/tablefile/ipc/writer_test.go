package ipc

import (
	"bytes"
	"io"
	"math"
	"math/rand/v2"
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
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
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
