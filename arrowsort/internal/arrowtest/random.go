package arrowtest

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"
)

// Random returns an array of n random rows of any type, of which about the share nulls (0 to 1) are null, at every
// level.
//
// Values repeat often enough to tie and cover the whole range of their type; there is no NaN, so that array.Equal can
// be used. Nulls have undefined values, and so have bits after the last row. Views refer to two buffers, lists of views
// overlap and are out of order. Run ends of 16 bits allow n up to 32,767. The caller releases the array.
func Random(rng *rand.Rand, typ arrow.DataType, n int, nulls float64, mem memory.Allocator) arrow.Array {
	g := &generator{rng: rng, nulls: nulls, mem: mem}
	data := g.data(typ, n)
	defer data.Release()
	return array.MakeFromData(data)
}

// RandomSlice is Random for an array that is a slice: offset rows lie before its n rows and a few after them.
func RandomSlice(rng *rand.Rand, typ arrow.DataType, n, offset int, nulls float64, mem memory.Allocator) arrow.Array {
	whole := Random(rng, typ, offset+n+rng.IntN(4), nulls, mem)
	defer whole.Release()
	return array.NewSlice(whole, int64(offset), int64(offset+n))
}

// Checked returns an allocator that fails a test in which something stays allocated. It is checked after all functions
// that are given to Cleanup later.
func Checked(t testing.TB) *memory.CheckedAllocator {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	t.Cleanup(func() { mem.AssertSize(t, 0) })
	return mem
}

// ReadFile returns the bytes of a file.
func ReadFile(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return b
}

type generator struct {
	rng   *rand.Rand
	nulls float64
	mem   memory.Allocator
}

func (g *generator) data(typ arrow.DataType, n int) *array.Data {
	switch t := typ.(type) {
	case *arrow.NullType:
		return array.NewData(typ, n, []*memory.Buffer{nil}, nil, n, 0)
	case arrow.ExtensionType:
		return g.extension(t, n)
	case *arrow.BooleanType:
		return g.finish(typ, n, g.randomBytes(int(bitutil.BytesForBits(int64(n)))))
	case *arrow.StringType, *arrow.BinaryType:
		return g.strings(typ, n, 4)
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		return g.strings(typ, n, 8)
	case *arrow.StringViewType, *arrow.BinaryViewType:
		return g.views(typ, n)
	case *arrow.DictionaryType:
		return g.dictionary(t, n)
	case arrow.NestedType:
		return g.nested(typ, n)
	case arrow.FixedWidthDataType:
		return g.finish(typ, n, g.fixed(typ, t.Bytes(), n))
	}
	panic(fmt.Sprintf("arrowtest: no generator for %s", typ))
}

// finish makes data with random validity from buffers, which it releases.
func (g *generator) finish(typ arrow.DataType, n int, buffers ...*memory.Buffer) *array.Data {
	return g.finishNested(typ, n, nil, buffers...)
}

func (g *generator) finishNested(
	typ arrow.DataType, n int, children []arrow.ArrayData, buffers ...*memory.Buffer,
) *array.Data {
	validity, nulls := g.validity(n)
	all := append([]*memory.Buffer{validity}, buffers...)
	data := array.NewData(typ, n, all, children, nulls, 0)
	for _, b := range all {
		if b != nil {
			b.Release()
		}
	}
	for _, c := range children {
		c.Release()
	}
	return data
}

// validity is nil without nulls; the null count is unknown at times.
func (g *generator) validity(n int) (*memory.Buffer, int) {
	if g.nulls == 0 {
		return nil, 0
	}
	b := g.randomBytes(int(bitutil.BytesForBits(int64(n))))
	nulls := 0
	for i := range n {
		null := g.rng.Float64() < g.nulls
		bitutil.SetBitTo(b.Bytes(), i, !null)
		if null {
			nulls++
		}
	}
	if g.rng.IntN(4) == 0 {
		nulls = array.UnknownNullCount
	}
	return b, nulls
}

func (g *generator) buffer(size int) *memory.Buffer {
	b := memory.NewResizableBuffer(g.mem)
	b.Resize(size)
	return b
}

func (g *generator) randomBytes(size int) *memory.Buffer {
	b := g.buffer(size)
	for i := range b.Bytes() {
		b.Bytes()[i] = byte(g.rng.Uint32())
	}
	return b
}

// fixed returns n values of width bytes, drawn so that they are values of their type.
func (g *generator) fixed(typ arrow.DataType, width, n int) *memory.Buffer {
	b := g.randomBytes(width * n)
	for i := range n {
		v := b.Bytes()[i*width : (i+1)*width]
		if i > 0 && g.rng.IntN(4) == 0 {
			copy(v, b.Bytes()[g.rng.IntN(i)*width:][:width])
			continue
		}
		g.value(typ, v)
	}
	return b
}

