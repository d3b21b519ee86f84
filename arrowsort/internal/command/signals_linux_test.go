package command

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/arrowsort/arrowsort/internal/testrun"
)

// A waiting is a command that waits for the other end of a pipe.
type waiting struct {
	t       *testing.T
	folder  string
	table   string // in order
	args    []string
	stdout  *os.File
	feed    func() // writes to the pipes once the command runs
	blocked func(said string) bool
}

// waits are the ways to wait, with the commands that can.
var waits = []struct {
	name     string
	commands []string
	prepare  func(w *waiting)
}{
	{"standard output is not read", []string{"sort", "merge", "argsort"}, func(w *waiting) {
		_, w.stdout = w.pipe()
		w.args = append(w.args, "--output-format", "csv", "-o", "-", w.table)
		w.blocked = func(string) bool { return isFull(w.t, w.stdout) }
	}},
	{"standard output is full", []string{"check"}, func(w *waiting) {
		_, w.stdout = w.pipe()
		fill(w.t, w.stdout)
		w.args = append(w.args, w.table)
	}},
	{"FIFO out has no reader", []string{"sort", "merge", "argsort"}, func(w *waiting) {
		w.args = append(w.args, "-o", w.fifo("out.arrows"), w.table)
	}},
	{"FIFO out is not read", []string{"sort", "merge", "argsort"}, func(w *waiting) {
		out := w.fifo("out.csv")
		r, err := os.OpenFile(out, os.O_RDONLY|syscall.O_NONBLOCK, 0)
		require.NoError(w.t, err)
		w.t.Cleanup(func() { r.Close() })
		pipe := w.open(out)
		w.t.Cleanup(func() { pipe.Close() })
		w.args = append(w.args, "-o", out, w.table)
		w.blocked = func(string) bool { return isFull(w.t, pipe) }
	}},
	{"FIFO in has no writer", []string{"sort", "merge", "check"}, func(w *waiting) {
		first := w.fifo("first.parquet")
		w.args = append(w.args, w.output(first, w.fifo("second.parquet"))...)
		w.feed = func() { w.write(first, 1) }
	}},
	{"FIFO in is not written", []string{"sort", "merge", "check", "argsort"}, func(w *waiting) {
		in := w.fifo("in.parquet")
		w.args = append(w.args, w.output(in)...)
		w.feed = func() { w.write(in, 0.5) }
	}},
}

func (w *waiting) pipe() (r, out *os.File) {
	r, out, err := os.Pipe()
	require.NoError(w.t, err)
	w.t.Cleanup(func() { r.Close(); out.Close() })
	return r, out
}

func (w *waiting) fifo(name string) string {
	path := filepath.Join(w.folder, name)
	require.NoError(w.t, syscall.Mkfifo(path, 0o600))
	return path
}

// output is the inputs, and the output where the command has one.
func (w *waiting) output(inputs ...string) []string {
	if w.args[0] == "check" {
		return inputs
	}
	return append(inputs, "-o", filepath.Join(w.folder, "o.parquet"))
}

// write writes a share of the table to a pipe once it is read, and leaves the pipe open if that is not all.
func (w *waiting) write(path string, share float64) {
	table, err := os.ReadFile(w.table)
	require.NoError(w.t, err)
	out := w.open(path)
	require.NoError(w.t, out.SetWriteDeadline(time.Now().Add(hung)))
	_, err = out.Write(table[:int(float64(len(table))*share)])
	require.NoError(w.t, err)
	if share == 1 {
		require.NoError(w.t, out.Close())
	} else {
		w.t.Cleanup(func() { out.Close() })
	}
}

// open opens a FIFO for writing once it has a reader.
func (w *waiting) open(path string) (out *os.File) {
	require.Eventually(w.t, func() (ok bool) {
		file, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0) // ENXIO: there is none
		if err == nil {
			out = file
		}
		return err == nil
	}, hung, time.Millisecond)
	return out
}

// isFull reports whether a writer to a pipe waits. The number of bytes in the pipe does not tell: its pages may be
// filled in part.
func isFull(t *testing.T, pipe *os.File) bool {
	poll := []unix.PollFd{{Fd: int32(pipe.Fd()), Events: unix.POLLOUT}}
	_, err := unix.Poll(poll, 0)
	require.True(t, err == nil || err == unix.EINTR, err)
	return poll[0].Revents&unix.POLLOUT == 0
}

