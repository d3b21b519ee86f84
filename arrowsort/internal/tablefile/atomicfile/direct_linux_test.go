package atomicfile

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
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
			require.NoError(t, d.Flush())
			require.NoError(t, d.Flush())
			_, err = d.Write([]byte("and more"))
			require.NoError(t, err)
			require.NoError(t, file.Close())
			got, err := os.ReadFile(file.Name())
			require.NoError(t, err)
			require.True(t, bytes.Equal(append(want, "and more"...), got), "%d bytes in %s", size, folder)
		}
	}
}

// TestDirectFileThatTakesNoBlocks goes on as usual where the file is at an odd place, at which the disk cannot write
// blocks.
func TestDirectFileThatTakesNoBlocks(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "x"))
	require.NoError(t, err)
	_, err = file.WriteString("odd")
	require.NoError(t, err)
	d := newDirectFile(file)
	want := bytes.Repeat([]byte("0123456"), directBytes/3)
	_, err = d.Write(want)
	require.NoError(t, err)
	require.NoError(t, d.Flush())
	require.NoError(t, file.Close())
	got, err := os.ReadFile(file.Name())
	require.NoError(t, err)
	require.True(t, bytes.Equal(append([]byte("odd"), want...), got))
}

// A shortFile writes the first block only in part.
type shortFile struct {
	*os.File
	short bool
}

func (f *shortFile) Write(b []byte) (int, error) {
	if f.short {
		return f.File.Write(b)
	}
	f.short = true
	if flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0); err != nil || flags&unix.O_DIRECT == 0 {
		return 0, errors.New("is not written directly")
	}
	n, err := f.File.WriteAt(b[:3*diskBlock], 0)
	if err == nil {
		_, err = f.File.Seek(int64(n-7), io.SeekStart)
	}
	return n - 7, errors.Join(err, unix.EINVAL)
}

// TestDirectFileAfterAShortWrite goes on as usual inside a block.
func TestDirectFileAfterAShortWrite(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "x"))
	require.NoError(t, err)
	d := newDirectFile(&shortFile{File: file, short: newDirectFile(file).buffer == nil})
	want := bytes.Repeat([]byte("0123456"), directBytes/3)
	_, err = d.Write(want)
	require.NoError(t, err)
	require.NoError(t, d.Flush())
	require.NoError(t, file.Close())
	got, err := os.ReadFile(file.Name())
	require.NoError(t, err)
	require.True(t, bytes.Equal(want, got))
}
