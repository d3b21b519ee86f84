//go:build !linux

package cpu

// adviseHuge does nothing where the operating system has no such advice.
func adviseHuge([]byte) {}
