package tablefile

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/ipc"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet"
)

// headSize is the number of bytes that an input is recognized by.
const headSize = 64

// checkHead returns an error for an input of another format. It gets the first bytes, headSize of them or all.
func checkHead(head []byte, format Format) error {
	if c := fileCodecOf(head); c != nil && (format != CSV || c.open == nil) {
		return c.compressedError(format)
	}
	is := resembles(head)
	if is == Auto || is == format {
		return nil
	}
	return fmt.Errorf("this is not %s, it looks like %s; give --format %s", titles[format], titles[is], is)
}

var titles = map[Format]string{
	Parquet: "a Parquet file", IPCFile: "an Arrow file", IPCStream: "an Arrow stream", CSV: "CSV",
}

// resembles is the format that the first bytes of an input look like; Auto when they could be anything.
func resembles(head []byte) Format {
	const fewest = 5 // bytes, so that a magic word that was cut off is not text
	switch {
	case len(head) < fewest:
		return Auto
	case isText(head):
		return CSV
	case strings.HasPrefix(string(head), parquet.Magic):
		return Parquet
	case strings.HasPrefix(string(head), ipc.Magic):
		return IPCFile
	case strings.HasPrefix(string(head), "\xff\xff\xff\xff"): // continuation
		return IPCStream
	}
	return Auto
}

// isText reports whether bytes are UTF-8 without control characters; they may break off in a character.
func isText(b []byte) bool {
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		switch {
		case r == utf8.RuneError && n == 1:
			return !utf8.FullRune(b)
		case r < ' ' && !strings.ContainsRune("\t\r\n", r), r == 0x7f:
			return false
		}
		b = b[n:]
	}
	return true
}
