//go:build !race

package parquetsort

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

// A peakContainer is a type around the values.
type peakContainer struct {
	name      string
	of        func(value arrow.DataType) arrow.DataType
	arrowOnly bool // Parquet does not have it
	extension bool
}

func peakContainers() []peakContainer {
	containers := []peakContainer{{name: "flat", of: func(v arrow.DataType) arrow.DataType { return v }}}
	for _, c := range arrowtest.Containers()[1:] {
		of := func(v arrow.DataType) arrow.DataType { return c.Of(arrow.Field{Name: "v", Type: v, Nullable: true}) }
		containers = append(containers, peakContainer{name: c.Name, of: of})
	}
	return append(containers,
		peakContainer{name: "extension", extension: true, of: func(v arrow.DataType) arrow.DataType {
			return arrowtest.NewExtension(v)
		}},
		peakContainer{name: "runs", arrowOnly: true, of: func(v arrow.DataType) arrow.DataType {
			return arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, v)
		}},
		peakContainer{name: "list view", arrowOnly: true, of: func(v arrow.DataType) arrow.DataType {
			return arrow.ListViewOf(v)
		}},
		peakContainer{name: "union", arrowOnly: true, of: func(v arrow.DataType) arrow.DataType {
			return arrow.DenseUnionOf([]arrow.Field{{Name: "v", Type: v, Nullable: true},
				{Name: "n", Type: arrow.PrimitiveTypes.Int64, Nullable: true}}, []arrow.UnionTypeCode{0, 1})
		}})
}

// A peakValue is the type of the values, and of texts their bytes and how many differ, 0 for all.
type peakValue struct {
	name             string
	typ              arrow.DataType
	length, distinct int
}

func (v *peakValue) dictionary() bool { return v.typ.ID() == arrow.DICTIONARY }

func peakValues() []peakValue {
	text := arrow.BinaryTypes.String
	dictionary := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: text}
	return []peakValue{
		{name: "integers", typ: arrow.PrimitiveTypes.Int64},
		{name: "booleans", typ: arrow.FixedWidthTypes.Boolean},
		{name: "decimals of 128 bits", typ: &arrow.Decimal128Type{Precision: 20, Scale: 3}},
		{name: "decimals of 256 bits", typ: &arrow.Decimal256Type{Precision: 50, Scale: 7}},
		{name: "texts of 10 bytes", typ: text, length: 10},
		{name: "texts of 2 kB", typ: text, length: 2000},
		{name: "texts of 100 kB", typ: text, length: 100_000},
		{name: "views of 50 bytes", typ: arrow.BinaryTypes.StringView, length: 50},
		{name: "20 texts of 2 kB", typ: text, length: 2000, distinct: 20},
		{name: "dictionary of 20 texts of 2 kB", typ: dictionary, length: 2000, distinct: 20},
		{name: "dictionary of 300 texts of 2 kB", typ: dictionary, length: 2000, distinct: 300},
	}
}

// append appends a value, or a null now and then, with what is in it.
func (v *peakValue) append(b array.Builder, r *rand.Rand) {
	if _, run := b.(*array.RunEndEncodedBuilder); !run && r.IntN(20) == 0 {
		b.AppendNull()
		return
	}
	switch b := b.(type) {
	case *array.Int64Builder:
		b.Append(r.Int64())
	case *array.Int16Builder:
		b.Append(int16(r.Int64()))
	case *array.BooleanBuilder:
		b.Append(r.IntN(2) == 0)
	case *array.Decimal128Builder, *array.Decimal256Builder:
		if err := b.AppendValueFromString(fmt.Sprint(r.Int64N(1 << 50))); err != nil {
			panic(err)
		}
	case *array.BinaryDictionaryBuilder:
		if err := b.AppendString(v.text(r)); err != nil {
			panic(err)
		}
	case array.StringLikeBuilder:
		b.Append(v.text(r))
	case *array.FixedSizeListBuilder:
		b.Append(true)
		for range b.Type().(*arrow.FixedSizeListType).Len() {
			v.append(b.ValueBuilder(), r)
		}
	case *array.MapBuilder:
		b.Append(true)
		for range r.IntN(3) {
			b.KeyBuilder().(*array.StringBuilder).Append(fmt.Sprint(r.IntN(1000)))
			v.append(b.ItemBuilder(), r)
		}
	case *array.ListViewBuilder:
		n := r.IntN(4)
		b.AppendWithSize(true, n)
		for range n {
			v.append(b.ValueBuilder(), r)
		}
	case array.ListLikeBuilder:
		b.(interface{ Append(bool) }).Append(true)
		for range r.IntN(4) {
			v.append(b.ValueBuilder(), r)
		}
	case *array.StructBuilder:
		b.Append(true)
		for i := range b.NumField() {
			v.append(b.FieldBuilder(i), r)
		}
	case *array.ExtensionBuilder:
		v.append(b.StorageBuilder(), r)
	case *array.RunEndEncodedBuilder:
		b.Append(1 + r.Uint64N(8))
		v.append(b.ValueBuilder(), r)
	case *array.DenseUnionBuilder:
		code := r.IntN(2)
		b.Append(arrow.UnionTypeCode(code))
		v.append(b.Child(code), r)
	default:
		panic(fmt.Sprintf("%T", b))
	}
}

