//go:build !assert && cuda && linux && amd64

package gpu

import "github.com/arrowsort/arrowsort/gpu/internal/driver"

// assertPermutation does nothing without the build tag assert.
func (t *task) assertPermutation(driver.Ptr, int, int) {}
