package tablefile

import (
	"errors"
	"fmt"
	"runtime"
)

// ErrCorrupt is returned for a file that does not follow its format.
var ErrCorrupt = errors.New("corrupted file")

// contain runs f and turns its panic into an error: the readers of Arrow and Parquet panic on bad bytes. Errors that
// were panicked with stay visible to errors.Is.
func contain(f func() error) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case runtime.Error:
			err = fmt.Errorf("%w: %v", ErrCorrupt, p)
		case error:
			if err = p; !errors.Is(p, ErrCorrupt) && !errors.Is(p, ErrMemory) {
				err = fmt.Errorf("%w: %w", ErrCorrupt, p)
			}
		default:
			err = fmt.Errorf("%w: %v", ErrCorrupt, p)
		}
	}()
	return f()
}

func corrupt(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrCorrupt, fmt.Sprintf(format, args...))
}
