package keyencode

import "fmt"

// Validate checks the structure of a column.
func Validate(c *Column) error {
	if c.Kind > Dictionary64 {
		return fmt.Errorf("%w: %d", ErrKind, c.Kind)
	}
	return nil
}
