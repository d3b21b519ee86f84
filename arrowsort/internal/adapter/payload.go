package adapter

import (
	"fmt"
	"math"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/take"
	"github.com/arrowsort/arrowsort/keyencode"
)

// AddPayloads asks the job for all columns of the input, in their order. Columns that an engine cannot hold are taken
// later, by the row numbers of the job.
func (w *JobBuilder) AddPayloads() error {
	w.payloads = make([]payload, len(w.input.Columns))
	w.Job.Gather = make([]int, 0, len(w.payloads))
	w.Job.Columns = slices.Grow(w.Job.Columns, len(w.payloads))
	for i, c := range w.input.Columns {
		p := &w.payloads[i]
		path := []int{i}
		if !w.flat(c.Type, path) {
			*p = payload{typ: c.Type, column: i, taken: true}
			w.Job.RowNumbers = 4
			continue
		}
		if err := w.addPayload(p, c.Type, path); err != nil {
			return fmt.Errorf("column %s: %w", w.input.Label(i), err)
		}
	}
	return nil
}

// flat reports whether the engine can gather the column at path, struct by struct and field by field.
func (w *JobBuilder) flat(typ arrow.DataType, path []int) bool {
	if s, ok := StructOf(typ); ok {
		for i, f := range s.Fields() {
			if !w.flat(f.Type, append(path[:len(path):len(path)], i)) {
				return false
			}
		}
		return true
	}
	if l, ok := listLayoutOf(typ); ok { // few rows are taken sooner than all offsets are read
		few := w.Job.Limit > 0 && w.Job.Limit < w.input.Rows/8
		return !few && l.holds(w.input.parts(path, nil))
	}
	l, ok := layoutOf(typ)
	if !ok {
		return false
	}
	switch {
	case arraydata.Storage(typ).ID() == arrow.DICTIONARY:
		return oneDictionary(w.input.parts(path, nil))
	case l.kind == keyencode.BinaryView:
		return len(w.input.parts(path, nil)) == 1
	case l.kind == keyencode.Binary:
		return fitsOffsets(w.input.parts(path, nil))
	}
	return true
}

// oneDictionary reports whether the indices of all slices mean the same entries.
func oneDictionary(parts []arraySlice) bool {
	for i := 1; i < len(parts); i++ {
		if !arraydata.Identical(parts[0].data.Dictionary(), parts[i].data.Dictionary()) {
			return false
		}
	}
	return len(parts) > 0
}

// fitsOffsets reports whether the bytes of all slices stay within 32-bit offsets.
func fitsOffsets(parts []arraySlice) bool {
	total := 0
	for _, v := range parts {
		offsets := arrow.Int32Traits.CastFromBytes(v.buffer(1))
		if len(offsets) > v.first+v.rows {
			total += int(offsets[v.first+v.rows]) - int(offsets[v.first])
		}
	}
	return total <= math.MaxInt32
}

// addPayload sets p to the flat column at path and adds its raw columns to the job.
func (w *JobBuilder) addPayload(p *payload, typ arrow.DataType, path []int) error {
	*p = payload{typ: typ, column: path[0], gather: -1, buffers: 2}
	parts := w.input.parts(path, nil)
	if s, ok := StructOf(typ); ok {
		return w.addStruct(p, s, path, parts)
	}
	l, _ := layoutOf(typ)
	if lists, ok := listLayoutOf(typ); ok {
		p.lists, l = lists, lists.layout
	}
	switch {
	case l.kind == keyencode.Null:
		p.buffers = 1
		return nil
	case l.kind == keyencode.Binary, l.kind == keyencode.LargeBinary:
		p.buffers = 3
	case l.kind == keyencode.BinaryView:
		p.variadic = slices.Clone(parts[0].data.Buffers()[2:])
	case l.kind == keyencode.FixedSizeBinary && l.width == 0:
		l.kind = keyencode.Null // there is only validity
	case arraydata.Storage(typ).ID() == arrow.DICTIONARY:
		p.dict = parts[0].data.Dictionary()
	}
	return w.gather(p, l, path, parts)
}

