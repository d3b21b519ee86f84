package main

import "os"

// endOfInput is what ends the input from a terminal.
const endOfInput = "Ctrl-Z and Enter"

// isMissing reports whether a standard stream was closed when the process started.
func isMissing(stream *os.File) bool {
	_, err := stream.Stat()
	return err != nil
}
