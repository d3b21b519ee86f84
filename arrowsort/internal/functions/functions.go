// Package functions has what the compute functions for both versions of Arrow share: how they are registered, how they
// take options, quantiles of ranks, and search_sorted.
package functions

import (
	"fmt"
	"strings"
)

// Register adds all functions to a registry of either version of Arrow, or none, unless another goroutine registers the
// same names meanwhile. It returns the names that the registry has already, joined by commas; empty without any.
func Register[F interface{ Name() string }](functions []F, can, add func(fn F, allowOverwrite bool) bool) string {
	for _, try := range []func(F, bool) bool{can, add} {
		var clashes []string
		for _, fn := range functions {
			if !try(fn, false) {
				clashes = append(clashes, fn.Name())
			}
		}
		if clashes != nil {
			return strings.Join(clashes, ", ")
		}
	}
	return ""
}

// Options takes options of a call as a value or a pointer. Nil and a nil pointer are no options: given is false and the
// options are the zero value. Other types of options are an error that wraps invalid.
func Options[T any](opts any, invalid error) (options T, given bool, err error) {
	switch o := opts.(type) {
	case nil:
		return options, false, nil
	case T:
		return o, true, nil
	case *T:
		if o == nil {
			return options, false, nil
		}
		return *o, true, nil
	}
	return options, false, fmt.Errorf("%w: takes options of type %T, not %T", invalid, options, opts)
}
