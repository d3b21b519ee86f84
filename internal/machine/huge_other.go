//go:build !linux

package machine

// AdviseHuge does nothing where the operating system has no such advice.
func AdviseHuge([]byte, int) {}
