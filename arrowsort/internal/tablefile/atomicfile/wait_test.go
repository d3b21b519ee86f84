//go:build unix

package atomicfile

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var errGivenUp = errors.New("given up")

// TestPipesThatWaitEndWithTheContext while they are opened, by their name, and while they are written, also as standard
// output.
func TestPipesThatWaitEndWithTheContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	soon := func() context.Context {
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(10*time.Millisecond, func() { cancel(errGivenUp) })
		return ctx
	}
	_, err := Create(soon(), path)
	require.ErrorIs(t, err, errGivenUp)

	reader, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	require.NoError(t, err)
	defer reader.Close()
	file, err := Create(soon(), path)
	require.NoError(t, err)
	requireGivenUp(t, file)
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	defer w.Close()
	requireGivenUp(t, InPlace(soon(), w))
}

// requireGivenUp writes more than a pipe holds.
func requireGivenUp(t *testing.T, file File) {
	t.Helper()
	for range 2 {
		_, err := file.Write(make([]byte, 1<<20))
		require.ErrorIs(t, err, errGivenUp)
	}
	file.Abort()
}

// TestPipesGetAllBytes in the order in which they were written.
func TestPipesGetAllBytes(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	file := InPlace(t.Context(), w)
	for i := range 3 {
		n, err := file.Write([]byte{byte(i), byte(i)})
		require.NoError(t, err)
		require.Equal(t, 2, n)
	}
	require.NoError(t, file.Commit())
	got := make([]byte, 6)
	_, err = r.Read(got)
	require.NoError(t, err)
	require.Equal(t, []byte{0, 0, 1, 1, 2, 2}, got)
	require.NoError(t, w.Close(), "InPlace leaves it open")
}
