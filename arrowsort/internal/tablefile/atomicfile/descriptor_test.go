//go:build !windows

package tablefile

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"
)

// TestWriteToAnOpenFile: a log that is being appended to keeps what it holds, and who writes it goes on in the same file.
func TestWriteToAnOpenFile(t *testing.T) {
	table := dictionaryTable(t, memory.DefaultAllocator)
	defer table.Release()
	for _, append := range []int{os.O_APPEND, 0} {
		folder := t.TempDir()
		log, err := os.OpenFile(filepath.Join(folder, "log.csv"), os.O_CREATE|os.O_WRONLY|append, 0o600)
		require.NoError(t, err)
		defer log.Close()
		_, err = log.WriteString("keep\n")
		require.NoError(t, err)
		link := filepath.Join(t.TempDir(), "link.csv")
		require.NoError(t, os.Symlink(fmt.Sprintf("/dev/fd/%d", log.Fd()), link))
		for _, path := range []string{fmt.Sprintf("/dev/fd/%d", log.Fd()), link} {
			_, err = Write(t.Context(), path, table, WriteOptions{Format: CSV})
			require.NoError(t, err)
		}
		_, err = log.WriteString("end\n")
		require.NoError(t, err)
		const rows = "d,i\nb,1\na,2\n,3\nc,4\na,5\n"
		requireOnly(t, log.Name(), "keep\n"+rows+rows+"end\n")
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
		require.Equal(t, path, OutputPath(path))
	}
	for path, number := range map[string]int{"/dev/stdout": 1, "/dev/stderr": 2, "/dev/fd/1": 1} {
		d, ok := descriptorOf(path)
		require.True(t, ok, path)
		require.Equal(t, descriptor{number, true}, d, path)
		require.Equal(t, number == 1, OutputPath(path) == Pipe)
	}
}
