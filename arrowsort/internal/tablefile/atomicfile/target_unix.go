//go:build !windows

package atomicfile

import "golang.org/x/sys/unix"

// takesFiles returns why no file can be made in a folder.
func takesFiles(folder string) error { return unix.Access(folder, unix.W_OK|unix.X_OK) }
