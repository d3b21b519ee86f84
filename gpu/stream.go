//go:build cuda && linux && amd64

package gpu

import "github.com/arrowsort/arrowsort/gpu/internal/driver"

// A lane is a stream with what it takes to move bytes through it: pinned memory that ordinary memory is copied through,
// and marks of how far it is. The device works, receives and sends at the same time, in a lane each.
type lane struct {
	*driver.Stream
	staging staging
	marks   [2]driver.Event
}

func openLane(c *driver.Context) (l *lane, err error) {
	l = &lane{staging: staging{Context: c}}
	if l.Stream, err = c.NewStream(); err != nil {
		return nil, err
	}
	for i := range l.marks {
		if l.marks[i], err = c.NewEvent(); err != nil {
			return nil, err
		}
	}
	return l, nil
}
