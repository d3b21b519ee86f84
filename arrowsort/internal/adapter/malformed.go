package adapter

import (
	"fmt"
	"reflect"

	"github.com/apache/arrow/go/v15/arrow"
)

// CatchMalformed turns a panic into an error that wraps arrow.ErrInvalid, if it is deferred: Arrow panics when it
// slices arrays whose offsets are out of bounds.
func CatchMalformed(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%w: a malformed array: %v", arrow.ErrInvalid, p)
	}
}

// IsNil reports whether x is nil, or an interface that holds a nil pointer.
func IsNil(x any) bool {
	v := reflect.ValueOf(x)
	return x == nil || v.Kind() == reflect.Pointer && v.IsNil()
}

// Repeated returns two positions of one and the same value, if there is one; ok is false if not.
func Repeated[T any](values []T) (first, second int, ok bool) {
	seen := map[any]int{}
	for i, v := range values {
		if !reflect.ValueOf(v).Comparable() {
			continue
		}
		if at, again := seen[v]; again {
			return at, i, true
		}
		seen[v] = i
	}
	return 0, 0, false
}
