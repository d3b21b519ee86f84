package main

import (
	"strings"
	"time"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// phases shows the phases of the work as they come, and takes their times.
type phases struct {
	job    *job
	input  string // in words
	output string // a file; empty: none
	phase  string
	move   func(done, total int)
	start  time.Time
}

// phases does the work of a job with its phases shown. Errors are in terms of the command.
func (j *job) phases(input, output string, opts *parquetsort.Options, work func() error) error {
	p := &phases{job: j, input: input, output: output, start: time.Now()}
	opts.Progress = p.report
	if j.report.Command == mergeName {
		p.begin(parquetsort.PhaseRead)
	}
	err := work()
	p.end(err == nil)
	return inTerms(err)
}

func (p *phases) begin(phase string) {
	if p.phase != "" {
		p.start = time.Now()
	} // else what was done before the first phase counts as part of it
	show := p.job.show
	p.phase, p.move = phase, nil
	verb, what := phase, p.input
	switch phase {
	case parquetsort.PhaseSort:
		what = "by " + strings.Join(p.job.report.Keys, ", ")
	case parquetsort.PhaseMeasure:
		what = "the keys"
	case parquetsort.PhaseCheck:
		if p.job.report.ReadSeconds > 0 {
			what = "the order" // of a table in memory
		}
	case parquetsort.PhaseRead:
		if p.job.report.Command == mergeName {
			verb = "reading"
		}
	case parquetsort.PhaseWrite, parquetsort.PhaseSave:
		if what = displayName(p.output, "standard output"); p.output == "" {
			if what = "the first rows"; phase == parquetsort.PhaseSave {
				return
			}
		}
		if p.output == tablefile.Pipe && p.job.outTerminal {
			p.job.show = newProgress(p.job.streams, true) // a bar would be drawn among the rows
			show = p.job.show
		}
	}
	p.move = show.begin(verb, what)
}

func (p *phases) end(ok bool) {
	r := &p.job.report
	seconds := &r.SortSeconds
	switch p.phase {
	case parquetsort.PhaseLoad, parquetsort.PhaseTypes:
		seconds = &r.ReadSeconds
	case parquetsort.PhaseWrite, parquetsort.PhaseSave, parquetsort.PhaseCopy:
		seconds = &r.WriteSeconds
	}
	*seconds += time.Since(p.start).Seconds()
	p.job.show.end(ok)
}

func (p *phases) report(phase string, done, total int64) {
	if phase != p.phase {
		if p.phase != "" {
			p.end(true)
		}
		p.begin(phase)
	}
	if p.move != nil {
		p.move(int(done), int(total))
	}
}
