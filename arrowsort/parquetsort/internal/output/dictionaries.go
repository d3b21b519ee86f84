package output

import (
	"context"
	"fmt"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/take"
)

// Dictionaries are decoded before rows are sorted. An Arrow output is dictionary-encoded again, so that its schema does
// not depend on the budget. All its record batches share one dictionary for each
// column, as an Arrow file needs it, which is collected from the inputs before the first batch is written.

// A dictionaryTree has the dictionaries of a type: its own, or those of its children.
type dictionaryTree struct {
	typ      arrow.DataType
	entries  *entries          // of a dictionary
	children []*dictionaryTree // of a nested type
}

// entries are the values of a dictionary, each of them once.
type entries struct {
	numbers map[string]int
	parts   []arrow.Array
	all     arrow.Array // the parts joined
}

func newDictionaryTree(typ arrow.DataType) *dictionaryTree {
	t := &dictionaryTree{typ: typ}
	if _, ok := typ.(*arrow.DictionaryType); ok {
		t.entries = &entries{numbers: map[string]int{}}
	} else if nested, ok := typ.(arrow.NestedType); ok {
		for _, f := range nested.Fields() {
			t.children = append(t.children, newDictionaryTree(f.Type))
		}
	}
	return t
}

// Dictionaries are the dictionaries of the columns of an output. The zero value has none.
type Dictionaries struct {
	schema  *arrow.Schema
	trees   []*dictionaryTree // of all columns
	columns []int             // those that have dictionaries
}

// newDictionaries returns the dictionaries, without values, of the columns of a schema.
func newDictionaries(schema *arrow.Schema) Dictionaries {
	d := Dictionaries{schema: schema}
	for i, f := range schema.Fields() {
		d.trees = append(d.trees, newDictionaryTree(f.Type))
		if arraydata.HasDictionary(f.Type) {
			d.columns = append(d.columns, i)
		}
	}
	return d
}

// Columns returns the columns that have dictionaries; nil when there are none.
func (d *Dictionaries) Columns() []int { return d.columns }

// Picked returns the same dictionaries for tables that have the columns with dictionaries only.
func (d *Dictionaries) Picked() *Dictionaries {
	picked := &Dictionaries{schema: arraydata.Pick(d.schema, d.columns)}
	for i, column := range d.columns {
		picked.columns, picked.trees = append(picked.columns, i), append(picked.trees, d.trees[column])
	}
	return picked
}

// Collect adds the dictionaries of a table.
func (d *Dictionaries) Collect(ctx context.Context, table arrow.Table, opts arrowsort.Options) error {
	for _, column := range d.columns {
		for _, c := range table.Column(column).Data().Chunks() {
			if err := d.trees[column].collect(ctx, c, opts); err != nil {
				return err
			}
		}
	}
	return nil
}

// Join completes the dictionaries.
func (d *Dictionaries) Join(mem memory.Allocator) error {
	for _, i := range d.columns {
		if err := d.trees[i].join(mem); err != nil {
			return fmt.Errorf("column %q: %w", d.schema.Field(i).Name, err)
		}
	}
	return nil
}

// Release releases the dictionaries.
func (d *Dictionaries) Release() {
	for _, t := range d.trees {
		t.release()
	}
}

func (t *dictionaryTree) collect(ctx context.Context, a arrow.Array, opts arrowsort.Options) error {
	if d, ok := a.(*array.Dictionary); ok {
		return t.entries.add(ctx, d.Dictionary(), opts)
	}
	for i, c := range t.children {
		child := array.MakeFromData(a.Data().Children()[i])
		err := c.collect(ctx, child, opts)
		child.Release()
		if err != nil {
			return err
		}
	}
	return nil
}

// add adds the entries of a dictionary that are new. Nulls get no entry.
func (e *entries) add(ctx context.Context, dictionary arrow.Array, opts arrowsort.Options) error {
	read, err := readValues(dictionary)
	if err != nil {
		return err
	}
	fresh := array.NewUint32Builder(memory.DefaultAllocator)
	defer fresh.Release()
	for i := range dictionary.Len() {
		value, valid := read(i)
		if _, found := e.numbers[value]; found || !valid {
			continue
		}
		e.numbers[strings.Clone(value)] = len(e.numbers)
		fresh.Append(uint32(i))
	}
	rows := fresh.NewArray()
	defer rows.Release()
	if rows.Len() == 0 {
		return nil
	}
	values := arrow.NewChunked(dictionary.DataType(), []arrow.Array{dictionary})
	defer values.Release()
	taken, err := arrowsort.Take(ctx, values, rows, opts)
	if err != nil {
		return err
	}
	defer taken.Release()
	for _, c := range taken.Chunks() {
		c.Retain()
		e.parts = append(e.parts, c)
	}
	return nil
}

