package parquetsort

import (
	"context"
	"fmt"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/internal/take"
)

// Rows are sorted with the values of dictionaries in their place. An Arrow output gets dictionaries again, so that its
// schema is that of the inputs however much memory there is. All its record batches share one dictionary for each
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

// outputDictionaries are the dictionaries of the columns of an output. The zero value has none.
type outputDictionaries struct {
	trees   []*dictionaryTree // of all columns
	columns []int             // those that have dictionaries
}

// useDictionaries has an Arrow output written with dictionaries where the inputs have them.
func (o *outputs) useDictionaries(in *inputs) {
	var d outputDictionaries
	for i, f := range in.schema.Fields() {
		d.trees = append(d.trees, newDictionaryTree(f.Type))
		if arraydata.HasDictionary(f.Type) {
			d.columns = append(d.columns, i)
		}
	}
	if format := o.options.Format; d.columns != nil && (format == tablefile.IPCFile || format == tablefile.IPCStream) {
		o.dictionaries, o.schema = d, in.schema
	}
}

// collectAll collects the dictionaries of all inputs.
func (d *outputDictionaries) collectAll(ctx context.Context, in *inputs) error {
	if d.columns == nil {
		return nil
	}
	read, only := *in, outputDictionaries{}
	read.project(d.columns)
	for i, column := range d.columns {
		only.columns, only.trees = append(only.columns, i), append(only.trees, d.trees[column])
	}
	err := read.each(ctx, PhaseDictionaries, func(_ int, table arrow.Table) error {
		return only.collect(ctx, table, in.opts)
	})
	if err != nil {
		return err
	}
	return d.join(in)
}

// collect adds the dictionaries of a table.
func (d *outputDictionaries) collect(ctx context.Context, table arrow.Table, opts *Options) error {
	for _, column := range d.columns {
		for _, c := range table.Column(column).Data().Chunks() {
			if err := d.trees[column].collect(ctx, c, opts.sorting()); err != nil {
				return err
			}
		}
	}
	return nil
}

// join completes the dictionaries.
func (d *outputDictionaries) join(in *inputs) error {
	for _, i := range d.columns {
		if err := d.trees[i].join(in.opts.Run.Allocator); err != nil {
			return fmt.Errorf("column %q: %w", in.schema.Field(i).Name, err)
		}
	}
	return nil
}

func (d *outputDictionaries) release() {
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

// add adds the entries of a dictionary that are new. A null is none: rows without a value have no entry.
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
		err = fmt.Errorf("%w: a dictionary of type %s cannot be sorted in runs", errSchema, a.DataType())
	}
	return read, err
}

// join completes the dictionaries.
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
			errSchema, len(e.numbers), most, typ.IndexType)
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

// encode is a table of values with the dictionaries of a schema. The caller releases it.
func (d *outputDictionaries) encode(table arrow.Table, schema *arrow.Schema, mem memory.Allocator) (arrow.Table,
	error) {
	return arraydata.NewTable(schema, -1, func(i int) (*arrow.Chunked, error) {
		t := d.trees[i]
		return arraydata.ConvertChunks(table.Column(i).Data(), t.typ, func(d arrow.ArrayData) (arrow.ArrayData, error) {
			return t.encoded(d, mem)
		})
	})
}

// encoded is an array with indices in place of the values of dictionaries. The caller releases it.
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

// indices are the numbers of values in their dictionary.
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
				"sort began?", errSchema)
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
