//go:build !assert

package keyencode

// assertCodes does nothing without the build tag assert.
func assertCodes(*Plan, int, []uint64) {}
