package main

import (
	"time"

	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// phases shows the phases of a sort as they come.
type phases struct {
	job    *job
	input  string // in words
	output string // a file
	phase  string
	move   func(done, total int)
	start  time.Time
}

func (p *phases) begin(phase string) {
	p.phase, p.start = phase, time.Now()
	if phase == "" {
		return
	}
	what := p.input
	if phase == parquetsort.PhaseWrite {
		what = displayName(p.output, "standard output")
	}
	verb := phase
	if phase == parquetsort.PhaseRead && p.job.report.Command == mergeName {
		verb = "reading"
	}
	p.move = p.job.show.begin(verb, what)
}

func (p *phases) end(ok bool) {
	seconds := &p.job.report.SortSeconds
	if p.phase == parquetsort.PhaseWrite || p.phase == parquetsort.PhaseCopy {
		seconds = &p.job.report.WriteSeconds
	}
	*seconds = time.Since(p.start).Seconds()
	p.job.show.end(ok)
}

func (p *phases) told(phase string, done, total int64) {
	if phase != p.phase {
		p.end(true)
		p.begin(phase)
	}
	if p.move != nil {
		p.move(int(done), int(total))
	}
}
