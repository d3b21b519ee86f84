package main

import (
	"strconv"
	"strings"
)

// unquote reverses the escapes of quotes and backslashes, which are printable.
var unquote = strings.NewReplacer(`\"`, `"`, `\\`, `\`)

// printable is text for a terminal: characters that are not printable, such as escape sequences and line ends, are
// written as in Go.
func printable(s string) string {
	quoted := strconv.Quote(s)
	return unquote.Replace(quoted[1 : len(quoted)-1])
}
