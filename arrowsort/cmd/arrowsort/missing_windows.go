package main

import (
	"os"

	"golang.org/x/sys/windows"
)

// endOfInput is what ends the input from a terminal.
const endOfInput = "Ctrl-Z and Enter"

// takesEscapes has a terminal erase lines, and reports whether it does.
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
