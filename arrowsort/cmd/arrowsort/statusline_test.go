package main

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/stretchr/testify/require"
)

func TestLineOfAState(t *testing.T) {
	const s = time.Second
	at := func(text string, unit unit, done, total int64) jobState {
		return jobState{text: text, unit: unit, done: done, total: total}
	}
	for name, c := range map[string]struct {
		state   jobState
		elapsed time.Duration
		columns int
		want    string
	}{
		"all of it": {at("reading", inBytes, 25, 100), 9 * s, 79,
			"reading  25%  |███████" + pad(23) + "|  9s, 27s left"},
		"early":         {at("reading", inBytes, 25, 100), s, 50, "reading  25%  |███████" + pad(23) + "|  1s"},
		"shorter bar":   {at("reading", inBytes, 1, 2), s, 30, "reading  50%  |█████     |  1s"},
		"no bar":        {at("reading", inBytes, 1, 2), s, 29, "reading  50%  1s"},
		"cut":           {at("reading", inBytes, 1, 2), s, 14, "read…  50%  1s"},
		"all done":      {at("reading", inBytes, 2, 2), 0, 20, "reading  99%  0s"},
		"more than all": {at("reading", inBytes, 9, 2), 0, 20, "reading  99%  0s"},
		"bytes":         {at("reading", inBytes, 1500, 0), 65 * s, 79, "reading  1.5 kB  1m5s"},
		"rows":          {at("writing", inRows, 1500, 0), s, 79, "writing  1,500 rows  1s"},
		"steps":         {at("sorting", inSteps, 7, 0), s, 79, "sorting  1s"},
		"nothing yet":   {at("sorting", inRows, 0, 0), 0, 79, "sorting  0s"},
		"no columns":    {at("sorting", inRows, 0, 0), 0, 0, ""},
		"wide letters":  {at("読む飛行機", inBytes, 1, 2), 0, 16, "読む飛…  50%  0s"},
	} {
		require.Equal(t, c.want, c.state.line(c.elapsed, c.columns), name)
	}
	for columns := range 120 { // never more than there are
		state := at("reading 飛行機.parquet", inBytes, 3, 4)
		require.LessOrEqual(t, text.StringWidthWithoutEscSequences(state.line(time.Minute, columns)), columns)
	}
}

// pad is the empty part of a bar.
func pad(columns int) string { return strings.Repeat(" ", columns) }

// TestLinesTakeThePlaceOfTheState, which is never drawn after the line was closed.
func TestLinesTakeThePlaceOfTheState(t *testing.T) {
	screen := newScreen(40)
	l := &statusLine{terminal: screen, width: func() int { return 40 }}
	state := &jobState{text: "reading", start: time.Now()}
	l.draw(state)
	require.Equal(t, "reading  0s", screen.text())
	fmt.Fprintln(l, "a warning")
	require.Equal(t, "a warning", screen.text())
	l.draw(state)
	require.Equal(t, "a warning\nreading  0s", screen.text())
	l.close()
	l.draw(state)
	require.Equal(t, "a warning", screen.text())
}

// A screen is a terminal of some columns and any number of lines. It has the sequences that the status line uses, and
// fails at others.
type screen struct {
	columns     int
	lines       [][]rune
	row, column int
	drawings    []string // what was on the screen before each line was erased that was not empty
}

func newScreen(columns int) *screen { return &screen{columns: columns, lines: [][]rune{nil}} }

func (s *screen) Write(p []byte) (int, error) {
	for rest := string(p); rest != ""; {
		if after, ok := strings.CutPrefix(rest, "\x1b[K"); ok {
			if len(s.lines[s.row]) > 0 {
				s.drawings = append(s.drawings, s.text())
			}
			s.lines[s.row], rest = s.lines[s.row][:min(s.column, len(s.lines[s.row]))], after
			continue
		}
		c, n := utf8.DecodeRuneInString(rest)
		if c == utf8.RuneError || c < ' ' && c != '\r' && c != '\n' {
			return 0, fmt.Errorf("the terminal does not have %q", rest)
		}
		rest = rest[n:]
		s.put(c)
	}
	return len(p), nil
}

// put puts a character. One after the last column goes to the next line.
func (s *screen) put(c rune) {
	switch {
	case c == '\r':
		s.column = 0
		return
	case c == '\n' || s.column == s.columns:
		s.row, s.column = s.row+1, 0
		s.lines = append(s.lines, nil)
		if c == '\n' {
			return
		}
	}
	for line := &s.lines[s.row]; len(*line) <= s.column; {
		*line = append(*line, ' ')
	}
	s.lines[s.row][s.column] = c
	s.column++
}

// text is what the screen shows, without empty lines at its end.
func (s *screen) text() string {
	var b strings.Builder
	for _, line := range s.lines {
		b.WriteString(strings.TrimRight(string(line), " ") + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}
