package rows_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/model"
	"github.com/arrowsort/arrowsort/arrowsort/rows"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// A dataCase is data in chunks, whose rows are compared with the model.
type dataCase struct {
	schema  *arrow.Schema
	columns [][]arrow.Array
	keys    []arrowsort.Key
	model   []model.Key
	rows    int
}

func (c *dataCase) add(chunks ...arrow.Array) {
	field := arrow.Field{Name: string(rune('a' + len(c.columns))), Type: chunks[0].DataType(), Nullable: true}
	var fields []arrow.Field
	if c.schema != nil {
		fields = c.schema.Fields()
	}
	c.schema = arrow.NewSchema(append(fields[:len(fields):len(fields)], field), nil)
	c.columns = append(c.columns, chunks)
}

// by adds a key: a column, or a field of it.
func (c *dataCase) by(mode arrowsort.Key, column int, fields ...int) {
	key := mode
	key.Path = c.schema.Field(column).Name
	typ := c.schema.Field(column).Type
	for _, f := range fields {
		field := typ.(*arrow.StructType).Field(f)
		key.Path += "." + field.Name
		typ = field.Type
	}
	c.keys = append(c.keys, key)
	c.model = append(c.model, model.Key{Column: column, Fields: fields,
		Descending: key.Order == arrowsort.Descending, NullsFirst: key.Nulls == arrowsort.NullsAtStart})
}

func (c *dataCase) release() {
	for _, chunks := range c.columns {
		for _, a := range chunks {
			a.Release()
		}
	}
}

func (c *dataCase) data() arrowsort.Data {
	if len(c.columns) == 1 && len(c.columns[0]) == 1 {
		c.columns[0][0].Retain()
		return c.columns[0][0]
	}
	return array.NewTableFromSlice(c.schema, c.columns)
}

// check encodes the data: bytes compare as the model's rows, rows one by one have the same bytes, and decoded rows have
// the same values and the same bytes again.
func (c *dataCase) check(t *testing.T, mem memory.Allocator, threads int) {
	converter, encoded, opts, context := c.checkEncoded(t, mem, threads)
	defer encoded.Release()
	c.checkDecoded(t, converter, encoded, opts, context)
}

// checkEncoded is check without decoding. The caller releases the rows.
func (c *dataCase) checkEncoded(t *testing.T, mem memory.Allocator, threads int) (
	*rows.Converter, *rows.Rows, rows.Options, string,
) {
	context := fmt.Sprintf("%s, keys %+v", c.schema, c.keys)
	converter, err := rows.ForKeys(c.schema, c.keys)
	require.NoError(t, err, context)
	data := c.data()
	defer data.Release()
	opts := rows.Options{Allocator: mem, Threads: threads}
	encoded, err := converter.Encode(t.Context(), data, opts)
	require.NoError(t, err, context)
	require.Equal(t, c.rows, encoded.Len())

	var columns []model.Column
	for i, chunks := range c.columns {
		columns = append(columns, model.Column{Type: c.schema.Field(i).Type, Chunks: chunks})
	}
	order := model.NewOrder(columns, c.model)
	for i := range c.rows {
		for j := range i {
			requireOrder(t, order.Compare(uint64(i), uint64(j)), i, j, encoded.Row(i), encoded.Row(j), context)
		}
		if !testrun.Long() && i%16 != 0 {
			continue
		}
		row, err := converter.AppendRow([]byte("before"), data, i)
		require.NoError(t, err, context)
		require.Equal(t, append([]byte("before"), encoded.Row(i)...), row, context)
	}
	return converter, encoded, opts, context
}

func (c *dataCase) checkDecoded(
	t *testing.T, converter *rows.Converter, encoded *rows.Rows, opts rows.Options, context string,
) {
	decoded, err := converter.Decode(t.Context(), encoded, opts)
	require.NoError(t, err, context)
	defer decoded.Release()
	for k, key := range c.model {
		at := 0
		for _, chunk := range c.columns[key.Column] {
			for i := range chunk.Len() {
				require.Equal(t, field(chunk, i, key.Fields), text(decoded.Column(k), at), "%s: key %d, row %d",
					context, k, at)
				at++
			}
		}
	}
	fields := make([]rows.Field, len(c.keys))
	for i, f := range converter.Schema().Fields() {
		fields[i] = rows.Field{Name: f.Name, Type: f.Type, Order: c.keys[i].Order, Nulls: c.keys[i].Nulls}
	}
	if len(c.keys) > 1 {
		return // a column that is a key twice counts once only where it is one column
	}
	again, err := rows.NewConverter(fields...)
	require.NoError(t, err, context)
	reencoded, err := again.Encode(t.Context(), decoded, opts)
	require.NoError(t, err, context)
	defer reencoded.Release()
	require.Equal(t, encoded.Bytes(), reencoded.Bytes(), context)
	require.Equal(t, encoded.Offsets(), reencoded.Offsets(), context)
}

