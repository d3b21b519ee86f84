// Package bridge passes data, streams, allocators and errors between Arrow Go v18 and the core, whose Arrow is v15, for
// all packages of the module. Nothing is copied.
package bridge

import (
	"errors"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
	v15 "github.com/apache/arrow/go/v15/arrow"
	memory15 "github.com/apache/arrow/go/v15/arrow/memory"
)

// Allocator returns the allocator for the core, which recognizes the Go allocator of v15.
func Allocator(mem memory.Allocator) memory15.Allocator {
	if mem == nil {
		mem = memory.DefaultAllocator
	}
	if _, ok := mem.(*memory.GoAllocator); ok {
		return memory15.NewGoAllocator()
	}
	return mem
}

// twins are Arrow's errors in both versions.
var twins = []struct{ v18, v15 error }{
	{arrow.ErrInvalid, v15.ErrInvalid}, {arrow.ErrNotImplemented, v15.ErrNotImplemented},
	{arrow.ErrKey, v15.ErrKey}, {arrow.ErrIndex, v15.ErrIndex}, {arrow.ErrType, v15.ErrType},
}

// failure is an error of the core that matches Arrow's errors of v18 where it matches those of v15.
type failure struct{ error }

func (f failure) Unwrap() error { return f.error }

func (f failure) Is(target error) bool {
	for _, twin := range twins {
		if target == twin.v18 {
			return errors.Is(f.error, twin.v15)
		}
	}
	return false
}

// Translate lets an error match errors of both versions.
func Translate(err error) error {
	if err == nil {
		return nil
	}
	return failure{err}
}
