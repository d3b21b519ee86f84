package arrow18

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	v15 "github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/arrow18/internal/bridge"
	"github.com/arrowsort/arrowsort/arrowsort/engine"
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

// Options are arrowsort.Options with an allocator of v18. The zero value is right for most callers. An option that a
// function does not use is arrowsort.ErrOption, but for Allocator and Threads.
type Options struct {
	// Limit is the number of leading rows of the result that are wanted; 0 is all of them. Sort, SortIndices,
	// SortIndices32, Merge, MergeReaders, Take and SearchSorted use it.
	Limit int
	// Engine does the sorting; nil is the CPU. Sort, SortIndices, SortIndices32, Rank, RankAverage, PartitionNth and
	// SelectKPerGroup use it; what the last four do after the sort is done by the CPU.
	Engine engine.Engine
	// Allocator allocates results and temporary memory; nil is memory.DefaultAllocator. It is called from one
	// goroutine at a time by each call. Large blocks of a *memory.GoAllocator are had from Go without being zeroed:
	// every byte that counts is written.
	Allocator memory.Allocator
	// Threads is the largest number of threads of the CPU to use, where more than one pays; 0 is GOMAXPROCS.
	Threads int
	// Progress, when set, is passed the progress of a sort at times, from one goroutine at a time: done of total
	// steps, whose size is up to the engine. Merge and the functions that use an Engine use it.
	Progress func(done, total int)
	// OnPlan, when set, is passed the plan of each finished sort or merge. Merge, MergeReaders and the functions that
	// use an Engine use it.
	OnPlan func(arrowsort.Plan)
	// BatchRows is the largest number of rows of a record of MergeReaders, which alone uses it; 0 is
	// arrowsort.DefaultBatchRows.
	BatchRows int
}

// core returns the options of the core. Allocators of both versions have the same methods.
func (o Options) core() arrowsort.Options {
	return arrowsort.Options{Limit: o.Limit, Engine: o.Engine, Allocator: bridge.Allocator(o.Allocator),
		Threads: o.Threads, Progress: o.Progress, OnPlan: o.OnPlan, BatchRows: o.BatchRows}
}