// field returns the text of a field of row i.
func field(arr arrow.Array, i int, fields []int) string {
	for ; len(fields) > 0; fields = fields[1:] {
		if arr.IsNull(i) {
			return "null"
		}
		arr = arr.(*array.Struct).Field(fields[0])
	}
	return text(arr, i)
}

// TestOrderOfEveryType has every type as key, in all orders and null placements, sliced and in chunks.
func TestOrderOfEveryType(t *testing.T) {
	mem := arrowtest.Checked(t)
	shapes := [][]int{{0}, {1}, {70}, {40, 0, 1, 30}}
	for i, typ := range keyTypes() {
		for m, mode := range modes {
			for s, shape := range shapes {
				rng := rand.New(rand.NewPCG(uint64(i), uint64(m*len(shapes)+s)))
				nulls := []float64{0, 0.3, 0.3, 1}[rng.IntN(4)]
				var c dataCase
				var chunks []arrow.Array
				for _, n := range shape {
					chunks = append(chunks, random(rng, typ, n, nulls, mem))
					c.rows += n
				}
				c.add(chunks...)
				c.by(mode, 0)
				c.check(t, mem, 1+rng.IntN(3))
				c.release()
			}
		}
	}
}

// TestOrderOfSeveralKeys has random tables of two to four keys, some of them fields of structs, whose columns have
// different chunks.
func TestOrderOfSeveralKeys(t *testing.T) {
	mem := arrowtest.Checked(t)
	types := keyTypes()
	pair := structOf(arrow.BinaryTypes.Binary, structOf(arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Float32))
	tables := 300
	if !testrun.Long() {
		tables = 50
	}
	for seed := range tables {
		rng := rand.New(rand.NewPCG(uint64(seed), 5))
		c := dataCase{rows: 60}
		for range 2 + rng.IntN(3) {
			typ := types[rng.IntN(len(types))]
			if rng.IntN(3) == 0 {
				typ = pair
			}
			n, nulls := rng.IntN(c.rows+1), []float64{0, 0.1, 0.5}[rng.IntN(3)]
			c.add(random(rng, typ, n, nulls, mem), random(rng, typ, c.rows-n, nulls, mem))
			mode := modes[rng.IntN(4)]
			switch {
			case typ == pair && rng.IntN(2) == 0:
				c.by(mode, len(c.columns)-1, 1, rng.IntN(2))
			case typ == pair && rng.IntN(2) == 0:
				c.by(mode, len(c.columns)-1, 1)
				c.by(modes[rng.IntN(4)], len(c.columns)-1) // field b is a key already
			default:
				c.by(mode, len(c.columns)-1)
			}
		}
		c.check(t, mem, 1+rng.IntN(3))
		c.release()
	}
}

// TestManyTiles has more rows than one task, so that workers share them: their bytes are those of the parts, and one
// by one in order where the values are.
func TestManyTiles(t *testing.T) {
	const n = 50_000
	mem := arrowtest.Checked(t)
	rng := rand.New(rand.NewPCG(1, 6))
	var parts []arrow.Array
	for _, typ := range []arrow.DataType{
		arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Float64, arrow.BinaryTypes.String,
		arrow.BinaryTypes.BinaryView,
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16, ValueType: arrow.BinaryTypes.LargeString},
	} {
		a := random(rng, typ, n, 0.1, mem)
		defer a.Release()
		parts = append(parts, a)
	}
	rec := recordOf(parts...)
	defer rec.Release()
	var keys []arrowsort.Key
	for i := range parts {
		key := modes[i%4]
		key.At = arrowsort.Column(i)
		keys = append(keys, key)
	}
	converter, err := rows.ForKeys(rec.Schema(), keys)
	require.NoError(t, err)
	whole, err := converter.Encode(t.Context(), rec, rows.Options{Allocator: mem, Threads: 3})
	require.NoError(t, err)
	defer whole.Release()
	var joined []byte
	for lo := int64(0); lo < n; lo += 7_001 {
		slice := rec.NewSlice(lo, min(n, lo+7_001))
		part, err := converter.Encode(t.Context(), slice, rows.Options{Allocator: mem, Threads: 1})
		require.NoError(t, err)
		joined = append(joined, part.Bytes()...)
		part.Release()
		slice.Release()
	}
	require.Equal(t, joined, whole.Bytes())
	decoded, err := converter.Decode(t.Context(), whole, rows.Options{Allocator: mem, Threads: 3})
	require.NoError(t, err)
	defer decoded.Release()
	for k, column := range decoded.Columns() {
		for i := range n {
			if want, got := text(parts[k], i), text(column, i); want != got {
				require.Equal(t, want, got, "key %d, row %d", k, i)
			}
		}
	}
}
