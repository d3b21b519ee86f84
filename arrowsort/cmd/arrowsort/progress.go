package main

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
)

// progress shows what a command does while it does it: a bar on a terminal, plain lines elsewhere, nothing when quiet.
type progress struct {
	w        io.Writer
	terminal bool
	quiet    bool
	bar      *progressbar.ProgressBar
	what     string
	start    time.Time
}

func newProgress(s streams, quiet bool) *progress {
	return &progress{w: s.err, terminal: s.errTerminal, quiet: quiet}
}

// begin starts a phase. What it returns is told how far the phase is; a total of 0 is an unknown one.
func (p *progress) begin(verb, what string) func(done, total int) {
	p.what, p.start = verb+" "+printable(what), time.Now()
	switch {
	case p.quiet:
		return nil
	case !p.terminal:
		fmt.Fprintln(p.w, p.what)
		return nil
	}
	p.bar = newBar(p.w, p.what)
	return p.move
}

func (p *progress) move(done, total int) {
	if total <= 0 {
		_ = p.bar.Add(0) // turns the spinner; a terminal that is gone stops nothing
		return
	}
	if p.bar.GetMax() != total {
		p.bar.ChangeMax(total)
	}
	_ = p.bar.Set(done)
}

// end ends the phase. Its bar gives way to a line, or to the line of an error.
func (p *progress) end(ok bool) {
	if p.bar == nil {
		return
	}
	_ = p.bar.Clear()
	p.bar = nil
	if ok {
		fmt.Fprintf(p.w, "%s: %.3f s\n", p.what, time.Since(p.start).Seconds())
	}
}

func newBar(w io.Writer, what string) *progressbar.ProgressBar {
	return progressbar.NewOptions(-1,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetDescription(what),
		progressbar.OptionSetWidth(30),
		progressbar.OptionThrottle(50*time.Millisecond),
		progressbar.OptionSetRenderBlankState(true),
	)
}