// fill fills a pipe.
func fill(t *testing.T, pipe *os.File) {
	for !isFull(t, pipe) {
		_, err := pipe.Write(make([]byte, os.Getpagesize()))
		require.NoError(t, err)
	}
}

// TestSignalsWhileAPipeWaits sends each signal to each command that waits in each way: by default one signal each.
func TestSignalsWhileAPipeWaits(t *testing.T) {
	var rows strings.Builder
	rows.WriteString("n,name\n")
	for i := range 20_000 {
		fmt.Fprintf(&rows, "%d,a name of some bytes\n", i)
	}
	table := filepath.Join(t.TempDir(), "in.parquet")
	require.Equal(t, result{}, cli(t, nil, "sort", "-q", "-k", "n", "-o", table, file(t, "in.csv", rows.String())))
	number := int(testrun.Seed() % 3)
	for _, wait := range waits {
		for _, command := range wait.commands {
			for i, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
				if !testrun.Long() && i != number%3 {
					continue
				}
				t.Run(fmt.Sprintf("%s, %s, %v", wait.name, command, s), func(t *testing.T) {
					w := &waiting{t: t, folder: t.TempDir(), table: table, args: []string{command, "-k", "n"},
						blocked: func(said string) bool { return said != "" }}
					wait.prepare(w)
					w.interrupt(s)
				})
			}
			number++
		}
	}
}

// interrupt runs the command until it waits, and sends it a signal.
func (w *waiting) interrupt(s syscall.Signal) {
	t, spill := w.t, w.t.TempDir()
	if c := w.args[0]; c == "sort" || c == "merge" {
		w.args = append(w.args, "--spill-dir", spill)
	}
	before := filesIn(t, w.folder)
	cmd := exec.CommandContext(t.Context(), built(t), w.args...)
	var said watched
	cmd.Stdout, cmd.Stderr = w.stdout, &said
	require.NoError(t, cmd.Start())
	if w.feed != nil {
		w.feed()
	} else {
		require.Eventually(t, func() bool { return w.blocked(said.String()) }, hung, time.Millisecond, "%s",
			&said)
	}
	time.Sleep(20 * time.Millisecond) // until it waits; the signal has its effect earlier, too
	require.NoError(t, cmd.Process.Signal(s))
	requireEnd(t, cmd, &said, nil)
	require.Equal(t, 128+int(s), cmd.ProcessState.ExitCode(), said.String())
	require.True(t, strings.HasSuffix(said.String(), interrupted+"\n"), said.String())
	require.Empty(t, filesIn(t, spill))
	require.Equal(t, before, filesIn(t, w.folder))
}

// TestSecondSignal ends a command at once that has runs in the spill folder and an unfinished output.
func TestSecondSignal(t *testing.T) {
	in, folder, spill := wideText(t), t.TempDir(), t.TempDir()
	r, out, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	defer out.Close()
	fill(t, out) // the command waits at its first line
	cmd := exec.CommandContext(t.Context(), built(t), "sort", "-k", "n", "--memory", "16MiB", "--spill-dir", spill,
		"--compression", "brotli:11", "-o", filepath.Join(folder, "out.parquet"), in, in)
	cmd.Stderr = out
	require.NoError(t, cmd.Start())
	require.NoError(t, r.SetReadDeadline(time.Now().Add(time.Minute)))
	for len(filesIn(t, folder)) == 0 { // it writes, after all runs
		_, err := r.Read(make([]byte, 1<<10))
		require.NoError(t, err)
	}
	require.NotEmpty(t, filesIn(t, spill))
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(t, cmd.Process.Signal(syscall.SIGINT))
	requireEnd(t, cmd, &watched{}, r)
	require.Contains(t, []int{128 + int(syscall.SIGTERM), 128 + int(syscall.SIGINT)}, cmd.ProcessState.ExitCode())
	require.Empty(t, filesIn(t, spill))
	require.Empty(t, filesIn(t, folder))
}
