package arrow18

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	v15 "github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/arrow18/internal/bridge"
	convert "github.com/arrowsort/arrowsort/arrowsort/internal/arrow18"
)

// Data is what can be sorted: an arrow.RecordBatch, an arrow.Table, an arrow.Array or an *arrow.Chunked.
type Data interface {
	Retain()
	Release()
}

// transform has a function of the core make data out of the data, of the same kind.
func transform[T Data](data T, do func(arrowsort.Data) (arrowsort.Data, error)) (T, error) {
	var none T
	in, err := open(data)
	if err != nil {
		return none, bridge.Translate(err)
	}
	defer in.core.Release()
	core, err := do(in.core)
	if err != nil {
		return none, bridge.Translate(err)
	}
	return result(data, core, &in.shared)
}

// result makes data of the type and the schema of the data from a result of the core, which it takes over.
func result[T Data](data T, core arrowsort.Data, shared *convert.BufferMap) (T, error) {
	defer core.Release()
	dicts := shared.Dictionaries()
	defer dicts.Release()
	result := like(data, core, &dicts)
	if t, ok := result.(T); ok {
		return t, nil
	}
	result.Release()
	var none T
	return none, bridge.Translate(fmt.Errorf("%w: the result is a %T, not a %T", arrowsort.ErrOption, result, none))
}

// like makes data of v18 from a result of the core, whose memory it shares: with the schema, the types and the metadata
// of the input.
func like(data Data, result arrowsort.Data, dicts *convert.Dictionaries) Data {
	switch x := data.(type) {
	case arrow.RecordBatch:
		rec := result.(v15.Record)
		columns := make([]arrow.Array, rec.NumCols())
		for i, c := range rec.Columns() {
			columns[i] = dicts.ToArray(c, x.Column(i).DataType())
			defer columns[i].Release()
		}
		var meta arrow.Metadata
		if m, ok := x.(arrow.RecordBatchWithMetadata); ok {
			meta = m.Metadata()
		}
		return array.NewRecordBatchWithMetadata(x.Schema(), columns, rec.NumRows(), meta)
	case arrow.Table:
		tbl := result.(v15.Table)
		columns := make([]arrow.Column, tbl.NumCols())
		for i := range columns {
			rows := dicts.ToChunked(tbl.Column(i).Data(), x.Column(i).DataType())
			columns[i] = *arrow.NewColumn(x.Column(i).Field(), rows)
			rows.Release()
			defer columns[i].Release()
		}
		return array.NewTable(x.Schema(), columns, tbl.NumRows())
	case *arrow.Chunked:
		return dicts.ToChunked(result.(*v15.Chunked), x.DataType())
	}
	return dicts.ToArray(result.(v15.Array), data.(arrow.Array).DataType())
}

// An input is data of v18 as the core takes it, and what it borrows.
type input struct {
	core   arrowsort.Data // shares the memory of the data
	shared convert.BufferMap
}

// open borrows the data. The caller releases input.core.
func open(data Data) (*input, error) {
	in := &input{}
	core, err := bridge.Borrow(data, &in.shared)
	if err != nil {
		return nil, err
	}
	in.core = core
	return in, nil
}

// Options are the options of a call: those of arrowsort. Allocator takes allocators of v18, too, since they
// have the same methods; nil is memory.DefaultAllocator of v18.
type Options = arrowsort.Options

// coreOptions returns the options for the core.
func coreOptions(opts Options) arrowsort.Options {
	opts.Allocator = bridge.Allocator(opts.Allocator)
	return opts
}
