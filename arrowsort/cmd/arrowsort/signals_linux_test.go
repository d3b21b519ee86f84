package main

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

// ending is the time that a command may take to end after a signal: 1 s, and more where the machine is busy.
const ending = 3 * time.Second

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
		r, out := w.pipe()
		w.stdout, w.args = out, append(w.args, "--output-format", "csv", "-o", "-", w.table)
		w.blocked = func(string) bool { return bytesIn(w.t, r) == pipeBytes }
	}},
	{"standard output is full", []string{"check"}, func(w *waiting) {
		_, w.stdout = w.pipe()
		_, err := w.stdout.Write(make([]byte, pipeBytes))
		require.NoError(w.t, err)
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
		w.args = append(w.args, "-o", out, w.table)
		w.blocked = func(string) bool { return bytesIn(w.t, r) == pipeBytes }
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

// pipeBytes is what a pipe holds.
const pipeBytes = 1 << 16

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
	out, err := os.OpenFile(path, os.O_WRONLY, 0)
	require.NoError(w.t, err)
	_, err = out.Write(table[:int(float64(len(table))*share)])
	require.NoError(w.t, err)
	if share == 1 {
		require.NoError(w.t, out.Close())
	} else {
		w.t.Cleanup(func() { out.Close() })
	}
}

// bytesIn is the number of bytes in a pipe that nobody has read.
func bytesIn(t *testing.T, pipe *os.File) int {
	n, err := unix.IoctlGetInt(int(pipe.Fd()), unix.TIOCINQ)
	require.NoError(t, err)
	return n
}

// TestSignalsWhileAPipeWaits sends each signal to each command that waits in each way: by default one signal each.
func TestSignalsWhileAPipeWaits(t *testing.T) {
	takeSignals(t)
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
		require.Eventually(t, func() bool { return w.blocked(said.String()) }, time.Minute, time.Millisecond,
			"%s", &said)
	}
	time.Sleep(20 * time.Millisecond) // until it waits; the signal has its effect earlier, too
	start := time.Now()
	require.NoError(t, cmd.Process.Signal(s))
	require.Error(t, cmd.Wait())
	require.Less(t, time.Since(start), ending)
	require.Equal(t, 128+int(s), cmd.ProcessState.ExitCode(), said.String())
	require.True(t, strings.HasSuffix(said.String(), interrupted+"\n"), said.String())
	require.Empty(t, filesIn(t, spill))
	require.Equal(t, before, filesIn(t, w.folder))
}

// TestSecondSignal ends a command at once that has runs in the spill folder and an unfinished output.
func TestSecondSignal(t *testing.T) {
	takeSignals(t)
	in, folder, spill := wideText(t), t.TempDir(), t.TempDir()
	r, out, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	defer out.Close()
	_, err = out.Write(make([]byte, pipeBytes)) // the command waits at its first line
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), built(t), "sort", "-k", "n", "--memory", "16MiB", "--spill-dir", spill,
		"--compression", "brotli:11", "-o", filepath.Join(folder, "out.parquet"), in, in)
	cmd.Stderr = out
	require.NoError(t, cmd.Start())
	for len(filesIn(t, folder)) == 0 { // it writes, after all runs
		_, err := r.Read(make([]byte, 1<<10))
		require.NoError(t, err)
	}
	require.NotEmpty(t, filesIn(t, spill))
	start := time.Now()
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(t, cmd.Process.Signal(syscall.SIGINT))
	require.Error(t, cmd.Wait())
	require.Less(t, time.Since(start), ending)
	require.Contains(t, []int{128 + int(syscall.SIGTERM), 128 + int(syscall.SIGINT)}, cmd.ProcessState.ExitCode())
	require.Empty(t, filesIn(t, spill))
	require.Empty(t, filesIn(t, folder))
}
