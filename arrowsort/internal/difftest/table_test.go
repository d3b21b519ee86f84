package difftest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/model"
)

// keyTypes are all types that can be a key: flat ones, dictionaries with every type of index, runs and structs of them,
// and lists, maps and unions.
func keyTypes() []arrow.DataType {
	flat := slices.DeleteFunc(arrowtest.Flat(), func(typ arrow.DataType) bool {
		return typ.ID() == arrow.INTERVAL_DAY_TIME || typ.ID() == arrow.INTERVAL_MONTH_DAY_NANO
	})
	all := slices.Clone(flat)
	indices := []arrow.DataType{
		arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Uint16,
		arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Int64,
		arrow.PrimitiveTypes.Uint64,
	}
	for i, typ := range flat {
		if typ.ID() == arrow.EXTENSION {
			continue
		}
		all = append(all, &arrow.DictionaryType{IndexType: indices[i%8], ValueType: typ})
		if i%2 == 0 {
			all = append(all, arrow.RunEndEncodedOf(indices[2+i%3*2], typ))
		}
	}
	pair := func(a, b arrow.DataType) arrow.DataType {
		return arrow.StructOf(
			arrow.Field{Name: "a", Type: a, Nullable: true}, arrow.Field{Name: "b", Type: b, Nullable: true},
		)
	}
	inner := pair(arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Float32)
	for _, typ := range arrowtest.Types() {
		if _, _, ordered := adapter.Unordered("", typ); ordered && hasElements(typ) {
			all = append(all, typ)
		}
	}
	return append(
		all,
		inner,
		pair(arrow.FixedWidthTypes.Boolean, inner),
		arrowtest.NewExtension(inner),
		pair(
			&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String},
			arrow.PrimitiveTypes.Uint16,
		),
	)
}

// hasElements reports whether lists, maps or unions are values of a type, or of the fields of its structs.
func hasElements(typ arrow.DataType) bool {
	s, ok := adapter.StructOf(typ)
	return !ok && adapter.Nested(typ) || ok && slices.ContainsFunc(s.Fields(), func(f arrow.Field) bool {
		return hasElements(f.Type)
	})
}

// A table is random data, how to sort it, and the same for the model.
type table struct {
	data      arrowsort.Data
	columns   []model.Column
	rows      int
	keys      []arrowsort.Key
	modelKeys []model.Key
	text      string // for failures
}

func (t *table) release() {
	t.data.Release()
	for _, c := range t.columns {
		for _, chunk := range c.Chunks {
			chunk.Release()
		}
	}
}

// newTable makes the table of a seed. Seeds go round all types of the first key and its four modes.
func newTable(seed uint64, rows int, mem memory.Allocator) *table {
	r := rand.New(rand.NewPCG(seed, 2024))
	types, payload := keyTypes(), arrowtest.Types()
	first := types[seed%uint64(len(types))]
	mode := int(seed / uint64(len(types)) % 4)
	t := &table{rows: rows}
	form := r.IntN(4) // record, table, array, chunked
	for i := range []int{1 + r.IntN(3), 1 + r.IntN(3), 1, 1}[form] {
		typ := first
		if i > 0 {
			typ = types[r.IntN(len(types))]
			mode = r.IntN(4)
		}
		t.addColumn(r, typ, t.drawForm(r, form), mem)
		t.addKey(r, i, mode, form > 1)
	}
	if form < 2 {
		for range r.IntN(3) {
			t.addColumn(r, payload[r.IntN(len(payload))], t.drawForm(r, form), mem)
		}
		t.keys, t.modelKeys = slices.Clone(t.keys), slices.Clone(t.modelKeys)
		if r.IntN(8) == 0 { // a repeated key, turned round: the first wins
			again, modelAgain := t.keys[0], t.modelKeys[0]
			again.Order, modelAgain.Descending = 1-again.Order, !modelAgain.Descending
			t.keys, t.modelKeys = append(t.keys, again), append(t.modelKeys, modelAgain)
		}
	}
	t.data = t.assemble(form)
	t.text = fmt.Sprintf("seed %d, %d rows, %T%s, keys %+v", seed, rows, t.data, t.text, t.keys)
	return t
}

// A columnForm is how the rows of a column lie.
type columnForm struct {
	shape  shape
	nulls  float64
	chunks int
}

// drawForm draws the form of a column of data of a form.
func (t *table) drawForm(r *rand.Rand, form int) columnForm {
	chunks := 1
	if form%2 == 1 {
		chunks = r.IntN(5)
		if t.rows > 0 {
			chunks++
		}
	}
	return columnForm{shapes[r.IntN(len(shapes))], []float64{0, 0.02, 0.3, 1}[r.IntN(4)], chunks}
}