func (g *generator) value(typ arrow.DataType, v []byte) {
	le := binary.LittleEndian
	small := g.rng.IntN(2) == 0
	switch typ.ID() {
	case arrow.FLOAT16:
		le.PutUint16(v, le.Uint16(v)&0xBFFF) // without the highest bit of the exponent: finite
	case arrow.FLOAT32:
		le.PutUint32(v, math.Float32bits(float32(g.rng.NormFloat64()*1e3)))
	case arrow.FLOAT64:
		le.PutUint64(v, math.Float64bits(g.rng.NormFloat64()*1e3))
	case arrow.TIME32:
		le.PutUint32(v, uint32(g.rng.IntN(86_400)))
	case arrow.TIME64, arrow.DATE64:
		le.PutUint64(v, uint64(g.rng.Int64N(86_400_000_000)))
	case arrow.DATE32:
		le.PutUint32(v, uint32(int32(g.rng.IntN(60_000)-20_000)))
	case arrow.TIMESTAMP:
		le.PutUint64(v, uint64(g.rng.Int64N(4_000_000_000)-1_000_000_000))
	case arrow.DECIMAL128, arrow.DECIMAL256:
		fillSigned(v, int64(le.Uint64(v))>>g.rng.IntN(60))
	case arrow.INT16, arrow.INT32, arrow.INT64:
		if small {
			fillSigned(v, int64(g.rng.IntN(200)-100))
		}
	case arrow.UINT16, arrow.UINT32, arrow.UINT64:
		if small {
			fillSigned(v, int64(g.rng.IntN(200)))
		}
	}
}

// fillSigned stores x in the bytes of v.
func fillSigned(v []byte, x int64) {
	for i := range v {
		v[i] = byte(x >> min(8*i, 63))
	}
}

func (g *generator) extension(typ arrow.ExtensionType, n int) *array.Data {
	storage := g.data(typ.StorageType(), n)
	defer storage.Release()
	data := storage.Copy()
	data.Reset(typ, n, data.Buffers(), data.Children(), storage.NullN(), 0)
	// Reset retains what it is given before it releases what it held: the same, so the counts are as before.
	return data
}

// FromJSON returns an array of the values of a JSON list.
func FromJSON(t testing.TB, typ arrow.DataType, values string) arrow.Array {
	t.Helper()
	a, _, err := array.FromJSON(memory.DefaultAllocator, typ, strings.NewReader(values), array.WithUseNumber())
	require.NoError(t, err)
	return a
}

// RandomTable has a column v of a type, in batches of rows[i] rows that are slices of longer arrays, and after it a
// column s of strings, which comes out wrong when a reader or writer takes too much or too little of the first column.
func RandomTable(typ arrow.DataType, nulls float64, rows []int, seed uint64) arrow.Table {
	rng := rand.New(rand.NewPCG(seed, 1))
	meta := arrow.MetadataFrom(map[string]string{"unit": "m"})
	ofSchema := arrow.MetadataFrom(map[string]string{"owner": "tests"})
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "v", Type: typ, Nullable: nulls > 0, Metadata: meta},
		{Name: "s", Type: arrow.BinaryTypes.StringView, Nullable: true},
	}, &ofSchema)
	var records []arrow.Record
	for i, n := range rows {
		columns := []arrow.Array{
			RandomSlice(rng, typ, n, i%3, nulls, memory.DefaultAllocator),
			RandomSlice(rng, arrow.BinaryTypes.StringView, n, i%2, 0.3, memory.DefaultAllocator),
		}
		records = append(records, array.NewRecord(schema, columns, int64(n)))
	}
	return array.NewTableFromRecords(schema, records)
}

// Values returns the values of a column as text, across its chunks, see Value.
func Values(column *arrow.Chunked) (values []string) {
	for _, c := range column.Chunks() {
		for i := range c.Len() {
			values = append(values, Value(c, i))
		}
	}
	return values
}

// Value writes row i of an array of any type as text that differs where values differ: fixed-width values, strings and
// binary values exactly, dictionary and run-end-encoded values as what they stand for.
func Value(arr arrow.Array, i int) string {
	switch a := arr.(type) {
	case *array.RunEndEncoded:
		return Value(a.Values(), a.GetPhysicalIndex(i))
	case *array.SparseUnion:
		return fmt.Sprintf("%d:%s", a.TypeCode(i), Value(a.Field(a.ChildID(i)), i))
	case *array.DenseUnion:
		return fmt.Sprintf("%d:%s", a.TypeCode(i), Value(a.Field(a.ChildID(i)), int(a.ValueOffset(i))))
	case *array.Null:
		return "null"
	}
	if arr.IsNull(i) {
		return "null"
	}
	switch a := arr.(type) {
	case array.ExtensionArray:
		return Value(a.Storage(), i)
	case *array.Dictionary:
		return Value(a.Dictionary(), a.GetValueIndex(i))
	case *array.Struct:
		fields := make([]string, a.NumField())
		for f := range fields {
			fields[f] = Value(a.Field(f), i)
		}
		return "{" + strings.Join(fields, ",") + "}"
	case array.ListLike:
		start, end := a.ValueOffsets(i)
		values := make([]string, 0, end-start)
		for k := start; k < end; k++ {
			values = append(values, Value(a.ListValues(), int(k)))
		}
		return "[" + strings.Join(values, ",") + "]"
	case *array.Boolean:
		return fmt.Sprint(a.Value(i))
	case interface{ Value(int) string }:
		return fmt.Sprintf("%q", a.Value(i))
	case interface{ Value(int) []byte }:
		return fmt.Sprintf("%q", a.Value(i))
	}
	data, width := arr.Data(), arr.DataType().(arrow.FixedWidthDataType).Bytes()
	return fmt.Sprintf("%x", data.Buffers()[1].Bytes()[(data.Offset()+i)*width:][:width])
}
