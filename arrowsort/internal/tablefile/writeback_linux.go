package tablefile

import (
	"os"

	"golang.org/x/sys/unix"
)

// writeBack has the system begin to write bytes of a file to its disk. It does not wait; a file system that cannot do it does so when
// the file is synced.
func writeBack(file *os.File, at, n int64) {
	_ = unix.SyncFileRange(int(file.Fd()), at, n, unix.SYNC_FILE_RANGE_WRITE)
}
