package cpu

import (
	"time"

	"golang.org/x/sys/unix"
)

// workingTime is the time that the thread has worked: what others do on the same machine is left out.
func workingTime() time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &now); err != nil {
		panic(err)
	}
	return time.Duration(now.Nano())
}
