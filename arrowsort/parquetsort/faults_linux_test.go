package parquetsort

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/extsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/atomicfile"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/output"
)

// role is what a child process of a test does.
const role = "ARROWSORT_TEST_ROLE"

// TestMain lets the test binary be the process that is killed or runs out of disk.
func TestMain(m *testing.M) {
	perFile := int64(0)
	switch os.Getenv(role) {
	case "":
		os.Exit(m.Run())
	case "full":
		// What a file may hold stands in for a full disk: writing fails in its middle.
		limit := unix.Rlimit{Cur: 2 << 20, Max: 2 << 20}
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
			panic(err)
		}
	case "measure":
		measure(os.Args[1:])
	case "killed":
		perFile = 30
		calls, err := strconv.Atoi(os.Args[4])
		if err != nil {
			panic(err)
		}
		atomicfile.BeforeChange = func() {
			if calls--; calls == 0 {
				unix.Kill(os.Getpid(), unix.SIGKILL)
				select {}
			}
		}
	case "interrupted":
		perFile = 30
		calls, err := strconv.ParseInt(os.Args[4], 10, 64)
		if err != nil {
			panic(err)
		}
		var made atomic.Int64 // by the sort, and then by RemoveLive
		atomicfile.BeforeChange = func() {
			if made.Add(1) == calls {
				go func() {
					atomicfile.RemoveLive()
					os.Exit(3)
				}()
				time.Sleep(50 * time.Millisecond)
			}
		}
	}
	_, err := Sort(context.Background(), []string{os.Args[1]}, os.Args[2],
		Options{Keys: []arrowsort.Key{{Path: "key"}}, Memory: Memory{Budget: MinMemory, SpillDir: os.Args[3]},
			Output: Output{RowsPerFile: perFile}, Run: Run{Progress: func(phase Phase, done, total int64) {
				if os.Getenv(role) == "wait" && 2*done > total {
					time.Sleep(time.Hour) // until it is killed
				}
			}}})
	if err != nil {
		os.Stderr.WriteString(err.Error())
		os.Exit(1)
	}
	os.Exit(0)
}

func child(t *testing.T, as string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append(os.Environ(), role+"="+as)
	return cmd
}

func TestFullDisk(t *testing.T) {
	folder, spill := t.TempDir(), t.TempDir()
	in, out := manyNumbers(t, folder, "in.parquet"), filepath.Join(folder, "out.parquet")
	said, err := child(t, "full", in, out, spill).CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(said), "spilling a run")
	require.Contains(t, string(said), "file too large")
	requireEmpty(t, spill)
	require.Equal(t, []string{"in.parquet"}, names(t, folder))
}

