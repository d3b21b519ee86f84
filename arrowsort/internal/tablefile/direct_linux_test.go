package tablefile

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDirectFileHoldsWhatIsWritten writes pieces of every size, on a disk and on a file system in memory.
func TestDirectFileHoldsWhatIsWritten(t *testing.T) {
	folders := []string{t.TempDir()}
	if memory, err := os.MkdirTemp("/dev/shm", "direct"); err == nil {
		defer os.RemoveAll(memory)
		folders = append(folders, memory)
	}
	r := rand.New(rand.NewPCG(7, 8))
	for _, folder := range folders {
		for _, size := range []int{0, 1, directBytes - 1, directBytes, directBytes + 1, 3*directBytes + 4095} {
			file, err := os.Create(filepath.Join(folder, "x"))
			require.NoError(t, err)
			d := newDirectFile(file)
			want := make([]byte, size)
			for i := range want {
				want[i] = byte(r.Uint32())
			}
			for rest := want; len(rest) > 0; {
				n := min(len(rest), 1+r.IntN(directBytes/3))
				written, err := d.Write(rest[:n])
				require.NoError(t, err)
				require.Equal(t, n, written)
				rest = rest[n:]
			}
			require.NoError(t, d.flush())
			require.NoError(t, d.flush())
			_, err = d.Write([]byte("and more"))
			require.NoError(t, err)
			require.NoError(t, file.Close())
			got, err := os.ReadFile(file.Name())
			require.NoError(t, err)
			require.True(t, bytes.Equal(append(want, "and more"...), got), "%d bytes in %s", size, folder)
		}
	}
}

// TestDirectFileThatTakesNoBlocks goes on as usual where the file is at an odd place, at which the disk cannot write blocks.
func TestDirectFileThatTakesNoBlocks(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "x"))
	require.NoError(t, err)
	_, err = file.WriteString("odd")
	require.NoError(t, err)
	d := newDirectFile(file)
	want := bytes.Repeat([]byte("0123456"), directBytes/3)
	_, err = d.Write(want)
	require.NoError(t, err)
	require.NoError(t, d.flush())
	require.NoError(t, file.Close())
	got, err := os.ReadFile(file.Name())
	require.NoError(t, err)
	require.True(t, bytes.Equal(append([]byte("odd"), want...), got))
}
