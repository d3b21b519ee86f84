package main

import "os"

// isMissing reports whether a standard stream was closed when the process started.
func isMissing(stream *os.File) bool {
	_, err := stream.Stat()
	return err != nil
}
