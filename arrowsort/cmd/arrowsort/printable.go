package main

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// printable is text for a terminal: what is not to be seen, such as escape sequences and line ends, is written as in
// Go.
func printable(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if strconv.IsPrint(r) && (r != utf8.RuneError || n > 1) {
			b.WriteString(s[:n])
		} else {
			quoted := strconv.Quote(s[:n])
			b.WriteString(quoted[1 : len(quoted)-1])
		}
		s = s[n:]
	}
	return b.String()
}
