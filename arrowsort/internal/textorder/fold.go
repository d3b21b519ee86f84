package textorder

import (
	"sync"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/transform"
)

// A foldEncoder folds the case of text, as Unicode's full case folding does: ß is ss. Bytes that are not UTF-8 stay.
type foldEncoder struct{ fold cases.Caser }

// foldEncoders are those that are not in use: a Caser is for one goroutine at a time.
var foldEncoders = sync.Pool{New: func() any { return &foldEncoder{cases.Fold()} }}

func newFoldEncoder() Encoder { return foldEncoders.Get().(*foldEncoder) }

func (e *foldEncoder) Close() { foldEncoders.Put(e) }

func (e *foldEncoder) Append(dst, text []byte) []byte {
	for i, b := range text {
		if b >= utf8.RuneSelf {
			return e.appendFolded(dst, text[i:])
		}
		if 'A' <= b && b <= 'Z' {
			b += 'a' - 'A'
		}
		dst = append(dst, b)
	}
	return dst
}

// appendFolded appends text of any characters.
func (e *foldEncoder) appendFolded(dst, text []byte) []byte {
	for room := 2 * len(text); ; room *= 2 {
		n := len(dst)
		dst = append(dst, make([]byte, room)...)
		e.fold.Reset()
		written, read, err := e.fold.Transform(dst[n:], text, true)
		dst, text = dst[:n+written], text[read:]
		if err != transform.ErrShortDst {
			return dst
		}
	}
}
