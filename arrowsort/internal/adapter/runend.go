package adapter

import (
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/take"
)

// expandRuns turns views of runs into views of plain values, which the JobBuilder holds.
func (w *JobBuilder) expandRuns(views []view) ([]view, error) {
	var plain []view
	for _, v := range views {
		arrays, err := take.Expand(
			w.ctx, v.data, v.first, v.rows, take.Options{Allocator: w.mem, Threads: w.Job.Threads},
		)
		if err != nil {
			return nil, err
		}
		plain = append(plain, w.hold(arrays, v.masks)...)
	}
	return plain, nil
}

// hold takes over arrays that have the values of the rows of a view, with its masks, and returns views of them.
func (w *JobBuilder) hold(arrays []arrow.Array, masks []mask) (views []view) {
	w.held = append(w.held, arrays...)
	done := 0
	for _, a := range arrays {
		if a.Len() == 0 {
			continue
		}
		v := newView(a.Data(), a.Len())
		for _, m := range masks {
			v.masks = append(v.masks, mask{m.bits, m.first + done})
		}
		done += a.Len()
		views = append(views, v)
	}
	return views
}