// addStruct adds the validity of a struct, when it has nulls, and its fields.
func (w *JobBuilder) addStruct(p *payload, typ *arrow.StructType, path []int, parts []arraySlice) error {
	p.buffers = 1
	if slices.ContainsFunc(parts, func(v arraySlice) bool { return len(v.ownMask(nil)) > 0 }) {
		if err := w.gather(p, layout{kind: keyencode.Null}, path, parts); err != nil {
			return err
		}
	}
	p.fields = make([]payload, len(typ.Fields()))
	for i, f := range typ.Fields() {
		if err := w.addPayload(&p.fields[i], f.Type, append(path[:len(path):len(path)], i)); err != nil {
			return err
		}
	}
	return nil
}

// gather asks the engine for a column: the one that is a key already, or a new one with its own validity only, since
// the structs above it keep theirs.
func (w *JobBuilder) gather(p *payload, l layout, path []int, parts []arraySlice) error {
	column := -1
	if l.kind != keyencode.Null {
		column = w.keyAt(path)
	}
	if column < 0 {
		for i := range parts {
			parts[i].masks = parts[i].ownMask(nil)
		}
		c, err := w.raw.payloadColumn(p, l, parts)
		if err != nil {
			return err
		}
		column = len(w.Job.Columns)
		w.Job.Columns = append(w.Job.Columns, c)
	}
	p.gather = len(w.Job.Gather)
	w.Job.Gather = append(w.Job.Gather, column)
	return nil
}

// Assemble turns the result of the job into arrays: for each payload one, or several where 32-bit offsets would pass
// 2 GiB. It takes the result over, also when it fails; the caller releases the arrays.
func (w *JobBuilder) Assemble(result *engine.Result) (columns [][]arrow.Array, err error) {
	defer func() {
		result.Release(w.raw.mem)
		if err != nil {
			ReleaseAll(columns)
			columns = nil
		}
	}()
	rows := arrow.Uint32Traits.CastFromBytes(result.RowNumbers)
	columns = make([][]arrow.Array, len(w.payloads))
	for i := range w.payloads {
		p := &w.payloads[i]
		if !p.taken {
			data, err := w.build(p, result)
			if err != nil {
				return columns, err
			}
			columns[i] = []arrow.Array{arraydata.NewArray(data)}
			continue
		}
		column := w.input.Columns[p.column]
		columns[i], err = take.Take(w.raw.ctx, column.Type, column.Chunks, rows,
			take.Options{Allocator: w.raw.mem, Threads: w.Job.Threads, Split: w.split})
		if err != nil {
			return columns, fmt.Errorf("column %s: %w", w.input.Label(p.column), err)
		}
	}
	return columns, nil
}

// build returns the array data of a payload. The buffers that it uses leave the result.
func (w *JobBuilder) build(p *payload, result *engine.Result) (*array.Data, error) {
	buffers := make([]*memory.Buffer, p.buffers, p.buffers+len(p.variadic))
	nulls := 0
	if p.gather >= 0 {
		c := &result.Columns[p.gather]
		nulls = c.Nulls
		for i, b := range []*[]byte{&c.Validity, &c.Values, &c.Data}[:p.buffers] {
			if *b != nil {
				buffers[i] = memory.NewBufferWithAllocator(*b, w.raw.mem)
				defer buffers[i].Release()
				*b = nil
			}
		}
	} else if len(p.fields) == 0 && arraydata.Storage(p.typ).ID() == arrow.NULL {
		nulls = result.Rows
	}
	fields := make([]arrow.ArrayData, len(p.fields))
	for i := range p.fields {
		field, err := w.build(&p.fields[i], result)
		if err != nil {
			return nil, err
		}
		fields[i] = field
		defer field.Release()
	}
	if p.lists.elem != nil {
		return w.raw.listsOf(p.typ, p.lists, result.Rows, nulls, buffers)
	}
	data := array.NewData(p.typ, result.Rows, append(buffers, p.variadic...), fields, nulls, 0)
	if p.dict != nil {
		data.SetDictionary(p.dict)
	}
	return data, nil
}

// RowNumbers returns the row numbers of a result as array data of an integer type. They leave the result.
func RowNumbers(result *engine.Result, typ arrow.DataType, mem memory.Allocator) *array.Data {
	buffers := make([]*memory.Buffer, 2)
	if result.RowNumbers != nil {
		buffers[1] = memory.NewBufferWithAllocator(result.RowNumbers, mem)
		defer buffers[1].Release()
		result.RowNumbers = nil
	}
	return array.NewData(typ, result.Rows, buffers, nil, 0, 0)
}
