package fileerror

import (
	"fmt"
	"runtime"
)

// Contain runs f and returns its error, or its panic as an ErrCorrupt: the readers of Arrow and Parquet panic on bad
// bytes. Errors that were panicked with stay visible to errors.Is.
func Contain(f func() error) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case runtime.Error:
			err = fmt.Errorf("%w: %v", ErrCorrupt, p)
		case error:
			err = fmt.Errorf("%w: %w", ErrCorrupt, p)
		default:
			err = fmt.Errorf("%w: %v", ErrCorrupt, p)
		}
	}()
	return f()
}
