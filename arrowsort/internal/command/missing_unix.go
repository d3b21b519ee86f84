//go:build !windows

package command

import (
	"os"

	"golang.org/x/sys/unix"
)

// endOfInput is the key that ends input from a terminal.
const endOfInput = "Ctrl-D"

// takesEscapes reports whether a terminal has escape sequences.
func takesEscapes(*os.File) bool { return os.Getenv("TERM") != "dumb" }

// isMissing reports whether a standard stream was closed when the process started. The Go runtime opens /dev/null for
// reading and writing in its place; a shell that redirects a stream to it opens it for writing only.
func isMissing(stream *os.File) bool {
	flags, err := unix.FcntlInt(stream.Fd(), unix.F_GETFL, 0)
	if err != nil {
		return true
	}
	if flags&unix.O_ACCMODE != unix.O_RDWR {
		return false
	}
	opened, err := stream.Stat()
	null, nullErr := os.Stat(os.DevNull)
	return err == nil && nullErr == nil && os.SameFile(opened, null)
}
