package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// progress takes the times of the phases of a job, and shows them: with a bar on a terminal, as plain lines elsewhere.
type progress struct {
	job   *job
	phase string
	text  string // empty: the phase is not shown
	bar   *progressbar.ProgressBar
	start time.Time
}

// report is called by package parquetsort. A total of 0 or less is unknown.
func (p *progress) report(phase string, done, total int64) {
	if phase != p.phase {
		if p.phase != "" {
			p.end(true)
			p.start = time.Now()
		} // else what was done before the first phase counts as part of it
		p.begin(phase)
	}
	switch {
	case p.bar == nil:
	case total <= 0:
		_ = p.bar.Add(0) // turns the spinner; a terminal that is gone stops nothing
	default:
		if p.bar.GetMax64() != total {
			p.bar.ChangeMax64(total)
		}
		_ = p.bar.Set64(done)
	}
}

// warn prints a warning once, above a bar, or has it among the fields of the report.
func (j *job) warn(text string) {
	if slices.Contains(j.report.Warnings, text) {
		return
	}
	j.report.Warnings = append(j.report.Warnings, text)
	if j.quiet || j.json {
		return
	}
	if p := j.progress; p != nil && p.bar != nil {
		_ = p.bar.Clear()
	}
	fmt.Fprintln(j.err, "arrowsort: warning:", printable(text))
}

func (p *progress) begin(phase string) {
	p.phase, p.text = phase, printable(p.describe(phase))
	saves := phase == parquetsort.PhaseWrite || phase == parquetsort.PhaseSave
	if saves && p.job.output == tablefile.Pipe && p.job.outTerminal {
		p.job.shows = false // a bar would be drawn among the rows
	}
	switch {
	case !p.job.shows || p.text == "":
	case p.job.errTerminal:
		p.bar = progressbar.NewOptions(-1, progressbar.OptionSetWriter(p.job.err),
			progressbar.OptionSetDescription(p.text), progressbar.OptionSetWidth(30),
			progressbar.OptionThrottle(50*time.Millisecond), progressbar.OptionSetRenderBlankState(true))
	default:
		fmt.Fprintln(p.job.err, p.text)
	}
}

// describe names a phase and what it works on; empty for one that is not shown.
func (p *progress) describe(phase string) string {
	j := p.job
	switch phase {
	case parquetsort.PhaseSort:
		return phase + " by " + strings.Join(j.report.Keys, ", ")
	case parquetsort.PhaseMeasure:
		return phase + " the keys"
	case parquetsort.PhaseCheck:
		if j.report.ReadSeconds > 0 {
			return phase + " the order" // of a table in memory
		}
	case parquetsort.PhaseRead:
		if j.report.Command == mergeName {
			phase = "reading"
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

// end ends the phase. Its bar gives way to a line, or to the line of an error.
func (p *progress) end(ok bool) {
	elapsed := time.Since(p.start).Seconds()
	switch r := &p.job.report; p.phase {
	case parquetsort.PhaseLoad, parquetsort.PhaseTypes:
		r.ReadSeconds += elapsed
	case parquetsort.PhaseWrite, parquetsort.PhaseSave, parquetsort.PhaseCopy:
		r.WriteSeconds += elapsed
	default:
		r.SortSeconds += elapsed
	}
	if p.bar == nil {
		return
	}
	_ = p.bar.Clear()
	p.bar = nil
	if ok {
		fmt.Fprintf(p.job.err, "%s: %.3f s\n", p.text, elapsed)
	}
}
