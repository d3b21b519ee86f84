package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/term"
)

// A statusLine is standard error on a terminal: its last line shows one state of a job, which gives way to what is
// written. It may be used by several goroutines.
type statusLine struct {
	terminal io.Writer
	width    func() int // of the terminal in columns; 0: it is not known

	mu     sync.Mutex
	drawn  string // the line; empty: there is none
	closed bool   // nothing is drawn any more
}

func newStatusLine(terminal *os.File) *statusLine {
	return &statusLine{terminal: terminal, width: func() int {
		width, _, _ := term.GetSize(int(terminal.Fd())) // 0 after an error
		return width
	}}
}

// eraseLine goes to the start of the line and erases it.
const eraseLine = "\r\x1b[K"

// Write erases the line and writes whole lines in its place.
func (l *statusLine) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.erase()
	return l.terminal.Write(p)
}

func (l *statusLine) erase() {
	if l.drawn != "" {
		_, _ = io.WriteString(l.terminal, eraseLine) // a terminal that is gone stops no job
		l.drawn = ""
	}
}

// draw shows a state. It never reaches the last column, after which terminals go to the next line.
func (l *statusLine) draw(s *jobState) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	const usual = 80
	width := l.width()
	if width <= 0 {
		width = usual
	}
	if line := s.line(time.Since(s.start), width-1); line != l.drawn {
		_, _ = io.WriteString(l.terminal, eraseLine+line)
		l.drawn = line
	}
}

// close erases the line for good.
func (l *statusLine) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.erase()
	l.closed = true
}

// A jobState is how far a phase of a job is. It does not change.
type jobState struct {
	text        string
	unit        unit
	done, total int64 // a total of 0 is not known
	start       time.Time
}

// A unit is what the amounts of a phase are.
type unit int

const (
	inSteps unit = iota // which mean nothing to a reader
	inBytes
	inRows
)

// The columns of a bar, and the time from which the remaining time is estimated.
const (
	leastBar, mostBar = 10, 30
	leastEstimated    = 2 * time.Second
)

// line is the state in one line of some columns at most: the phase, how much of it is done, a bar and the time. Where
// there are few columns the bar is left out, and the phase is cut.
func (s *jobState) line(elapsed time.Duration, columns int) string {
	amount, times, share := s.amount(), seconds(elapsed), s.share()
	if share > 0 && elapsed >= leastEstimated {
		times += ", " + seconds(time.Duration(float64(elapsed)*(1/share-1))) + " left"
	}
	tail := "  " + times
	if amount != "" {
		tail = "  " + amount + tail
	}
	bar := min(columns-text.StringWidthWithoutEscSequences(s.text+tail)-len("  ||"), mostBar)
	if s.total > 0 && bar >= leastBar {
		full := int(share * float64(bar))
		tail = fmt.Sprintf("  %s  |%s%s|  %s", amount, strings.Repeat("█", full), strings.Repeat(" ", bar-full), times)
	}
	return snip(s.text, columns-text.StringWidthWithoutEscSequences(tail)) + snip(tail, columns)
}

// snip cuts a text to some columns.
func snip(s string, columns int) string {
	if columns <= 0 {
		return ""
	}
	return text.Snip(s, columns, "…")
}

// share is the done part of the total. It is less than 1, as a phase that is done gives way to the next.
func (s *jobState) share() float64 {
	if s.total <= 0 {
		return 0
	}
	return min(float64(max(s.done, 0))/float64(s.total), 0.999)
}

func (s *jobState) amount() string {
	switch {
	case s.total > 0:
		return fmt.Sprintf("%2.0f%%", math.Floor(s.share()*100))
	case s.done > 0 && s.unit == inBytes:
		return bytesText(s.done)
	case s.done > 0 && s.unit == inRows:
		return counted(s.done, "row")
	}
	return ""
}

// seconds is a time in whole seconds, such as 12s or 1m5s.
func seconds(d time.Duration) string { return d.Truncate(time.Second).String() }

// A bar draws the state of a job on the status line, again and again until it is stopped.
type bar struct {
	line          *statusLine
	state         atomic.Pointer[jobState]
	stop, stopped chan struct{}
}

// drawEvery is the time between two drawings.
var drawEvery = 100 * time.Millisecond

func startBar(line *statusLine) *bar {
	b := &bar{line: line, stop: make(chan struct{}), stopped: make(chan struct{})}
	go func() {
		defer close(b.stopped)
		ticker := time.NewTicker(drawEvery)
		defer ticker.Stop()
		for {
			select {
			case <-b.stop:
				return
			case <-ticker.C:
				if s := b.state.Load(); s != nil {
					b.line.draw(s)
				}
			}
		}
	}()
	return b
}

// end erases the bar.
func (b *bar) end() {
	close(b.stop)
	<-b.stopped
	_, _ = b.line.Write(nil)
}
