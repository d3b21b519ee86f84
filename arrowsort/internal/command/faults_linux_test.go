package command

import (
	"bytes"
	"compress/gzip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// full runs the program with a disk that is too small: a separate file system where the system lets this user mount
// one, or else with a limit to the size of a file. Both stand at the folder that is to be full.
func full(t *testing.T, folder string, args ...string) (said string, err error) {
	mount := exec.CommandContext(t.Context(), "unshare", "-rm", "mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs",
		folder)
	var cmd *exec.Cmd
	if mount.Run() == nil {
		cmd = exec.CommandContext(t.Context(), "unshare",
			append([]string{"-rm", "sh", "-c",
				`mount -t tmpfs -o size=3m tmpfs "$0" && "$@"; code=$?; ls -A "$0"; exit $code`, folder, built(t)},
				args...)...)
	} else {
		cmd = exec.CommandContext(t.Context(), "sh",
			append([]string{"-c", `ulimit -f 3072; "$@"; code=$?; ls -A "$0"; exit $code`, folder, built(t)},
				args...)...)
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// requireFull requires one line of error, which names what was being written, and nothing in the full folder.
func requireFull(t *testing.T, said string, err error, what string) {
	t.Helper()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	require.Equal(t, 1, exit.ExitCode(), said)
	requireOneLine(t, said)
	require.Contains(t, said, what)
	require.True(t, strings.Contains(said, "no space left on device") || strings.Contains(said, "file too large"), said)
}

func TestFullDisk(t *testing.T) {
	in := manyPeople(t, "in.parquet")
	t.Run("of the spill folder", func(t *testing.T) {
		folder, spill := t.TempDir(), t.TempDir()
		said, err := full(t, spill, "sort", "-q", "-k", "n", "--memory", "16MiB", "--spill-dir", spill, "-o",
			filepath.Join(folder, "out.parquet"), in)
		requireFull(t, said, err, "spilling a run: ")
		require.Equal(t, 1, strings.Count(said, "spilling a run"), said)
		if !strings.Contains(said, "file too large") { // of a limit to the size of a file
			require.Regexp(t, `^arrowsort: spilling a run: the spill folder is full: `+spill+`: no space left on `+
				`device; the sort spills about \d+\.\d MB without compression, less within more memory: give `+
				`--spill-dir a folder with more space\n$`, said)
		}
		require.Empty(t, filesIn(t, folder))
	})
	t.Run("of the output", func(t *testing.T) {
		folder, spill := t.TempDir(), t.TempDir()
		out := filepath.Join(folder, "out.parquet")
		said, err := full(t, folder, "sort", "-q", "-k", "n", "--compression", "none", "--encoding", "compatible",
			"-o", out, "--memory", "1GiB", "--spill-dir", spill, in, in)
		requireFull(t, said, err, out)
		require.Empty(t, filesIn(t, folder))
	})
	t.Run("of the output, sorted in memory", func(t *testing.T) {
		folder := t.TempDir()
		out := filepath.Join(folder, "out.arrow")
		said, err := full(t, folder, "sort", "-q", "-k", "n", "-o", out, in)
		requireFull(t, said, err, out)
		require.Empty(t, filesIn(t, folder))
	})
	t.Run("of the folder for temporary files", func(t *testing.T) {
		folder := t.TempDir()
		t.Setenv("TMPDIR", folder)
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		_, err := w.Write([]byte("n\n" + strings.Repeat("12345678\n", 1<<19)))
		require.NoError(t, err)
		require.NoError(t, w.Close())
		in := file(t, "in.csv.gz", packed.String())
		said, err := full(t, folder, "info", in)
		requireFull(t, said, err, "in.csv.gz: ")
		if !strings.Contains(said, "file too large") {
			require.Contains(t, said, "in.csv.gz: the spill folder is full: "+folder+": no space left on device: free "+
				"space there, or have the system use another folder for temporary files, by TMPDIR or TMP\n")
		}
	})
	t.Run("of standard output", func(t *testing.T) {
		spill := t.TempDir()
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		require.NoError(t, err)
		defer full.Close()
		cmd := exec.CommandContext(t.Context(), built(t), "sort", "-q", "-k", "n", "--memory", "16MiB", "--spill-dir",
			spill, "-o", "-", in)
		var said watched
		cmd.Stdout, cmd.Stderr = full, &said
		err = cmd.Run()
		requireFull(t, said.String(), err, "standard output")
		require.Empty(t, filesIn(t, spill))
	})
}
