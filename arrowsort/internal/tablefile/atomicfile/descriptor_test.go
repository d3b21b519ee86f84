//go:build !windows

package atomicfile

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWriteToAnOpenFile: a log that is being appended to keeps what it holds, and its writer goes on in the same file.
func TestWriteToAnOpenFile(t *testing.T) {
	for _, append := range []int{os.O_APPEND, 0} {
		log, err := os.OpenFile(filepath.Join(t.TempDir(), "log.csv"), os.O_CREATE|os.O_WRONLY|append, 0o600)
		require.NoError(t, err)
		defer log.Close()
		_, err = log.WriteString("keep\n")
		require.NoError(t, err)
		link := filepath.Join(t.TempDir(), "link.csv")
		require.NoError(t, os.Symlink(fmt.Sprintf("/dev/fd/%d", log.Fd()), link))
		for _, path := range []string{fmt.Sprintf("/dev/fd/%d", log.Fd()), link} {
			require.False(t, Replaces(path))
			writeFile(t, path, "rows\n")
		}
		_, err = log.WriteString("end\n")
		require.NoError(t, err)
		requireOnly(t, log.Name(), "keep\nrows\nrows\nend\n")
	}
}

func TestDescriptorOf(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	require.NoError(t, os.WriteFile("1", nil, 0o600))
	require.NoError(t, os.Symlink("loop", "loop"))
	for _, path := range []string{"1", "loop", "no/such", "/dev/null", folder, "/dev/fd/x"} {
		_, ok := descriptorOf(path)
		require.False(t, ok, path)
		require.False(t, IsStdout(path))
	}
	for path, number := range map[string]int{"/dev/stdout": 1, "/dev/stderr": 2, "/dev/fd/1": 1} {
		d, ok := descriptorOf(path)
		require.True(t, ok, path)
		require.Equal(t, descriptor{number, true}, d, path)
		require.Equal(t, number == 1, IsStdout(path))
	}
}
