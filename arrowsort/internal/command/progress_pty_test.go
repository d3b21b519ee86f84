//go:build unix

package command

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/stretchr/testify/require"
)

// terminal runs a function with a pseudo-terminal of some columns, and returns what was on its screen.
func terminal(t *testing.T, columns int, use func(tty *os.File)) *screen {
	ptmx, tty, err := pty.Open()
	require.NoError(t, err)
	require.NoError(t, pty.Setsize(tty, &pty.Winsize{Rows: 24, Cols: uint16(columns)}))
	shown, done := newScreen(columns), make(chan error, 1)
	go func() {
		var failed error
		buffer := make([]byte, 101) // cuts sequences and characters, as reads may do
		for {
			n, err := ptmx.Read(buffer)
			if err != nil { // all ends of the terminal are closed
				done <- failed
				return
			}
			if failed == nil {
				_, failed = io.Copy(shown, bytes.NewReader(buffer[:n]))
			}
		}
	}()
	use(tty)
	require.NoError(t, tty.Close())
	require.NoError(t, <-done)
	require.NoError(t, ptmx.Close())
	return shown
}

// TestLineOfAState in terminals of some columns, of which the last one stays free.
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
			"reading  25%  |████████" + pad(22) + "|  9s, 27s left"},
		"early":         {at("reading", inBytes, 25, 100), s, 50, "reading  25%  |████████" + pad(22) + "|  1s"},
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
		require.Equal(t, c.want, draw(t, c.state, c.elapsed, c.columns+1), name)
	}
	for columns := range 120 { // never more than there are
		state := at("reading 飛行機.parquet", inBytes, 3, 4)
		require.Less(t, text.StringWidthWithoutEscSequences(draw(t, state, time.Minute, columns+1)), columns+1)
	}
}

// draw is the line of a state in a terminal of some columns.
func draw(t *testing.T, s jobState, elapsed time.Duration, columns int) string {
	s.start = time.Now().Add(-elapsed)
	shown := terminal(t, columns, func(tty *os.File) {
		l := &statusLine{terminal: tty}
		l.state.Store(&s)
		l.start()
		l.end()
	})
	require.Empty(t, shown.text())
	return strings.Join(shown.drawings, "\n")
}

// pad is the empty part of a bar.
func pad(columns int) string { return strings.Repeat(" ", columns) }

// TestLinesAboveTheState, which is never drawn after the line was closed.
func TestLinesAboveTheState(t *testing.T) {
	defer func(usual time.Duration) { drawEvery = usual }(drawEvery)
	drawEvery = time.Millisecond
	shown := terminal(t, 40, func(tty *os.File) {
		l := &statusLine{terminal: tty}
		l.state.Store(&jobState{text: "reading", start: time.Now()})
		fmt.Fprintln(l, "before")
		l.start()
		fmt.Fprintln(l, "a warning")
		time.Sleep(20 * drawEvery)
		l.end()
		fmt.Fprintln(l, "after")
		l.close()
		l.start()
		fmt.Fprintln(l, "the end")
	})
	require.Equal(t, "before\na warning\nafter\nthe end", shown.text())
	require.NotEmpty(t, shown.drawings)
	for _, s := range shown.drawings {
		require.Equal(t, "reading  0s", s)
	}
}

// drawing is a state on the screen: the phase, then the amount.
var drawing = regexp.MustCompile(`^(.*?)(?:  +(\d+)%|  [\d.,]+ \w+)?(?:  \|█* *\|)?  (?:\d+[hms])+` +
	`(?:, (?:\d+[hms])+ left)?$`)

// requireOnePhaseAtATime requires that each drawing is one line that does not reach the last column, that no phase
// comes again, and that none goes back. It returns the phases.
func requireOnePhaseAtATime(t *testing.T, s *screen) (phases []string) {
	t.Helper()
	last := 0
	for _, text := range s.drawings {
		require.Less(t, len([]rune(text)), s.columns)
		match := drawing.FindStringSubmatch(text)
		require.NotNil(t, match, "%q", text)
		percent, _ := strconv.Atoi(match[2])
		if len(phases) == 0 || phases[len(phases)-1] != match[1] {
			require.NotContains(t, phases, match[1])
			phases, last = append(phases, match[1]), 0
		}
		require.GreaterOrEqual(t, percent, last, "%q", s.drawings)
		last = percent
	}
	return phases
}

