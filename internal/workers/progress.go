package workers

import "sync/atomic"

// Progress returns a function that counts finished tasks and reports their number to a callback, which may be nil, from
// one goroutine at a time.
func Progress(report func(done, total int), total int) func() {
	if report == nil {
		return func() {}
	}
	var done atomic.Int64
	turn := make(chan struct{}, 1)
	return func() {
		n := min(int(done.Add(1)), total) // some tasks run twice
		turn <- struct{}{}
		report(n, total)
		<-turn
	}
}
