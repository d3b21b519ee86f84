package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// progress takes the times of the phases of a job, and shows them, one at a time: with a bar on a terminal, of which
// nothing remains, as plain lines elsewhere.
type progress struct {
	job   *job
	phase string
	text  string // empty: the phase is not shown
	bar   *bar   // nil: there is none
	start time.Time
}

// startProgress starts with the phase in which the inputs are opened.
func startProgress(j *job) *progress {
	p := &progress{job: j, start: time.Now()}
	if j.shows && j.status != nil {
		p.bar = startBar(j.status)
		p.show("opening "+filesText(j.files), 0, 0)
	}
	return p
}

// report is called by package parquetsort. A total of 0 or less is unknown.
func (p *progress) report(phase string, done, total int64) {
	if phase != p.phase {
		if p.phase != "" {
			p.endPhase()
		} // else what was done before the first phase counts as part of it
		p.begin(phase)
	}
	p.show(p.text, done, total)
}

func (p *progress) begin(phase string) {
	p.phase, p.text = phase, printable(p.describe(phase))
	saves := phase == parquetsort.PhaseWrite || phase == parquetsort.PhaseSave
	if saves && p.job.output == tablefile.Pipe && p.job.outTerminal {
		p.job.shows = false // a bar would be drawn among the rows
		p.endBar()
	}
	if p.job.shows && p.job.status == nil && p.text != "" {
		fmt.Fprintln(p.job.err, p.text)
	}
}

// show has the bar show the phase.
func (p *progress) show(text string, done, total int64) {
	if p.bar != nil && text != "" {
		p.bar.state.Store(&jobState{text, unitOf(p.phase), done, total, p.start})
	}
}

// unitOf is the unit of a phase. Loading has one only where the total is not known, from a pipe.
func unitOf(phase string) unit {
	switch phase {
	case parquetsort.PhaseSort, parquetsort.PhaseSave, parquetsort.PhaseMeasure:
		return inSteps
	case parquetsort.PhaseWrite, parquetsort.PhaseMerge:
		return inRows
	}
	return inBytes
}

// describe names a phase and what it works on; empty for one that is not shown.
func (p *progress) describe(phase string) string {
	j := p.job
	switch phase {
	case parquetsort.PhaseSort:
		return phase + " by " + keysInWords(j.keys)
	case parquetsort.PhaseMeasure:
		return phase + " the keys"
	case parquetsort.PhaseMerge:
		return phase
	case parquetsort.PhaseCheck:
		if j.report.ReadSeconds > 0 {
			return phase + " the order" // of a table in memory
		}
	case parquetsort.PhaseWrite, parquetsort.PhaseSave:
		switch {
		case j.output != "":
			return phase + " " + displayName(j.output, "standard output")
		case phase == parquetsort.PhaseSave:
			return ""
		}
		return phase + " the first rows"
	}
	return phase + " " + filesText(j.files)
}

// endPhase adds the time of the phase to the report.
func (p *progress) endPhase() {
	elapsed := time.Since(p.start).Seconds()
	p.start = time.Now()
	switch r := &p.job.report; p.phase {
	case parquetsort.PhaseLoad, parquetsort.PhaseTypes:
		r.ReadSeconds += elapsed
	case parquetsort.PhaseWrite, parquetsort.PhaseSave, parquetsort.PhaseCopy:
		r.WriteSeconds += elapsed
	default:
		r.SortSeconds += elapsed
	}
}

// end ends the last phase and erases the bar.
func (p *progress) end() {
	p.endPhase()
	p.endBar()
}

func (p *progress) endBar() {
	if p.bar != nil {
		p.bar.end()
		p.bar = nil
	}
}

// warn prints a warning once, above a bar, or has it among the fields of the report.
func (j *job) warn(text string) {
	if slices.Contains(j.report.Warnings, text) {
		return
	}
	j.report.Warnings = append(j.report.Warnings, text)
	if !j.quiet && !j.json {
		fmt.Fprintln(j.err, "arrowsort: warning:", printable(text))
	}
}
