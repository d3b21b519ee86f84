package adapter

import (
	"fmt"
	"sort"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort/internal/take"
)

// expandRuns turns views of runs into views of plain values of type typ, which the Work holds.
func (w *Work) expandRuns(typ arrow.DataType, views []view) ([]view, error) {
	var plain []view
	for _, v := range views {
		arrays, err := w.expand(typ, v)
		if err != nil {
			return nil, err
		}
		done := 0
		for _, a := range arrays {
			if a.Len() == 0 {
				continue
			}
			e := newView(a.Data(), a.Len())
			for _, m := range v.masks {
				e.masks = append(e.masks, mask{m.bits, m.first + done})
			}
			done += a.Len()
			plain = append(plain, e)
		}
	}
	return plain, nil
}

// expand gathers the value of each row of a view of runs. Arrow's constructors panic on buffers that contradict each other.
func (w *Work) expand(typ arrow.DataType, v view) (arrays []arrow.Array, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = malformed(fmt.Errorf("run-end encoding: %v", p))
		}
	}()
	buf, err := w.temporary(4 * v.rows)
	if err != nil {
		return nil, err
	}
	rows := arrow.Uint32Traits.CastFromBytes(buf)
	ends := array.MakeFromData(v.data.Children()[0])
	defer ends.Release()
	switch e := ends.(type) {
	case *array.Int16:
		runRows(rows, e.Int16Values(), v.first)
	case *array.Int32:
		runRows(rows, e.Int32Values(), v.first)
	case *array.Int64:
		runRows(rows, e.Int64Values(), v.first)
	}
	values := array.MakeFromData(v.data.Children()[1])
	w.held = append(w.held, values)
	arrays, err = take.Take(w.ctx, typ, []arrow.Array{values}, rows,
		take.Options{Allocator: w.mem, Threads: w.Job.Threads, Split: true})
	w.held = append(w.held, arrays...)
	return arrays, err
}

// runRows writes the number of the run that holds each of the rows from first on; ends are the exclusive ends of the runs.
// A row behind the last run gets the number of runs, which is no row of the values.
func runRows[E int16 | int32 | int64](rows []uint32, ends []E, first int) {
	run := sort.Search(len(ends), func(i int) bool { return int(ends[i]) > first })
	for i := range rows {
		for run < len(ends) && int(ends[run]) <= first+i {
			run++
		}
		rows[i] = uint32(run)
	}
}
