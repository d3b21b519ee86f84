package arrow18_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	v15 "github.com/apache/arrow/go/v15/arrow"
	array15 "github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/arrow18"
	"github.com/arrowsort/arrowsort/arrowsort/arrow18/internal/modern"
	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	convert "github.com/arrowsort/arrowsort/arrowsort/internal/arrow18"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/model"
)

// sortable returns the types that the core sorts by.
func sortable() []v15.DataType {
	var types []v15.DataType
	for _, typ := range arrowtest.Types() {
		if isSortable(typ) {
			types = append(types, typ)
		}
	}
	return types
}

func isSortable(typ v15.DataType) bool {
	_, _, ok := adapter.Unordered("", typ)
	return ok
}

// A table is the same random data in both versions, and keys to sort it by.
type table struct {
	old       arrowsort.Data
	data      arrow18.Data
	columns   []model.Column
	rows      int
	keys      []arrowsort.Key
	modelKeys []model.Key
	text      string // for failures
}

// newTable makes the table of a seed: a record, a table, an array or a chunked array. Seeds go round all types of keys.
// Its columns are slices, with garbage under nulls. The types of v18 are plain or modern.
func newTable(seed uint64, mem memory.Allocator) *table {
	r := rand.New(rand.NewPCG(seed, 18))
	keys, payload := sortable(), arrowtest.Types()
	t := &table{rows: r.IntN(60)}
	form := r.IntN(4)
	types := []v15.DataType{keys[seed%uint64(len(keys))]}
	if form < 2 {
		types = append(types, keys[r.IntN(len(keys))], payload[r.IntN(len(payload))], payload[r.IntN(len(payload))])
	}
	for _, typ := range types {
		chunks := 1
		if form%2 == 1 {
			chunks += r.IntN(3)
		}
		t.columns = append(t.columns, column(r, typ, t.rows, chunks, mem))
	}
	for i := range min(2, len(types)) {
		key := arrowsort.Key{At: arrowsort.Column(i), Order: arrowsort.Order(r.IntN(2)),
			Nulls: arrowsort.NullPlacement(r.IntN(2))}
		t.keys = append(t.keys, key)
		t.modelKeys = append(t.modelKeys, model.Key{Column: i, Descending: key.Order == arrowsort.Descending,
			NullsFirst: key.Nulls == arrowsort.NullsAtStart})
	}
	toType := modern.Type
	if r.IntN(3) == 0 {
		toType = modern.Plain
	}
	t.assemble(form, toType)
	t.text = fmt.Sprintf("seed %d, %d rows, %T of %v, keys %+v", seed, t.rows, t.data, types, t.keys)
	return t
}

func column(r *rand.Rand, typ v15.DataType, rows, chunks int, mem memory.Allocator) model.Column {
	c := model.Column{Type: typ}
	for i := range chunks {
		n := rows * (i + 1) / chunks
		n -= rows * i / chunks
		nulls := []float64{0, 0.2, 1}[r.IntN(3)]
		c.Chunks = append(c.Chunks, arrowtest.RandomSlice(r, typ, n, r.IntN(12), nulls, mem))
	}
	return c
}

// assemble makes data of both versions of the columns.
func (t *table) assemble(form int, toType func(v15.DataType) arrow.DataType) {
	var oldFields []v15.Field
	var fields []arrow.Field
	var oldChunks [][]v15.Array
	var chunks [][]arrow.Array
	for i, c := range t.columns {
		typ, name := toType(c.Type), fmt.Sprint("c", i)
		meta := arrow.NewMetadata([]string{"unit"}, []string{name})
		oldFields = append(oldFields, v15.Field{Name: name, Type: c.Type, Nullable: true})
		fields = append(fields, arrow.Field{Name: name, Type: typ, Nullable: true, Metadata: meta})
		oldChunks, chunks = append(oldChunks, c.Chunks), append(chunks, nil)
		for _, a := range c.Chunks {
			there := convert.ToArray(a, typ)
			defer there.Release()
			chunks[i] = append(chunks[i], there)
		}
	}
	meta := arrow.NewMetadata([]string{"owner"}, []string{"tests"})
	oldSchema, schema := v15.NewSchema(oldFields, nil), arrow.NewSchema(fields, &meta)
	switch form {
	case 0:
		old, columns := make([]v15.Array, len(fields)), make([]arrow.Array, len(fields))
		for i := range fields {
			old[i], columns[i] = oldChunks[i][0], chunks[i][0]
		}
		t.old = array15.NewRecord(oldSchema, old, int64(t.rows))
		t.data = array.NewRecordBatchWithMetadata(schema, columns, int64(t.rows), meta)
	case 1:
		t.old, t.data = array15.NewTableFromSlice(oldSchema, oldChunks), array.NewTableFromSlice(schema, chunks)
	case 2:
		oldChunks[0][0].Retain()
		chunks[0][0].Retain()
		t.old, t.data = oldChunks[0][0], chunks[0][0]
	case 3:
		t.old, t.data = v15.NewChunked(oldFields[0].Type, oldChunks[0]), arrow.NewChunked(fields[0].Type, chunks[0])
	}
}

func (t *table) release() {
	t.old.Release()
	t.data.Release()
	for _, c := range t.columns {
		for _, chunk := range c.Chunks {
			chunk.Release()
		}
	}
}

// chunksOf returns the columns of data of any form.
func chunksOf(data arrow18.Data) [][]arrow.Array {
	var columns [][]arrow.Array
	switch d := data.(type) {
	case arrow.RecordBatch:
		for _, c := range d.Columns() {
			columns = append(columns, []arrow.Array{c})
		}
	case arrow.Table:
		for i := range int(d.NumCols()) {
			columns = append(columns, d.Column(i).Data().Chunks())
		}
	case *arrow.Chunked:
		columns = append(columns, d.Chunks())
	case arrow.Array:
		columns = append(columns, []arrow.Array{d})
	}
	return columns
}

func chunksOf15(data arrowsort.Data) [][]v15.Array {
	var columns [][]v15.Array
	switch d := data.(type) {
	case v15.Record:
		for _, c := range d.Columns() {
			columns = append(columns, []v15.Array{c})
		}
	case v15.Table:
		for i := range int(d.NumCols()) {
			columns = append(columns, d.Column(i).Data().Chunks())
		}
	case *v15.Chunked:
		columns = append(columns, d.Chunks())
	case v15.Array:
		columns = append(columns, []v15.Array{d})
	}
	return columns
}
