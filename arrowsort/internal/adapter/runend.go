package adapter

import (
	"github.com/arrowsort/arrowsort/arrowsort/internal/take"
)

// expandRuns turns views of runs into views of plain values, which the JobBuilder holds.
func (w *JobBuilder) expandRuns(views []view) ([]view, error) {
	var plain []view
	for _, v := range views {
		arrays, err := take.Expand(
			w.ctx, v.data, v.first, v.rows, take.Options{Allocator: w.mem, Threads: w.Job.Threads},
		)
		w.held = append(w.held, arrays...)
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
