package tablefile

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

func TestInterruptibleReadsAll(t *testing.T) {
	text := strings.Repeat("0123456789", pipeStep/4)
	for _, r := range []io.Reader{strings.NewReader(text), iotest.HalfReader(strings.NewReader(text)),
		iotest.DataErrReader(strings.NewReader(text))} {
		b, err := io.ReadAll(Interruptible(t.Context(), r))
		require.NoError(t, err)
		require.Equal(t, text, string(b))
	}
	broken := errors.New("broken")
	_, err := io.ReadAll(Interruptible(t.Context(), iotest.ErrReader(broken)))
	require.ErrorIs(t, err, broken)
}

func TestInterruptibleStopsWaiting(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	defer w.Close()
	cancel()
	_, err := Read(ctx, Pipe, ReadOptions{Stdin: r})
	require.ErrorIs(t, err, context.Canceled)
	ctx, cancel = context.WithCancel(t.Context())
	go func() {
		_, _ = w.Write([]byte{0xff}) // the reader has begun
		cancel()
	}()
	_, err = Read(ctx, Pipe, ReadOptions{Stdin: r})
	require.ErrorIs(t, err, context.Canceled)
}
