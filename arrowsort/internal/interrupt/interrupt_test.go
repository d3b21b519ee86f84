package interrupt

import (
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestExitCodes(t *testing.T) {
	for signal, want := range map[os.Signal]int{os.Interrupt: 130, syscall.SIGTERM: 143, syscall.SIGHUP: 129} {
		require.Equal(t, want, Signal{signal}.ExitCode())
	}
}

func TestBriefly(t *testing.T) {
	done := false
	Briefly(func() { done = true })
	require.True(t, done)
	start := time.Now()
	Briefly(func() { <-t.Context().Done() })
	require.Less(t, time.Since(start), time.Second)
}
