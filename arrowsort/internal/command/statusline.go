package command

import (
	"fmt"
	"io"
	"math"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"
)

// A statusLine is standard error on a terminal. Its last line shows the state of a job; other output goes above it. It
// may be used by several goroutines.
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

// start draws the state from now on. Its text is cut to the space that amount, bar and time leave. The last column
// stays free, because terminals wrap after it.
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

// A jobState is the progress of a phase. It does not change.
type jobState struct {
	text        string
	unit        unit
	done, total int64 // a total of 0 is not known
	start       time.Time
}

// A unit is the unit of a phase's amounts.
type unit int

const (
	inSteps unit = iota // not shown
	inBytes
	inRows
)

// The columns of a bar, and the time from which the remaining time is estimated.
const (
	leastBar, mostBar = len("  ||") + 10, len("  ||") + 30
	leastEstimated    = 2 * time.Second
)

// time returns the time since the start, and the estimate of the rest.
func (s *jobState) time() string {
	elapsed, share := time.Since(s.start), s.share()
	if share > 0 && elapsed >= leastEstimated {
		return "  " + seconds(elapsed) + ", " + seconds(time.Duration(float64(elapsed)*(1/share-1))) + " left"
	}
	return "  " + seconds(elapsed)
}

// snip cuts a text to a number of columns.
func snip(s string, columns int) string {
	if columns <= 0 {
		return ""
	}
	return text.Snip(s, columns, "…")
}

// share returns the completed part of the total. It is less than 1: a phase that is complete gives way to the next.
func (s *jobState) share() float64 {
	if s.total <= 0 {
		return 0
	}
	return min(float64(max(s.done, 0))/float64(s.total), 0.999)
}

// amount returns the completed amount; empty if it is unknown.
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

// seconds formats a time in whole seconds, such as 12s or 1m5s.
func seconds(d time.Duration) string { return d.Truncate(time.Second).String() }

// streams are the standard streams.
type streams struct {
	in                      io.Reader
	out, err                io.Writer
	outTerminal, inTerminal bool
	status                  *statusLine                           // of err on a terminal; nil: it is none
	outMissing              bool                                  // it was closed when the process started
	outWidth                int                                   // of the terminal; 0: it is none
	progress                func(phase string, done, total int64) // of what runs; nil: nobody asks
	stores                  *stores                               // of addresses; nil: there is none
}

// isTerminal reports whether a stream is a terminal.
func isTerminal(stream *os.File) bool { return term.IsTerminal(int(stream.Fd())) }
