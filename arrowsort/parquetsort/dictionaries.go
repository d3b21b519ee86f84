package parquetsort

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
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

// useDictionaries has an Arrow output written with dictionaries where the inputs have them.
func (o *outputs) useDictionaries(ctx context.Context, in *inputs) (err error) {
	if o.dictionaries, err = in.dictionariesOf(ctx, o.options.Format); o.dictionaries != nil {
		o.schema = in.schema
	}
	return err
}

// dictionariesOf are the dictionaries of the columns of the inputs, for an output in a format; nil when it has none.
// The caller releases them, also after an error.
func (in *inputs) dictionariesOf(ctx context.Context, format tablefile.Format) ([]*dictionaryTree, error) {
	var columns []int
	trees := make([]*dictionaryTree, in.schema.NumFields())
	for i, f := range in.schema.Fields() {
		trees[i] = newDictionaryTree(f.Type)
		if take.HasDictionary(f.Type) {
			columns = append(columns, i)
		}
	}
	if columns == nil || format != tablefile.IPCFile && format != tablefile.IPCStream {
		return nil, nil
	}
	only := in.quiet()
	only.project(columns)
	for _, path := range only.paths {
		if err := only.collect(ctx, path, columns, trees); err != nil {
			return trees, err
		}
	}
	for _, i := range columns {
		if err := trees[i].join(in.opts.Allocator); err != nil {
			return trees, fmt.Errorf("column %q: %w", in.schema.Field(i).Name, err)
		}
	}
	return trees, nil
}

// collect adds the dictionaries of a file, which are those of some of the trees.
func (in *inputs) collect(ctx context.Context, path string, columns []int, trees []*dictionaryTree) error {
	s, err := in.open(path)
	if err != nil {
		return err
	}
	defer s.Close()
	for {
		table, err := s.next(ctx)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		for i, column := range columns {
			for _, c := range table.Column(i).Data().Chunks() {
				if err := trees[column].collect(ctx, c, in.opts.sorting()); err != nil {
					table.Release()
					return err
				}
			}
		}
		table.Release()
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
		err = fmt.Errorf("%w: a dictionary of type %s cannot be sorted in runs", ErrSchema, a.DataType())
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
	if most := take.IndexLimit(typ.IndexType); int64(len(e.numbers)) > most {
		return fmt.Errorf("%w: the dictionaries have %d different values, more than the %d that indices of type "+
			"%s can number: "+
			"cast the column to a dictionary with wider indices", ErrSchema, len(e.numbers), most, typ.IndexType)
	}
	if e.parts == nil {
		e.all = array.MakeArrayOfNull(mem, typ.ValueType, 0)
		return nil
	}
	e.all, err = array.Concatenate(e.parts, mem)
	for _, p := range e.parts {
		p.Release()
	}
	e.parts = nil
	return err
}

// release lets go of the dictionaries.
func (t *dictionaryTree) release() {
	for _, c := range t.children {
		c.release()
	}
	if t.entries == nil {
		return
	}
	for _, p := range t.entries.parts {
		p.Release()
	}
	if t.entries.all != nil {
		t.entries.all.Release()
	}
}