func (v *peakValue) text(r *rand.Rand) string {
	number := r.Uint64()
	if v.distinct > 0 {
		number %= uint64(v.distinct)
	}
	return strings.Repeat(fmt.Sprintf("%020d", number), v.length/20+1)[:v.length]
}

// column is some bytes of values, as they are without dictionaries.
func (c *peakCase) column(r *rand.Rand, bytes int64) arrow.Array {
	typ := c.container.of(c.value.typ)
	b := array.NewBuilder(memory.DefaultAllocator, typ)
	defer b.Release()
	for b.Len() == 0 || int64(b.Len())*c.rowBytes() < bytes {
		c.value.append(b, r)
	}
	return b.NewArray()
}

// rowBytes are about the bytes of a row with its key.
func (c *peakCase) rowBytes() int64 {
	value := int64(max(c.value.length, 8))
	switch c.container.name {
	case "fixed-size list", "list of fixed-size lists", "list of large lists":
		value *= 3
	case "struct of fixed-size lists":
		value *= 2
	case "list", "large list", "list of structs", "list view":
		value += value / 2
	}
	return 16 + value
}

// write writes batches of about an eighth of the budget, whose columns but for the key are the same. The keys of a file
// rise if it is to be merged or checked.
func (c *peakCase) write(t *testing.T, path string, bytes int64) (rows int64) {
	batchBytes := *peakBudget / 8
	r := rand.New(rand.NewPCG(uint64(bytes), 6))
	column := c.column(r, batchBytes)
	count := column.Len()
	fields := []arrow.Field{{Name: "key", Type: arrow.PrimitiveTypes.Int64},
		{Name: "v", Type: column.DataType(), Nullable: true}}
	schema := arrow.NewSchema(fields, nil)
	rising := c.operation == "merge" || c.operation == "check"
	next := int64(0)
	var records []arrow.Record
	for range max(bytes/batchBytes, 2) {
		keys := array.NewInt64Builder(memory.DefaultAllocator)
		for range count {
			if next += r.Int64N(1000); rising {
				keys.Append(next)
			} else {
				keys.Append(r.Int64())
			}
		}
		records = append(records, array.NewRecord(schema, []arrow.Array{keys.NewArray(), column}, int64(count)))
		rows += int64(count)
	}
	writeRecords(t, path, records, c.whole)
	return rows
}

// writeRecords writes a file of records, in one row group or one for each.
func writeRecords(t *testing.T, path string, records []arrow.Record, whole bool) {
	schema := records[0].Schema()
	opts := tablefile.WriteOptions{}
	if strings.HasSuffix(path, ".parquet") {
		opts.Compression.Codec, opts.RowGroupRows = "none", math.MaxInt32
	}
	w, err := tablefile.Create(context.Background(), path, schema, opts)
	require.NoError(t, err)
	defer w.Abort()
	step := 1
	if whole {
		step = len(records)
	}
	for i := 0; i < len(records); i += step {
		table := array.NewTableFromRecords(schema, records[i:i+step])
		require.NoError(t, w.Write(context.Background(), table))
	}
	require.NoError(t, w.Finish())
	_, err = w.Commit()
	require.NoError(t, err)
}

// digestRows is the number of rows of a file.
func digestRows(t *testing.T, file string) (rows int64) {
	s := scanFile(t, file, 1<<22, tablefile.ReadOptions{})
	for {
		table, err := s.Next(context.Background())
		if err == io.EOF {
			return rows
		}
		require.NoError(t, err)
		rows += table.NumRows()
		table.Release()
	}
}