// readValues returns the reader of the values of an array, which are equal when their bytes are.
func readValues(a arrow.Array) (func(i int) (value string, valid bool), error) {
	read, err := take.ReadValues(a)
	if read == nil && err == nil {
		err = fmt.Errorf("%w: a dictionary of type %s cannot be sorted in runs", errkind.ErrFileSchema, a.DataType())
	}
	return read, err
}

// join concatenates the collected parts of the dictionaries.
func (t *dictionaryTree) join(mem memory.Allocator) (err error) {
	for _, c := range t.children {
		if err := c.join(mem); err != nil {
			return err
		}
	}
	if t.entries == nil {
		return nil
	}
	typ, e := t.typ.(*arrow.DictionaryType), t.entries
	if most := arraydata.IndexLimit(typ.IndexType); int64(len(e.numbers)) > most {
		return fmt.Errorf("%w: the dictionaries have %d different values, more than the %d that indices of type %s "+
			"can number: cast the column to a dictionary with wider indices",
			errkind.ErrFileSchema, len(e.numbers), most, typ.IndexType)
	}
	if e.parts == nil {
		e.all = arraydata.Nulls(mem, typ.ValueType, 0)
		return nil
	}
	e.all, err = array.Concatenate(e.parts, mem)
	arraydata.Release(e.parts)
	e.parts = nil
	return err
}

// Encode returns a table of values with the dictionaries of a schema. The caller releases it.
func (d *Dictionaries) Encode(table arrow.Table, schema *arrow.Schema, mem memory.Allocator) (arrow.Table,
	error) {
	return arraydata.NewTable(schema, -1, func(i int) (*arrow.Chunked, error) {
		t := d.trees[i]
		return arraydata.ConvertChunks(table.Column(i).Data(), t.typ, func(d arrow.ArrayData) (arrow.ArrayData, error) {
			return t.encoded(d, mem)
		})
	})
}

// encoded returns an array with indices in place of the values of dictionaries. The caller releases it.
func (t *dictionaryTree) encoded(d arrow.ArrayData, mem memory.Allocator) (arrow.ArrayData, error) {
	if t.entries != nil {
		return t.indices(d, mem)
	}
	if len(t.children) == 0 {
		d.Retain()
		return d, nil
	}
	return arraydata.ConvertChildren(d, t.typ, func(i int, child arrow.ArrayData) (arrow.ArrayData, error) {
		return t.children[i].encoded(child, mem)
	})
}

// indices returns the numbers of values in their dictionary.
func (t *dictionaryTree) indices(d arrow.ArrayData, mem memory.Allocator) (arrow.ArrayData, error) {
	values := array.MakeFromData(d)
	defer values.Release()
	read, err := readValues(values)
	if err != nil {
		return nil, err
	}
	index := t.typ.(*arrow.DictionaryType).IndexType
	builder := array.NewDictionaryBuilder(mem, &arrow.DictionaryType{IndexType: index, ValueType: arrow.Null})
	defer builder.Release()
	b := builder.(*array.NullDictionaryBuilder).IndexBuilder()
	b.Reserve(values.Len())
	for i := range values.Len() {
		value, valid := read(i)
		if !valid {
			b.AppendNull()
			continue
		}
		index, found := t.entries.numbers[value]
		if !found {
			return nil, fmt.Errorf("%w: a value is in no dictionary of the inputs: have they changed since the "+
				"sort began?", errkind.ErrFileSchema)
		}
		b.Append(index)
	}
	indices := b.NewArray()
	defer indices.Release()
	n := indices.Data()
	data := array.NewData(t.typ, n.Len(), n.Buffers(), nil, n.NullN(), n.Offset())
	data.SetDictionary(t.entries.all.Data())
	return data, nil
}

// release lets go of the dictionaries.
func (t *dictionaryTree) release() {
	for _, c := range t.children {
		c.release()
	}
	if t.entries != nil {
		arraydata.Release(append(t.entries.parts, t.entries.all))
	}
}
