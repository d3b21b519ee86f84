//go:build !assert && cuda && linux && amd64

package gpu

// assertPermutation does nothing without the build tag assert.
func (s *sorter) assertPermutation() {}
