package main

import (
	"fmt"
	"io"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// A statusLine is standard error on a terminal: its last line shows the state of a job, which what is written goes
// above. It may be used by several goroutines.
type statusLine struct {
	terminal io.Writer
	state    atomic.Pointer[jobState]

	mu     sync.Mutex
	bars   *mpb.Progress // nil: nothing is drawn
	bar    *mpb.Bar
	closed bool // nothing is drawn any more
}

// Write writes whole lines, above the state.
func (l *statusLine) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.bars != nil {
		return l.bars.Write(p)
	}
	return l.terminal.Write(p)
}

// drawEvery is the time between two drawings.
var drawEvery = 100 * time.Millisecond

// start draws the state from now on, whose text is cut to what amount, bar and time leave. The last column stays free:
// after it terminals go to the next line.
func (l *statusLine) start() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	var s *jobState
	var time string
	text := decor.Any(func(stat decor.Statistics) string {
		s = l.state.Load() // for one drawing
		time = s.time()
		amount, columns := s.amount(), stat.AvailableWidth-1
		return snip(snip(s.text, columns-len(amount)-len(time))+amount, columns)
	})
	tail := decor.Any(func(stat decor.Statistics) string { return snip(time, stat.AvailableWidth-1) })
	style := mpb.BarStyle().Lbound("  |").Filler("█").Tip("").Padding(" ").Rbound("|").Build()
	bar := func(w io.Writer, stat decor.Statistics) error {
		stat.AvailableWidth--
		if s.total <= 0 || stat.AvailableWidth < leastBar {
			return nil
		}
		stat.Total, stat.Current = s.total, s.done
		return style.Fill(w, stat)
	}
	l.bars = mpb.New(mpb.WithOutput(l.terminal), mpb.WithRefreshRate(drawEvery))
	l.bar, _ = l.bars.Add(0, mpb.BarFillerFunc(bar), mpb.BarWidth(mostBar), mpb.BarFillerTrim(),
		mpb.PrependDecorators(text), mpb.AppendDecorators(tail))
}

// end erases the state.
func (l *statusLine) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.bars != nil {
		l.bar.Abort(true)
		l.bars.Wait()
		l.bars = nil
	}
}

// close erases the state for good.
func (l *statusLine) close() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.end()
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
	leastBar, mostBar = len("  ||") + 10, len("  ||") + 30
	leastEstimated    = 2 * time.Second
)

// time is the time since the start, and what the rest is estimated to take.
func (s *jobState) time() string {
	elapsed, share := time.Since(s.start), s.share()
	if share > 0 && elapsed >= leastEstimated {
		return "  " + seconds(elapsed) + ", " + seconds(time.Duration(float64(elapsed)*(1/share-1))) + " left"
	}
	return "  " + seconds(elapsed)
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

// amount is how much is done; empty: it is not known.
func (s *jobState) amount() string {
	switch {
	case s.total > 0:
		return fmt.Sprintf("  %2.0f%%", math.Floor(s.share()*100))
	case s.done > 0 && s.unit == inBytes:
		return "  " + bytesText(s.done)
	case s.done > 0 && s.unit == inRows:
		return "  " + counted(s.done, "row")
	}
	return ""
}

// seconds is a time in whole seconds, such as 12s or 1m5s.
func seconds(d time.Duration) string { return d.Truncate(time.Second).String() }