func (t *table) addColumn(r *rand.Rand, typ arrow.DataType, form columnForm, mem memory.Allocator) {
	if runs, ok := typ.(*arrow.RunEndEncodedType); ok && t.rows > 30_000 { // more than 16 bits can count
		typ = arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, runs.Encoded())
	}
	t.columns = append(t.columns, column(r, typ, form, t.rows, mem))
	t.text += fmt.Sprintf("; %s, %q, nulls %.2f, %d chunks", typ, form.shape.name, form.nulls, form.chunks)
}

// addKey makes a key of a column: all of it, or a field of a struct.
func (t *table) addKey(r *rand.Rand, column, mode int, array bool) {
	key := arrowsort.Key{At: arrowsort.Column(column), Order: arrowsort.Order(mode & 1),
		Nulls: arrowsort.NullPlacement(mode >> 1)}
	modelKey := model.Key{Column: column, Descending: mode&1 == 1, NullsFirst: mode>>1 == 1}
	path := []string{name(column)}
	if array {
		path = nil
	}
	if s, ok := t.columns[column].Type.(*arrow.StructType); ok && r.IntN(2) == 0 {
		field := r.IntN(len(s.Fields()))
		path = append(path, s.Field(field).Name)
		modelKey.Fields = []int{field}
	}
	typ := t.columns[column].Type
	if modelKey.Fields != nil {
		typ = typ.(*arrow.StructType).Field(modelKey.Fields[0]).Type
	}
	if of := functionsOf(typ); len(of) > 0 && r.IntN(3) == 0 {
		key.Function = of[r.IntN(len(of))]
		modelKey.Function = model.Function(string(key.Function), typ)
	}
	if adapter.IsText(typ) && (key.Function == "" || key.Function == arrowsort.Lower) && r.IntN(2) == 0 {
		key.Collation = collations[r.IntN(len(collations))]
		modelKey.Text = model.TextOrder(string(key.Collation))
	}
	if len(modelKey.Fields) > 0 || r.IntN(2) == 0 {
		if key.Path = strings.Join(path, "."); key.Path != "" {
			key.At = arrowsort.Position{}
		}
	}
	t.keys, t.modelKeys = append(t.keys, key), append(t.modelKeys, modelKey)
}

// functionsOf returns the functions of keys of a type. The hash of two columns has another seed.
func functionsOf(typ arrow.DataType) []arrowsort.Function {
	all := []arrowsort.Function{arrowsort.Lower, arrowsort.Length, arrowsort.Abs, arrowsort.Year, arrowsort.Modulo(16),
		arrowsort.Modulo(1 << 40), arrowsort.Hash(0), arrowsort.Hash(7)}
	return slices.DeleteFunc(all, func(f arrowsort.Function) bool {
		leaf := adapter.Leaf{Type: typ, Function: f}
		_, err := leaf.ValueType()
		return err != nil
	})
}

// collations are those of keys of text.
var collations = []arrowsort.Collation{"nocase", "natural", "numeric", "und", "de", "sv", "de-u-co-phonebk",
	"en-u-kn-true", "fr-u-kb-true", "und-u-ks-level1", "und-u-ks-level2"}

func name(column int) string { return fmt.Sprint("c", column) }

// assemble makes the record, table, array or chunked array of the columns.
func (t *table) assemble(form int) arrowsort.Data {
	var fields []arrow.Field
	var arrays []arrow.Array
	var columns []arrow.Column
	for i, c := range t.columns {
		field := arrow.Field{
			Name: name(i), Type: c.Type, Nullable: true, Metadata: arrow.NewMetadata([]string{"at"}, []string{name(i)}),
		}
		fields = append(fields, field)
		switch form {
		case 0:
			arrays = append(arrays, c.Chunks[0])
		case 1:
			chunked := arrow.NewChunked(c.Type, c.Chunks)
			columns = append(columns, *arrow.NewColumn(field, chunked))
			chunked.Release()
		}
	}
	schema := arrow.NewSchema(fields, nil)
	switch form {
	case 0:
		return array.NewRecord(schema, arrays, int64(t.rows))
	case 1:
		defer func() {
			for i := range columns {
				columns[i].Release()
			}
		}()
		return array.NewTable(schema, columns, int64(t.rows))
	case 2:
		t.columns[0].Chunks[0].Retain()
		return t.columns[0].Chunks[0]
	}
	return arrow.NewChunked(t.columns[0].Type, t.columns[0].Chunks)
}

// chunksOf are the columns of data of any form.
func chunksOf(data arrowsort.Data) [][]arrow.Array {
	var columns [][]arrow.Array
	switch d := data.(type) {
	case arrow.Record:
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
