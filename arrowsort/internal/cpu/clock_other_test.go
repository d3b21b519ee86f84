//go:build !linux

package cpu

import "time"

var started = time.Now()

// workingTime is the time that has passed.
func workingTime() time.Duration { return time.Since(started) }
