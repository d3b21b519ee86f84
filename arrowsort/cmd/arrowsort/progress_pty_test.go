//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
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
		buffer := make([]byte, 1<<12)
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
	const summary = `\d.\d{3} s(: .*)?(; [\d,]+ rows per second)?\n`
	for name, c := range map[string]struct {
		args   string
		phases []string // some that are shown
		want   string   // what remains
	}{
		"in memory": {"sort -k n:desc -o o.parquet in.parquet", nil,
			`60,000 rows, 2 columns, sorted by n \(descending\)\n.* in, .* out .*\n` + summary},
		"spilled": {"sort -k n:desc --memory 16MiB -o o.parquet in.parquet in.parquet",
			[]string{"reading and sorting 2 files", "merging and writing o.parquet"},
			`120,000 rows, 2 columns, sorted by .*\n.* in, .* out .*\n` + summary + `\d runs, .* MB spilled\n`},
		"merged": {"merge -k n -o o.parquet sorted.parquet sorted.parquet", []string{"merging and writing o.parquet"},
			`120,000 rows, 2 columns, merged by n\n.*\n` + summary},
		"merged in passes": {"merge -k n --memory 16MiB -o o.arrow" + strings.Repeat(" sorted.parquet", 7),
			[]string{"merging runs"}, `420,000 rows, .*\n.*\n` + summary + `\d runs, .*\n`},
		"unique": {"sort -k text --unique --memory 16MiB -o o.arrow in.parquet sorted.parquet",
			[]string{"reading and sorting 2 files"},
			`120,000 rows in, 1,000 rows out, 2 columns, sorted by text\n.* in, .* out\n` + summary + `\d runs, .*\n`},
		"checked": {"check -k n sorted.parquet", nil, "sorted\n"},
		"several outputs": {"sort -k n --rows-per-file 20000 -o s.parquet in.parquet", nil,
			`60,000 rows, .*\n.* out in 3 files .*\n` + summary},
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
					status := newStatusLine(tty)
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
		require.Error(t, cmd.Wait())
		require.NoError(t, w.Close())
	})
	require.Equal(t, interrupted, shown.text())
	require.Equal(t, []string{"opening a name that is longer than…"}, requireOnePhaseAtATime(t, shown))
}