func TestFullDiskWhileAPipeIsCopied(t *testing.T) {
	folder, spill := t.TempDir(), t.TempDir()
	in, out := filepath.Join(folder, "in.csv"), filepath.Join(folder, "out.parquet")
	require.NoError(t, unix.Mkfifo(in, 0o600))
	process := child(t, "full", in, out, spill)
	var said bytes.Buffer
	process.Stderr = &said
	require.NoError(t, process.Start())
	pipe, err := os.OpenFile(in, os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = pipe.WriteString("key\n" + strings.Repeat("1234567\n", 1<<20))
	require.Error(t, err, "nobody reads on")
	require.Error(t, process.Wait())
	require.Regexp(t, spill+`/\S+\.copy: file too large`, said.String())
	requireEmpty(t, spill)
	require.Equal(t, []string{"in.csv"}, names(t, folder))
}

func TestFullDiskAtTheOutput(t *testing.T) {
	folder := t.TempDir()
	in, out := manyNumbers(t, folder, "in.parquet"), filepath.Join(folder, "out.parquet")
	_, err := Sort(t.Context(), []string{in}, "/dev/full",
		Options{Keys: numberKeys["key"], Memory: Memory{Budget: MinMemory, SpillDir: folder},
			Output: Output{Format: "parquet"}})
	require.ErrorIs(t, err, unix.ENOSPC)
	require.NoFileExists(t, out)
	require.Equal(t, []string{"in.parquet"}, names(t, folder))
}

func TestTheNextSortRemovesWhatAKilledOneLeft(t *testing.T) {
	folder, spill := t.TempDir(), t.TempDir()
	in, out := manyNumbers(t, folder, "in.parquet"), filepath.Join(folder, "out.parquet")
	killed, living := child(t, "wait", in, out, spill), child(t, "wait", in, out, spill)
	require.NoError(t, killed.Start())
	require.NoError(t, living.Start())
	ready := func() bool { // both have spilled
		runs, err := filepath.Glob(filepath.Join(spill, "*", "run-1.arrows"))
		return err == nil && len(runs) == 2
	}
	require.Eventually(t, ready, time.Minute, 10*time.Millisecond)
	require.NoError(t, killed.Process.Kill())
	require.Error(t, killed.Wait())
	require.Len(t, names(t, spill), 2)

	sortFiles(t, []string{in}, out, Options{Keys: numberKeys["key"],
		Memory: Memory{Budget: MinMemory, SpillDir: spill}})
	require.Len(t, names(t, spill), 1, "the folder of the living process stays")
	requireSorted(t, []string{in}, []string{out}, numberKeys["key"])
	require.Equal(t, []string{"in.parquet", "out.parquet"}, names(t, folder))

	require.NoError(t, living.Process.Kill())
	require.Error(t, living.Wait())
	atomicfile.RemoveAbandoned(spill, extsort.SpillPrefix)
	requireEmpty(t, spill)
}

// TestKilledWhileOutputsGetTheirNames kills a sort before each call that names or removes a file, from the first to
// the last. The outputs of the sort that follows are all that is in the folder.
func TestKilledWhileOutputsGetTheirNames(t *testing.T) {
	folder, spill := t.TempDir(), t.TempDir()
	in, out := filepath.Join(folder, "in.parquet"), filepath.Join(folder, "out.parquet")
	generate(t, in, pairsSchema, 1, func(int) arrow.Record { return pairs(0, 60, 0, 9) })
	sort := func(perFile int64, files int) {
		t.Helper()
		result := sortFiles(t, []string{in}, out, Options{Keys: numberKeys["key"],
			Output: Output{RowsPerFile: perFile}})
		require.Len(t, result.Outputs, files)
	}
	for calls := 1; ; calls++ {
		sort(10, 6)
		require.NoError(t, os.Remove(output.Numbered(out, 4))) // a gap
		cmd := child(t, "killed", in, out, spill, strconv.Itoa(calls))
		said, err := cmd.CombinedOutput()
		if err == nil {
			require.Greater(t, calls, 2*2+3+2, "2 files with permissions, 3 older ones, a folder and its lock")
			require.Equal(t, []string{"in.parquet", "out-00001.parquet", "out-00002.parquet"}, names(t, folder))
			break
		}
		require.Equal(t, "signal: killed", err.Error(), string(said))
		sort(20, 3)
		require.Equal(t, []string{"in.parquet", "out-00001.parquet", "out-00002.parquet", "out-00003.parquet"},
			names(t, folder), "killed before call %d", calls)
		files := []string{output.Numbered(out, 1), output.Numbered(out, 2), output.Numbered(out, 3)}
		require.Equal(t, digestOf(t, in), digestOf(t, files...))
	}
}

// TestInterruptedWhileOutputsGetTheirNames ends a sort as a signal does, at each call that names or removes a file: the
// outputs are complete, and the only ones.
func TestInterruptedWhileOutputsGetTheirNames(t *testing.T) {
	folder, spill := t.TempDir(), t.TempDir()
	in, out := filepath.Join(folder, "in.parquet"), filepath.Join(folder, "out.parquet")
	generate(t, in, pairsSchema, 1, func(int) arrow.Record { return pairs(0, 60, 0, 9) })
	for calls, ended := 1, false; !ended; calls++ {
		sortFiles(t, []string{in}, out, Options{Keys: numberKeys["key"], Output: Output{RowsPerFile: 10}})
		cmd := child(t, "interrupted", in, out, spill, strconv.Itoa(calls))
		said, err := cmd.CombinedOutput()
		ended = err == nil
		require.Contains(t, []int{0, 3}, cmd.ProcessState.ExitCode(), string(said))
		require.Equal(t, []string{"in.parquet", "out-00001.parquet", "out-00002.parquet"}, names(t, folder), calls)
		requireSorted(t, []string{in}, []string{output.Numbered(out, 1), output.Numbered(out, 2)}, numberKeys["key"])
	}
}
