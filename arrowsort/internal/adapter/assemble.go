package adapter

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/take"
)

// Assemble turns the result of the job into arrays: for each payload one, or several where 32-bit offsets would pass
// 2 GiB. It takes the result over, also when it fails; the caller releases the arrays.
func (w *JobBuilder) Assemble(result *engine.Result) (columns [][]arrow.Array, err error) {
	defer func() {
		result.Release(w.mem)
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
			data := w.build(p, result)
			columns[i] = []arrow.Array{array.MakeFromData(data)}
			data.Release()
			continue
		}
		column := w.input.Columns[p.column]
		columns[i], err = take.Take(w.ctx, column.Type, column.Chunks, rows,
			take.Options{Allocator: w.mem, Threads: w.Job.Threads, Split: w.split})
		if err != nil {
			return columns, fmt.Errorf("column %s: %w", w.input.Label(p.column), err)
		}
	}
	return columns, nil
}

// ReleaseAll releases the arrays of all columns.
func ReleaseAll(columns [][]arrow.Array) {
	for _, chunks := range columns {
		for _, a := range chunks {
			a.Release()
		}
	}
}

// build is the array data of a payload. The buffers that it uses leave the result.
func (w *JobBuilder) build(p *payload, result *engine.Result) *array.Data {
	buffers := make([]*memory.Buffer, p.buffers, p.buffers+len(p.variadic))
	nulls := 0
	if p.gather >= 0 {
		c := &result.Columns[p.gather]
		nulls = c.Nulls
		for i, b := range []*[]byte{&c.Validity, &c.Values, &c.Data}[:p.buffers] {
			if *b != nil {
				buffers[i] = memory.NewBufferWithAllocator(*b, w.mem)
				defer buffers[i].Release()
				*b = nil
			}
		}
	} else if len(p.fields) == 0 && take.Storage(p.typ).ID() == arrow.NULL {
		nulls = result.Rows
	}
	fields := make([]arrow.ArrayData, len(p.fields))
	for i := range p.fields {
		fields[i] = w.build(&p.fields[i], result)
		defer fields[i].Release()
	}
	data := array.NewData(p.typ, result.Rows, append(buffers, p.variadic...), fields, nulls, 0)
	if p.dict != nil {
		data.SetDictionary(p.dict)
	}
	return data
}

// RowNumbers is the row numbers of a result as array data of an integer type. They leave the result.
func RowNumbers(result *engine.Result, typ arrow.DataType, mem memory.Allocator) *array.Data {
	buffers := make([]*memory.Buffer, 2)
	if result.RowNumbers != nil {
		buffers[1] = memory.NewBufferWithAllocator(result.RowNumbers, mem)
		defer buffers[1].Release()
		result.RowNumbers = nil
	}
	return array.NewData(typ, result.Rows, buffers, nil, 0, 0)
}
