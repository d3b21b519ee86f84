//go:build cuda && linux && amd64

// Package stream moves bytes between the host and the device, through one queue of the device at a time.
package stream

import (
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/tuning"
)

// A Stream is a queue of the device with the memory to move bytes through it: pinned memory that pageable memory is
// copied through, and events that limit how much is queued. The device computes, receives and sends at the same time,
// in one stream each.
type Stream struct {
	*driver.Stream
	tuning  *tuning.Table
	staging staging
	marks   [2]driver.Event
}

// Open opens a stream of a device.
func Open(c *driver.Context, table *tuning.Table) (s *Stream, err error) {
	s = &Stream{tuning: table, staging: staging{Context: c, tuning: table}}
	if s.Stream, err = c.NewStream(); err != nil {
		return nil, err
	}
	for i := range s.marks {
		if s.marks[i], err = c.NewEvent(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Reset discards what has not been delivered. The stream is idle.
func (s *Stream) Reset() { s.staging.reset() }
