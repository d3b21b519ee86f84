package command

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// A screen is a terminal of some columns and any number of lines. It has the sequences that the status line uses, and
// fails at others.
type screen struct {
	columns     int
	lines       [][]rune
	row, column int
	drawings    []string // each text that was erased
	started     string   // the start of a sequence or a character, which reads may cut
}

// The sequences of a screen: the cursor goes up by a line; what is at it and after it is erased.
const up, eraseBelow = "\x1b[1A", "\x1b[J"

func newScreen(columns int) *screen { return &screen{columns: columns, lines: [][]rune{nil}} }

func (s *screen) Write(p []byte) (int, error) {
	rest := s.started + string(p)
	for s.started = ""; rest != ""; {
		if after, ok := strings.CutPrefix(rest, up); ok {
			s.row, rest = max(s.row-1, 0), after
			continue
		}
		if after, ok := strings.CutPrefix(rest, eraseBelow); ok {
			if erased := textOf(s.lines[s.row:]); erased != "" {
				s.drawings = append(s.drawings, erased)
			}
			s.lines, rest = s.lines[:s.row+1], after
			s.lines[s.row] = s.lines[s.row][:min(s.column, len(s.lines[s.row]))]
			continue
		}
		if !utf8.FullRuneInString(rest) || strings.HasPrefix(up, rest) || strings.HasPrefix(eraseBelow, rest) {
			s.started = rest
			break
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
		if s.row == len(s.lines) {
			s.lines = append(s.lines, nil)
		}
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
func (s *screen) text() string { return textOf(s.lines) }

func textOf(lines [][]rune) string {
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(strings.TrimRight(string(line), " ") + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}
