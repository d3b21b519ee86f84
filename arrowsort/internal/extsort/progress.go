package extsort

import "sync"

// A Phase is a step of a sort, as progress reports call it.
type Phase string

// The phases of a Sorter, all after the last Write.
const (
	PhaseSort  Phase = "sorting"             // all rows, in memory
	PhaseMerge Phase = "merging runs"        // where they, or sorted sources, are more than are merged at once
	PhaseWrite Phase = "merging and writing" // the sorted rows
)

// A rowProgress is the progress of rows that are read to be merged, and written. That of nil is not reported.
type rowProgress struct {
	mu            sync.Mutex
	report        func(done, total int64) // nil before begin
	read, written int64
	rows          int64 // that are read to be merged in all; 0: they are in memory
	wanted        int64 // that are written in all; 0: the number is not known
}

// begin begins the phase in which rows are written.
func (p *rowProgress) begin(opts *Options, phase Phase, wanted int64) {
	p.wanted = wanted
	p.report = func(done, total int64) { opts.Progress(phase, done, total) }
	p.add(0, 0)
}

// add adds rows. A row that is merged counts half when it is read, and half when it is written.
func (p *rowProgress) add(read, written int64) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.read, p.written = p.read+read, p.written+written
	switch {
	case p.report == nil:
	case p.wanted == 0 || p.rows == 0:
		p.report(p.written, p.wanted)
	default:
		written := int64(float64(p.written) / float64(p.wanted) * float64(p.rows))
		p.report((p.read+written)/2, p.rows)
	}
}
