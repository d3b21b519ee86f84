//go:build unix

package command

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var buildOnce = sync.OnceValues(func() (string, error) {
	folder, err := os.MkdirTemp("", "arrowsort-test-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, "arrowsort")
	if out, err := exec.Command("go", "build", "-o", path, "../../cmd/arrowsort").CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return path, nil
})

func TestMain(m *testing.M) {
	takeSignals()
	code := m.Run()
	if path, err := buildOnce(); err == nil {
		os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(code)
}

// takeSignals has the commands that tests start take the signals that this process ignores from its start, as under
// nohup. It is for the whole process: after signal.Stop they are ignored again, but signal.Ignored denies it.
func takeSignals() {
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
}

// built is the command line as a program.
func built(t *testing.T) string {
	path, err := buildOnce()
	require.NoError(t, err)
	return path
}

// A watched is standard error of a program that can be looked at meanwhile.
type watched struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(p)
}

func (w *watched) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

// ending is the time that a command may take to end after a signal: 1 s, and more where the machine is busy. One that
// takes as long as hung, also before the signal, does not end by itself.
const (
	ending = 3 * time.Second
	hung   = time.Minute
)

// requireEnd waits for a command that was sent a signal. A command that hangs is killed after it has said what its
// goroutines do, to a pipe which is read only then, if it is not nil.
func requireEnd(t *testing.T, cmd *exec.Cmd, said *watched, pipe *os.File) {
	t.Helper()
	start := time.Now()
	killing := time.AfterFunc(hung, func() {
		if pipe != nil {
			_ = pipe.SetReadDeadline(time.Now().Add(ending))
			go func() { _, _ = io.Copy(said, pipe) }()
		}
		_ = cmd.Process.Signal(syscall.SIGQUIT)
		time.Sleep(ending)
		_ = cmd.Process.Kill()
	})
	require.Error(t, cmd.Wait(), "it was done before the signal")
	require.True(t, killing.Stop(), "it hung:\n%s", said)
	require.Less(t, time.Since(start), ending)
}

// TestSignalsInTheMiddle sends signals to the program while it reads and spills and while it merges and writes, which
// is slow for the sake of this test.
func TestSignalsInTheMiddle(t *testing.T) {
	in := manyPeople(t, "in.parquet")
	before := readFile(t, in)
	for name, c := range map[string]struct {
		signal syscall.Signal
		ready  func(said, spill string) bool
		code   int
	}{
		"Ctrl-C while runs are spilled": {syscall.SIGINT, func(_, spill string) bool {
			runs, _ := filepath.Glob(filepath.Join(spill, "*", "run-*"))
			return len(runs) > 0
		}, 130},
		"Ctrl-C while it writes": {syscall.SIGINT,
			func(said, _ string) bool { return strings.Contains(said, "writing") }, 130},
		"SIGHUP while it writes": {syscall.SIGHUP,
			func(said, _ string) bool { return strings.Contains(said, "writing") }, 129},
		"SIGTERM while it writes": {syscall.SIGTERM,
			func(said, _ string) bool { return strings.Contains(said, "writing") }, 143},
	} {
		t.Run(name, func(t *testing.T) {
			folder, spill := t.TempDir(), t.TempDir()
			out := filepath.Join(folder, "out.parquet")
			require.NoError(t, os.WriteFile(out, []byte("old"), 0o600))
			cmd := exec.CommandContext(t.Context(), built(t), "sort", "-k", "n", "--memory", "16MiB", "--spill-dir",
				spill, "--compression", "brotli:11", "-o", out, in, in, in)
			var said watched
			cmd.Stderr = &said
			require.NoError(t, cmd.Start())
			require.Eventually(t, func() bool { return c.ready(said.String(), spill) }, time.Minute, time.Millisecond)
			require.NoError(t, cmd.Process.Signal(c.signal))
			requireEnd(t, cmd, &said, nil)
			require.Equal(t, c.code, cmd.ProcessState.ExitCode(), said.String())
			lines := strings.SplitAfter(said.String(), "\n")
			require.Equal(t, "arrowsort: interrupted\n", lines[len(lines)-2])
			require.Equal(t, 1, strings.Count(said.String(), "arrowsort: "), said.String())
			require.Empty(t, filesIn(t, spill))
			require.Equal(t, []string{"out.parquet"}, filesIn(t, folder))
			b := readFile(t, out)
			require.Equal(t, "old", string(b))
			after := readFile(t, in)
			require.True(t, bytes.Equal(before, after))
		})
	}
}

// TestTwoSortsWithOneSpillFolder runs sorts at once whose spill folder is the same.
func TestTwoSortsWithOneSpillFolder(t *testing.T) {
	in, folder, spill := manyPeople(t, "in.parquet"), t.TempDir(), t.TempDir()
	const programs = 3
	var cmds []*exec.Cmd
	var said [programs]watched
	for i := range programs {
		cmd := exec.CommandContext(t.Context(), built(t), "sort", "--json", "-k", "n", "--memory", "16MiB",
			"--spill-dir", spill, "-o", filepath.Join(folder, fmt.Sprintf("%d.parquet", i)), in, in)
		cmd.Stderr, cmd.Stdout = &said[i], &said[i]
		require.NoError(t, cmd.Start())
		cmds = append(cmds, cmd)
	}
	for i, cmd := range cmds {
		require.NoError(t, cmd.Wait(), said[i].String())
		require.NotContains(t, said[i].String(), `"runs":0`)
	}
	require.Empty(t, filesIn(t, spill))
	first := readFile(t, filepath.Join(folder, "0.parquet"))
	for i := 1; i < programs; i++ {
		b := readFile(t, filepath.Join(folder, fmt.Sprintf("%d.parquet", i)))
		require.True(t, bytes.Equal(first, b))
	}
	require.Equal(t, result{out: "sorted by n, as the footer says\n"},
		cut(cli(t, nil, "check", filepath.Join(folder, "0.parquet"))))
}

// TestReaderThatLeaves takes the first bytes of standard output only, as head does.
func TestReaderThatLeaves(t *testing.T) {
	in := manyPeople(t, "in.parquet")
	for _, args := range [][]string{{"--memory", "16MiB"}, {}} {
		spill := t.TempDir()
		cmd := exec.CommandContext(t.Context(),
			built(t), append([]string{"sort", "-q", "-k", "n", "--spill-dir", spill, "--output-format", "csv", "-o",
				"-", in}, args...)...)
		var said watched
		cmd.Stderr = &said
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		_, err = out.Read(make([]byte, 100))
		require.NoError(t, err)
		require.NoError(t, out.Close())
		require.Error(t, cmd.Wait())
		require.Equal(t, 141, cmd.ProcessState.ExitCode(), said.String())
		require.Empty(t, said.String())
		require.Empty(t, filesIn(t, spill))
	}
}

// TestKilledWhileItWrites: the next sort to the folder removes the unfinished output.
func TestKilledWhileItWrites(t *testing.T) {
	in, folder := manyPeople(t, "in.parquet"), t.TempDir()
	out := filepath.Join(folder, "out.parquet")
	for _, files := range [][]string{{in}, {in, in}} {
		cmd := exec.CommandContext(t.Context(), built(t),
			append([]string{"sort", "-k", "n", "--compression", "brotli:11", "-o", out}, files...)...)
		var said watched
		cmd.Stderr = &said
		require.NoError(t, cmd.Start())
		require.Eventually(t, func() bool { return len(filesIn(t, folder)) > 0 }, time.Minute, time.Millisecond)
		require.NoError(t, cmd.Process.Kill())
		require.Error(t, cmd.Wait())
		require.Len(t, filesIn(t, folder), 1)
		require.Equal(t, result{}, cli(t, nil, "sort", "-q", "-k", "n", "-o", out, in))
		require.Equal(t, []string{"out.parquet"}, filesIn(t, folder))
		require.NoError(t, os.Remove(out))
	}
}

// TestStandardOutputThatIsClosed is an error that can be seen; /dev/null that is asked for is none.
func TestStandardOutputThatIsClosed(t *testing.T) {
	sort := built(t) + " sort -q -k age --output-format csv -o - " + file(t, "people.csv", people)
	out, err := exec.CommandContext(t.Context(), "sh", "-c", sort+" >&-").CombinedOutput()
	require.Error(t, err)
	require.Equal(t, "arrowsort: standard output is closed: redirect it, or write to -o FILE (see arrowsort sort "+
		"--help)\n", string(out))
	out, err = exec.CommandContext(t.Context(), "sh", "-c", sort+" >/dev/null").CombinedOutput()
	require.NoError(t, err)
	require.Empty(t, string(out))
}

// TestOutputThatIsDropped: programs that run a command without its output open /dev/null for reading and writing, as
// the Go runtime does in place of a closed stream. What is printed is dropped; rows that are to be kept are an error.
func TestOutputThatIsDropped(t *testing.T) {
	in := convert(t, "people.parquet")
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	require.NoError(t, err)
	defer null.Close()
	for _, args := range [][]string{{"sort", "--help"}, {"info"}, {"info", in}, {"explain", "-k", "age", in},
		{"sort", "-q", "-k", "name", "-o", in, in}, {"check", "-k", "name", in}} {
		cmd := exec.CommandContext(t.Context(), built(t), args...)
		cmd.Stdout = null
		require.NoError(t, cmd.Run(), args)
	}
	cmd := exec.CommandContext(t.Context(), built(t), "sort", "-k", "name", "-o", "-", in)
	cmd.Stdout = null
	said := &bytes.Buffer{}
	cmd.Stderr = said
	require.Error(t, cmd.Run())
	require.Equal(t, exitUsage, cmd.ProcessState.ExitCode(), said)
	require.Contains(t, said.String(), "standard output is closed")
}
