package adapter

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
)

// CatchMalformed turns a panic into an error that wraps arrow.ErrInvalid, if it is deferred: Arrow panics when it
// slices arrays whose offsets are out of bounds.
func CatchMalformed(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%w: a malformed array: %v", arrow.ErrInvalid, p)
	}
}