// TestOneBarOfWhichNothingRemains in all kinds of jobs, in terminals of 80 and of 200 columns.
func TestOneBarOfWhichNothingRemains(t *testing.T) {
	defer func(usual time.Duration) { drawEvery = usual }(drawEvery)
	drawEvery = time.Millisecond
	t.Chdir(filepath.Dir(wideText(t)))
	for key, path := range map[string]string{"text": "in.parquet", "n": "sorted.parquet"} {
		require.Equal(t, result{}, cli(t, nil, "sort", "-q", "-k", key, "-o", path, "in.csv"))
	}
	stream := cli(t, nil, "sort", "-q", "-k", "text", "-o", "-", "in.parquet").out
	const summary = `\d+.\d{3} s(: .*)?(; [\d,]+ rows per second)?\n`
	const depth = `rows of one n: .* row groups? before, .* now\n`
	for name, c := range map[string]struct {
		args   string
		phases []string // some that are shown
		want   string   // what remains
	}{
		"in memory": {"sort -k n:desc -o o.parquet in.parquet", nil,
			`60,000 rows, 2 columns, sorted by n \(descending\)\n.* in, .* out .*\n` + summary},
		"spilled": {"sort -k n:desc --memory 16MiB -o o.parquet in.parquet in.parquet",
			[]string{"reading and sorting 2 files", "merging and writing o.parquet"},
			`120,000 rows, 2 columns, sorted by .*\n.* in, .* out .*\n` + summary + `\d runs, .* MB spilled\n` + depth},
		"merged": {"merge -k n -o o.parquet sorted.parquet sorted.parquet", []string{"merging and writing o.parquet"},
			`120,000 rows, 2 columns, merged by n\n.*\n` + summary},
		"merged in passes": {"merge -k n --memory 16MiB -o o.arrow" + strings.Repeat(" sorted.parquet", 7),
			[]string{"merging runs"}, `420,000 rows, .*\n.*\n` + summary + `\d runs, .*\n`},
		"unique": {"sort -k text --unique --memory 16MiB -o o.arrow in.parquet sorted.parquet",
			[]string{"reading and sorting 2 files"},
			`120,000 rows in, 1,000 rows out, 2 columns, sorted by text\n.* in, .* out\n` + summary + `\d runs, .*\n`},
		"checked": {"check -k n sorted.parquet", nil, "sorted\n"},
		"several outputs": {"sort -k n --rows-per-file 20000 -o s.parquet in.parquet", nil,
			`60,000 rows, .*\n.* out in 3 files .*\n` + summary + depth},
		"CSV": {"sort -k n -o o.csv in.csv", nil, `60,000 rows, 2 columns, sorted by n\n.*\n` + summary},
		"standard input": {"sort -k n -o o.arrow -", nil,
			`60,000 rows, 2 columns, sorted by n\n.*\n` + summary},
		"an error": {"check -k n:desc --format arrow in.parquet", nil, "(?s)arrowsort: .*--format parquet\n"},
	} {
		for i, columns := range []int{80, 200} {
			if i == 1 && name != "spilled" && name != "merged" {
				continue
			}
			t.Run(fmt.Sprintf("%s, %d columns", name, columns), func(t *testing.T) {
				shown := terminal(t, columns, func(tty *os.File) {
					status := &statusLine{terminal: tty}
					run(t.Context(), strings.Fields(c.args),
						streams{in: strings.NewReader(stream), out: status, err: status, status: status})
				})
				phases := requireOnePhaseAtATime(t, shown)
				require.True(t, len(phases) > 0 || name == "an error" || name == "checked", "these are quick")
				for _, phase := range c.phases {
					require.Contains(t, phases, phase)
				}
				require.Regexp(t, "^"+c.want+"$", shown.text()+"\n")
			})
		}
	}
}

// TestNoBarAmongTheRows: what is written to a terminal is not drawn over.
func TestNoBarAmongTheRows(t *testing.T) {
	defer func(usual time.Duration) { drawEvery = usual }(drawEvery)
	drawEvery = time.Millisecond
	in := wideText(t)
	for _, outTerminal := range []bool{true, false} {
		var out bytes.Buffer
		shown := terminal(t, 80, func(tty *os.File) {
			status := &statusLine{terminal: tty}
			code := run(t.Context(), []string{"sort", "-k", "n:desc", "-o", "-", "--output-format", "csv", in},
				streams{out: &out, err: status, outTerminal: outTerminal, status: status})
			require.Equal(t, 0, code)
		})
		require.Equal(t, 60_001, bytes.Count(out.Bytes(), []byte("\n")))
		shows := func(phase string) bool {
			return slices.ContainsFunc(shown.drawings, func(s string) bool { return strings.HasPrefix(s, phase) })
		}
		require.True(t, shows("reading and sorting in.csv "))
		require.Equal(t, !outTerminal, shows("merging and writing standard output "))
	}
}

// TestBarOfTheProgram that is interrupted while it waits for a pipe with a long name.
func TestBarOfTheProgram(t *testing.T) {
	folder := t.TempDir()
	in := filepath.Join(folder, "a name that is longer than the terminal is wide, 飛行機.parquet")
	require.NoError(t, syscall.Mkfifo(in, 0o600))
	shown := terminal(t, 40, func(tty *os.File) {
		cmd := exec.CommandContext(t.Context(), built(t), "sort", "-k", "n", "-o", filepath.Join(folder, "o.csv"), in)
		cmd.Stderr = tty
		require.NoError(t, cmd.Start())
		w, err := os.OpenFile(in, os.O_WRONLY, 0)
		require.NoError(t, err)
		time.Sleep(5 * drawEvery)
		require.NoError(t, cmd.Process.Signal(os.Interrupt))
		requireEnd(t, cmd, &watched{}, nil)
		require.NoError(t, w.Close())
	})
	require.Equal(t, interrupted, shown.text())
	require.Equal(t, []string{"opening a name that is longer than…"}, requireOnePhaseAtATime(t, shown))
}
