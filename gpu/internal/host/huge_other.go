//go:build !linux

package host

// adviseHuge does nothing where the operating system has no such advice.
func adviseHuge([]byte) {}
