package command

import (
	"os"

	"golang.org/x/sys/windows"
)

// endOfInput is the key that ends input from a terminal.
const endOfInput = "Ctrl-Z and Enter"

// takesEscapes enables escape sequences on a terminal, and reports whether it has them.
func takesEscapes(stream *os.File) bool {
	handle, mode := windows.Handle(stream.Fd()), uint32(0)
	return windows.GetConsoleMode(handle, &mode) == nil &&
		windows.SetConsoleMode(handle, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}

// isMissing reports whether a standard stream was closed when the process started.
func isMissing(stream *os.File) bool {
	_, err := stream.Stat()
	return err != nil
}
