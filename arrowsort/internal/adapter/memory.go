package adapter

import "github.com/arrowsort/arrowsort/arrowsort/engine"

// temporary is memory that lives as long as the job.
func (w *JobBuilder) temporary(n int) ([]byte, error) {
	if err := w.ctx.Err(); err != nil {
		return nil, err
	}
	b, err := engine.Allocate(w.mem, n)
	if b != nil {
		w.temp = append(w.temp, b)
	}
	return b, err
}

// zeros is temporary memory of n zero bytes.
func (w *JobBuilder) zeros(n int) ([]byte, error) {
	b, err := w.temporary(n)
	clear(b)
	return b, err
}
